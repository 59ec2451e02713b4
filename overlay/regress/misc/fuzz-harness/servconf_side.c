/*
 * servconf.c as it is, with files that are in memory, groups of a name and no
 * DNS, as the functions that servconf_fuzz.h declares. It is compiled once
 * for each tree, with SIDE defined as ours or stock, and all other names in it
 * are made local (see hush.mk), so that both can be in one program.
 */
#include "includes.h"

#include <sys/types.h>
#include <sys/socket.h>

#include <fnmatch.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "openbsd-compat/glob.h"
#include "groupaccess.h"
#include "match.h"
#include "sshbuf.h"
#include "xmalloc.h"

#include "servconf_fuzz.h"

static struct sshbuf *side_output;

static int
side_glob(const char *pattern, glob_t *g)
{
	const char *base = strrchr(pattern, '/');
	char name[32];
	int i;

	memset(g, 0, sizeof(*g));
	g->gl_pathv = xcalloc(SIDE_PARTS, sizeof(*g->gl_pathv));
	for (i = 1; i < SIDE_PARTS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		if (side_parts[i].text != NULL &&
		    fnmatch(base == NULL ? pattern : base + 1, name, 0) == 0)
			g->gl_pathv[g->gl_pathc++] = xstrdup(name);
	}
	return g->gl_pathc == 0 ? GLOB_NOMATCH : 0;
}

static FILE *
side_fopen(const char *path)
{
	struct side_part *part = &side_parts[atoi(path) % SIDE_PARTS];

	return fmemopen((void *)part->text, part->len, "r");
}

static int
side_getaddrinfo(const char *host, const char *port,
    const struct addrinfo *hints, struct addrinfo **ret)
{
	struct addrinfo numeric = *hints;

	numeric.ai_flags |= AI_NUMERICHOST;
	return getaddrinfo(host, port, &numeric, ret);
}

static int
side_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (sshbuf_putfv(side_output, fmt, ap) != 0)
		abort();
	va_end(ap);
	return 0;
}

#undef glob
#undef globfree
#define glob(pattern, flags, err, g)	side_glob(pattern, g)
#define globfree(g)			(void)(g)
#define fopen(path, mode)		side_fopen(path)
#define getaddrinfo(h, p, hints, ret)	side_getaddrinfo(h, p, hints, ret)
#define ga_init(name, gid)		1
#define ga_match_pattern_list(list)	match_pattern_list("staff", list, 0)
#define ga_free()			(void)0
#define printf(...)			side_printf(__VA_ARGS__)

#include "servconf.c"

struct sshbuf *cfg;
static struct include_list side_includes;
static ServerOptions side_options;

#define SIDE_NAME2(side, name)	side##_##name
#define SIDE_NAME1(side, name)	SIDE_NAME2(side, name)
#define SIDE_NAME(name)		SIDE_NAME1(SIDE, name)

/* As sshd does it when it starts */
void
SIDE_NAME(global)(void)
{
	TAILQ_INIT(&side_includes);
	if ((cfg = sshbuf_new()) == NULL)
		abort();
	initialize_server_options(&side_options);
	load_server_config("0", cfg);
	parse_server_config(&side_options, "0", cfg, &side_includes, NULL, 0);
	fill_default_server_options(&side_options);
}

/* As it does it for a connection, and for "sshd -T" */
void
SIDE_NAME(match)(struct connection_info *ci)
{
	parse_server_match_config(&side_options, &side_includes, ci);
}

void
SIDE_NAME(dump)(struct sshbuf *output)
{
	side_output = output;
	dump_config(&side_options);
}

#ifdef SIDE_IS_OURS
void
ours_early(const struct connection_info *ci)
{
	parse_server_match_early(&side_options, &side_includes, ci);
}

int *
ours_ping(void)
{
	return &side_options.advertise_ping;
}

int
ours_ping_match(void)
{
	return side_options.advertise_ping_match;
}

const char *
ours_keyword(size_t i)
{
	return keywords[i % (sizeof(keywords) / sizeof(*keywords) - 1)].name;
}
#endif
