/*
 * Players: runs many clients on ptys of its own, types to each, and reads what
 * tests/tools/paint.c paints at their far sides.
 *
 * usage: load [-c clients] [-k keys] [-s seconds] [-t seconds] [-w seconds]
 *             sessions command [argument ...]
 *
 * Starts "sessions" times the command, not more than "clients" (default 4) at
 * once until they show their first frame. When all do, it begins to type
 * "keys" a second (default 1) to each, each at a random phase, one in each nth
 * of the time between two keys, so that any time has as many keys as any other.
 * It goes on so for the seconds of -s (default 3) to settle, prints
 *	start
 * counts for the seconds of -t (default 20), prints
 *	stop SECONDS FRAMES SENT SEEN
 * (the time that really passed, complete frames that came, keys that were
 * typed, and keys that frames said had been read), and goes on typing and
 * reading until its standard input ends.
 * Exits 0 then; 3 if not all clients showed a frame within the seconds of -w
 * (default 120), or less than half of the keys came through when they should
 * have settled; 1 if one of them ended, or on any error; 2 on bad usage. No
 * client is left running.
 */

#include <sys/types.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEY_DIGITS	8

struct session {
	pid_t pid;
	int fd;
	double phase;		/* 0 to 1, of the time between two keys */
	int state;		/* bytes of ESC [ H and the digits so far */
	unsigned int number;	/* those digits */
	unsigned int seen;	/* keys, as the last frame said */
	int ready;		/* had a frame */
	char last[256];		/* what came last, for messages */
};

static struct session *sessions;
static int nsessions, nstarted, nready, epfd;
static unsigned long frames, sent;

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Ends all clients; as on a terminal that is closed. */
static void
stop_sessions(void)
{
	int i;

	for (i = 0; i < nstarted; i++)
		kill(sessions[i].pid, SIGHUP);
	for (i = 0; i < nstarted; i++) {
		close(sessions[i].fd);
		waitpid(sessions[i].pid, NULL, 0);
	}
	nstarted = 0;
}

static void
start_session(struct session *s, char **argv)
{
	struct winsize ws = { .ws_row = 60, .ws_col = 80 };
	struct epoll_event ev = { .events = EPOLLIN };

	if ((s->pid = forkpty(&s->fd, NULL, NULL, &ws)) == -1)
		err(1, "forkpty");
	if (s->pid == 0) {
		/* Under nohup it would not heed stop_sessions(). */
		signal(SIGHUP, SIG_DFL);
		signal(SIGPIPE, SIG_DFL);
		execvp(argv[0], argv);
		/* Not exit(3): the other clients are not for this process to end. */
		warn("%s", argv[0]);
		_exit(1);
	}
	nstarted++;
	if (fcntl(s->fd, F_SETFD, FD_CLOEXEC) == -1 ||
	    fcntl(s->fd, F_SETFL, O_NONBLOCK) == -1)
		err(1, "fcntl");
	ev.data.ptr = s;
	if (epoll_ctl(epfd, EPOLL_CTL_ADD, s->fd, &ev) == -1)
		err(1, "epoll_ctl");
}

/* Follows the frames in what came; see paint.c for their form. */
static void
parse(struct session *s, const char *buf, size_t len)
{
	static const char begin[] = "\033[H";
	size_t i;

	for (i = 0; i < len; i++) {
		if (s->state < 3) {
			if (buf[i] == begin[s->state])
				s->state++;
			else
				s->state = buf[i] == begin[0];
			s->number = 0;
			continue;
		}
		s->number = s->number * 10 + (buf[i] - '0');
		if (++s->state < 3 + KEY_DIGITS)
			continue;
		s->state = 0;
		s->seen = s->number;
		frames++;
		if (!s->ready) {
			s->ready = 1;
			nready++;
		}
	}
}

static void
read_session(struct session *s)
{
	static char buf[65536];
	ssize_t n;
	size_t keep;

	n = read(s->fd, buf, sizeof(buf));
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0)
		errx(1, "a client ended: %s", s->last);
	parse(s, buf, n);
	keep = (size_t)n < sizeof(s->last) ? (size_t)n : sizeof(s->last) - 1;
	memcpy(s->last, buf + n - keep, keep);
	s->last[keep] = '\0';
}

/* Reads whatever comes until the time "until". Returns 0 if input ended. */
static int
drain(double until)
{
	static struct epoll_event events[64];
	double left;
	int i, n;

	if ((left = until - now()) < 0)
		left = 0;
	n = epoll_wait(epfd, events, 64, (int)(left * 1000 + 0.999));
	if (n == -1 && errno != EINTR)
		err(1, "epoll_wait");
	for (i = 0; i < n; i++) {
		if (events[i].data.ptr == NULL)
			return 0;
		read_session(events[i].data.ptr);
	}
	return 1;
}

static unsigned long
keys_seen(void)
{
	unsigned long n = 0;
	int i;

	for (i = 0; i < nsessions; i++)
		n += sessions[i].seen;
	return n;
}

/* Types the key that is due, if the terminal takes it. */
static void
type_key(struct session *s)
{
	if (write(s->fd, "x", 1) == 1)
		sent++;
	else if (errno != EAGAIN)
		err(1, "write");
}

static void
connect_all(char **argv, int clients, double until)
{
	while (nready < nsessions) {
		while (nstarted < nsessions && nstarted - nready < clients)
			start_session(&sessions[nstarted], argv);
		if (!drain(until))
			exit(0);
		if (now() >= until) {
			warnx("%d of %d clients showed a frame in time",
			    nready, nsessions);
			exit(3);
		}
	}
}

/*
 * Types and counts. The sessions are in the order of their phases, so the next
 * key is due in the next session.
 */
static void
play(double keys, double settle, double seconds)
{
	enum { SETTLING, COUNTING, DONE } state = SETTLING;
	double start = now(), counted_from = 0, due;
	unsigned long frames0 = 0, sent0 = 0, seen0 = 0, round = 0;
	int i = 0;

	for (;;) {
		due = start + (round + sessions[i].phase) / keys;
		while (now() >= due) {
			type_key(&sessions[i]);
			if (++i == nsessions) {
				i = 0;
				round++;
			}
			due = start + (round + sessions[i].phase) / keys;
		}
		if (!drain(due))
			return;
		if (state == SETTLING && now() >= start + settle) {
			/* Measuring would take forever, and say nothing. */
			if (keys_seen() * 2 < sent) {
				warnx("clients do not keep up: %lu of %lu keys"
				    " came through", keys_seen(), sent);
				exit(3);
			}
			state = COUNTING;
			counted_from = now();
			frames0 = frames;
			sent0 = sent;
			seen0 = keys_seen();
			printf("start\n");
		} else if (state == COUNTING &&
		    now() >= counted_from + seconds) {
			state = DONE;
			printf("stop %.3f %lu %lu %lu\n", now() - counted_from,
			    frames - frames0, sent - sent0,
			    keys_seen() - seen0);
		}
	}
}

static void
usage(void)
{
	fprintf(stderr, "usage: load [-c clients] [-k keys] [-s seconds] "
	    "[-t seconds] [-w seconds]\n"
	    "            sessions command [argument ...]\n");
	exit(2);
}

static void
interrupted(int sig)
{
	int i;

	for (i = 0; i < nstarted; i++)
		kill(sessions[i].pid, SIGHUP);
	_exit(128 + sig);
}

int
main(int argc, char **argv)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct rlimit rl;
	double keys = 1, settle = 3, seconds = 20, within = 120;
	int ch, i, clients = 4;

	while ((ch = getopt(argc, argv, "+c:k:s:t:w:")) != -1) {
		switch (ch) {
		case 'c':
			clients = atoi(optarg);
			break;
		case 'k':
			keys = atof(optarg);
			break;
		case 's':
			settle = atof(optarg);
			break;
		case 't':
			seconds = atof(optarg);
			break;
		case 'w':
			within = atof(optarg);
			break;
		default:
			usage();
		}
	}
	argc -= optind;
	argv += optind;
	if (argc < 2 || (nsessions = atoi(argv[0])) < 1 || clients < 1 ||
	    keys <= 0 || settle <= 0 || seconds <= 0 || within <= 0)
		usage();
	argv++;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		setrlimit(RLIMIT_NOFILE, &rl);
	}
	if ((sessions = calloc(nsessions, sizeof(*sessions))) == NULL)
		err(1, "calloc");
	for (i = 0; i < nsessions; i++)
		sessions[i].phase = (i + (double)arc4random() / UINT32_MAX) /
		    nsessions;
	if ((epfd = epoll_create1(EPOLL_CLOEXEC)) == -1)
		err(1, "epoll_create1");
	/* The one without a session is standard input. */
	if (epoll_ctl(epfd, EPOLL_CTL_ADD, STDIN_FILENO, &ev) == -1)
		err(1, "standard input");
	signal(SIGPIPE, SIG_IGN);
	signal(SIGINT, interrupted);
	signal(SIGTERM, interrupted);
	atexit(stop_sessions);
	connect_all(argv, clients, now() + within);
	play(keys, settle, seconds);
	return 0;
}
