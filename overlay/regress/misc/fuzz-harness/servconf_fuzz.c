/*
 * A configuration of sshd, read by our servconf.c and by that of a tree without
 * the series. Not only must nothing crash:
 *
 * - a text without AdvertisePing gives the same messages, verdict and dump;
 * - one with it gives the same dump as if the directive were one that upstream
 *   ignores, but for its own line;
 * - what the early pass says of a connection is what "sshd -T -C" and the full
 *   parse say of it, it touches and logs nothing else, and it is not needed
 *   where sshd leaves it, or the name of the client's host, out.
 *
 * In the text, a line that begins with "=== " begins the next file, which can be
 * had by Include: 1, 2 and 3. The length chooses the connection.
 */
#include "includes.h"

#include <sys/types.h>

#include <netdb.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/allocator_interface.h>

#include "log.h"
#include "sshbuf.h"
#include "sshkey.h"
#include "misc.h"
#include "servconf.h"
#include "servconf_fuzz.h"

#define DIRECTIVE	"advertiseping"
#define IGNORED		"rsaauthentication"	/* by upstream, everywhere */
#define MAX_LINE	800	/* patterns may not be much longer */

int	LLVMFuzzerInitialize(int *, char ***);
int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

ServerOptions options;	/* of the list of authentication methods */
struct side_part side_parts[SIDE_PARTS];

static const struct connection_info connections[] = {
	{ "alice", 0, "h.example.net", "192.0.2.1", "198.51.100.1", 22, "", 0 },
	{ "bob", 1, "192.0.2.77", "192.0.2.77", "198.51.100.1", 2222, "vrf", 0 },
	{ "alice", 0, "h.example.net", "2001:db8::1", "::1", 2222, "", 0 },
	{ "alice", 0, NULL, NULL, NULL, 2222, NULL, 1 },
	{ NULL, 0, NULL, "192.0.2.1", NULL, -1, NULL, 1 },
	{ "bob", 0, "h.example.net", "192.0.2.1", "::1", 22, NULL, 0 },
};

/* What is allocated in a run and not freed, for fatal() frees nothing */
#define BLOCKS	(1 << 17)
static const volatile void *blocks[BLOCKS];
static size_t nblocks;
static int counting;

static void
allocated(const volatile void *p, size_t len)
{
	if (counting && p != NULL && nblocks < BLOCKS)
		blocks[nblocks++] = p;
}

static void
freed(const volatile void *p)
{
	size_t i;

	for (i = nblocks; counting && p != NULL && i-- > 0;) {
		if (blocks[i] != p)
			continue;
		blocks[i] = blocks[--nblocks];
		break;
	}
}

static jmp_buf at_fatal;
static struct sshbuf *said;

void
cleanup_exit(int status)
{
	longjmp(at_fatal, 1);
}

/*
 * The databases of the system: one user, and no services. glibc's allocate what
 * they keep for the next time, but not for longer than until this text is done.
 */
struct passwd *
getpwnam(const char *name)
{
	static struct passwd pw = { .pw_name = "alice", .pw_dir = "/alice" };

	return strcmp(name, pw.pw_name) == 0 ? &pw : NULL;
}

struct passwd *
getpwuid(uid_t uid)
{
	return getpwnam("alice");
}

struct servent *
getservbyname(const char *name, const char *proto)
{
	return NULL;
}

static void
message(LogLevel level, int force, const char *msg, void *ctx)
{
	if (sshbuf_putf(said, "%d %s\n", level, msg) != 0)
		abort();
}

static struct sshbuf *
new_buf(void)
{
	struct sshbuf *b;

	if ((b = sshbuf_new()) == NULL)
		abort();
	return b;
}

static void
must(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "FAULT: %s\n", what);
		abort();
	}
}

static int
same(const struct sshbuf *a, const struct sshbuf *b)
{
	return sshbuf_len(a) == sshbuf_len(b) && (sshbuf_len(a) == 0 ||
	    memcmp(sshbuf_ptr(a), sshbuf_ptr(b), sshbuf_len(a)) == 0);
}

/* Copy a text, with IGNORED for the directive. Returns how often it was there. */
static int
replaced(const u_char *text, size_t len, struct sshbuf *out)
{
	size_t i, start, n = strlen(DIRECTIVE);
	int found = 0;

	for (i = start = 0; i + n <= len;) {
		if ((text[i] | 0x20) != DIRECTIVE[0] ||
		    strncasecmp((const char *)text + i, DIRECTIVE, n) != 0) {
			i++;
			continue;
		}
		if (sshbuf_put(out, text + start, i - start) != 0 ||
		    sshbuf_put(out, IGNORED, strlen(IGNORED)) != 0)
			abort();
		found++;
		start = i += n;
	}
	if (sshbuf_put(out, text + start, len - start) != 0)
		abort();
	return found;
}

/* The dump without the line of the directive, and with other uses replaced */
static struct sshbuf *
dump_of(void (*dump)(struct sshbuf *))
{
	struct sshbuf *raw = new_buf(), *ret = new_buf();
	char *text, *line, *end;

	dump(raw);
	if ((text = sshbuf_dup_string(raw)) == NULL)
		abort();
	end = text;
	if ((line = strstr(text, "\n" DIRECTIVE " ")) != NULL) {
		replaced((u_char *)text, line - text, ret);
		end = line + 1 + strcspn(line + 1, "\n");
	}
	replaced((u_char *)end, strlen(end), ret);
	return ret;
}

static void
split(const u_char *text, size_t len)
{
	static const char mark[] = "\n=== ";
	const u_char *end;
	int i;

	memset(side_parts, 0, sizeof(side_parts));
	for (i = 0; i < SIDE_PARTS && text != NULL; i++) {
		end = len == 0 ? NULL : memmem(text, len, mark, sizeof(mark) - 1);
		side_parts[i].text = text;
		side_parts[i].len = end == NULL ? len : (size_t)(end - text) + 1;
		len -= side_parts[i].len;
		text = end == NULL ? NULL : end + 1;
	}
}

/* What one side makes of the text: messages, and a dump unless it is fatal */
struct verdict {
	struct sshbuf *said, *dump;
	int started, connected;	/* not fatal by then */
};

static void
judge(struct verdict *v, struct connection_info ci, void (*global)(void),
    void (*match)(struct connection_info *), void (*dump)(struct sshbuf *))
{
	memset(v, 0, sizeof(*v));
	v->said = said = new_buf();
	if (setjmp(at_fatal) != 0)
		return;
	global();
	v->started = 1;
	match(&ci);
	v->dump = dump_of(dump);
	v->connected = 1;
}

/* The early pass, in a state as global() leaves it: what it says of ci */
static int
early(struct connection_info ci, int *pingp)
{
	struct sshbuf *before = dump_of(ours_dump), *after;
	volatile int saved = *ours_ping();

	/* As sshd-auth has it */
	ci.user = NULL;
	ci.user_invalid = 0;
	said = new_buf();
	if (setjmp(at_fatal) != 0) {
		*ours_ping() = saved;
		return -1;
	}
	ours_early(&ci);
	must(sshbuf_len(said) == 0, "the early pass logs something");
	after = dump_of(ours_dump);
	must(same(before, after), "the early pass touches another option");
	*pingp = *ours_ping();
	*ours_ping() = saved;
	return 0;
}

/* The directive of a connection, with one that has no host name beside it */
static void
directive(const struct connection_info *ci)
{
	struct connection_info full = *ci, addr = *ci;
	struct sshbuf *early_said;
	int r, ping = -1, unnamed = -1, global, match;

	said = new_buf();
	if (setjmp(at_fatal) != 0)
		return;
	ours_global();
	global = *ours_ping();
	match = ours_ping_match();
	r = early(*ci, &ping);
	early_said = said;
	if (r == 0 && match == 0)
		must(ping == global, "the early pass is needed and left out");
	if (r == 0 && !(match & ADVERTISE_PING_MATCH_HOST)) {
		addr.host = ci->address;
		if (early(addr, &unnamed) == 0)
			must(ping == unnamed, "the host is needed and left out");
	}
	if (r == 0 && ping == 0)
		must(global == 0 || (match & ADVERTISE_PING_MATCH_NO),
		    "withheld, and not said at startup");
	said = new_buf();
	if (setjmp(at_fatal) != 0)
		return;
	ours_match(&full);
	must(r == 0, sshbuf_dup_string(early_said));
	must(*ours_ping() == ping, "early pass and full parse disagree");
}

/*
 * Up to 10.2 (bz3906) copy_set_server_options() takes the number of subsystems of
 * a Match block for its own before it frees its commands: where there are fewer of
 * these, or none, it reads too far, with the series or without.
 */
static int
is_upstreams_fault(const u_char *text, size_t len)
{
	static const char word[] = "subsystem";
	size_t i;

	for (i = 0; i + sizeof(word) - 1 <= len; i++) {
		if (strncasecmp((const char *)text + i, word,
		    sizeof(word) - 1) == 0)
			return 1;
	}
	return 0;
}

static int
comparable(const u_char *text, size_t len)
{
	size_t i, line = 0;

	for (i = 0; i < len; i++) {
		line = text[i] == '\n' ? 0 : line + 1;
		if (line > MAX_LINE || (len - i >= strlen(IGNORED) &&
		    strncasecmp((const char *)text + i, IGNORED,
		    strlen(IGNORED)) == 0))
			return 0;
	}
	return 1;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_init("fuzz", SYSLOG_LEVEL_INFO, SYSLOG_FACILITY_AUTH, 1);
	set_log_handler(message, NULL);
	return __sanitizer_install_malloc_and_free_hooks(allocated, freed) == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct connection_info *ci = &connections[size %
	    (sizeof(connections) / sizeof(*connections))];
	struct verdict ours, stock;
	struct sshbuf *without;
	int found;

	if (size == 0 || is_upstreams_fault(data, size))
		return 0;
	counting = 1;
	split(data, size);
	judge(&ours, *ci, ours_global, ours_match, ours_dump);
	directive(ci);
	without = new_buf();
	found = replaced(data, size, without);
	split(sshbuf_ptr(without), sshbuf_len(without));
	judge(&stock, *ci, stock_global, stock_match, stock_dump);
	if (found == 0) {
		must(same(ours.said, stock.said), "other messages than upstream");
		must(ours.started == stock.started &&
		    ours.connected == stock.connected, "not upstream's verdict");
	}
	if (ours.connected && (found == 0 || comparable(data, size))) {
		must(stock.connected, "upstream refuses the rest of it");
		must(same(ours.dump, stock.dump), "not upstream's dump");
	}
	counting = 0;
	while (nblocks > 0)
		free((void *)blocks[--nblocks]);
	return 0;
}
