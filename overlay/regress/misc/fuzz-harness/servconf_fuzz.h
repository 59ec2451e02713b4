/*
 * What servconf_fuzz.c has of servconf.c, which is there twice: ours, and that
 * of a tree without the series. See servconf_side.c.
 */
#ifndef SERVCONF_FUZZ_H
#define SERVCONF_FUZZ_H

struct sshbuf;
struct connection_info;

/* One servconf.c; all may leave by fatal() */
#define SIDE_DECLARE(side) \
	void side##_global(void); \
	void side##_match(struct connection_info *); \
	void side##_dump(struct sshbuf *)

SIDE_DECLARE(ours);
SIDE_DECLARE(stock);

/* Of ours alone */
void	 ours_early(const struct connection_info *);
int	*ours_ping(void);
int	 ours_ping_match(void);
const char *ours_keyword(size_t);

/* The text that they read: parts are files, number 0 is the main one */
#define SIDE_PARTS	4
extern struct side_part {
	const u_char *text;
	size_t len;
} side_parts[SIDE_PARTS];

#endif
