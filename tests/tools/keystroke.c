/*
 * Runs a command on a pty of its own, types one key or more, and waits.
 *
 * usage: keystroke [-n keys] [-w seconds] ready command [argument ...]
 *
 * Waits until the command has printed the string "ready", sends "x" two
 * seconds later, when everything else has settled, and then goes on for
 * "seconds" (default 4). With more "keys" than one (the default), each comes
 * at a random time after the echo of the one before it, 0.1 to 0.6 seconds,
 * and "seconds" counts from the last. Prints for each key
 *	key TIME	when it was sent, seconds since 1970 with fraction
 *	echo MS		how long its echo took in milliseconds, or "none"
 * and at the end
 *	end TIME	when waiting ended
 * Exits 0 if all were echoed, 1 if not or on any error, 2 on bad usage.
 */

#include <sys/types.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <err.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READY_TIMEOUT	300.0	/* seconds */
#define SETTLE_TIME	2.0	/* seconds */
#define GAP_MIN		0.1	/* seconds */
#define GAP_MAX		0.6	/* seconds */

static pid_t child = -1;

static double
now(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return tv.tv_sec + tv.tv_usec / 1e6;
}

/*
 * Reads what comes from the pty until the time "until". Returns the time at
 * which the string "want" (if not NULL) was complete, or 0 if it was not.
 */
static double
drain(int fd, double until, const char *want)
{
	static char buf[65536];
	size_t len = 0;
	struct pollfd pfd;
	double left;
	ssize_t n;

	while ((left = until - now()) > 0) {
		pfd.fd = fd;
		pfd.events = POLLIN;
		if (poll(&pfd, 1, (int)(left * 1000) + 1) == -1)
			err(1, "poll");
		if (pfd.revents == 0)
			continue;
		if (len > sizeof(buf) / 2)
			len = 0;
		if ((n = read(fd, buf + len, sizeof(buf) - 1 - len)) <= 0)
			errx(1, "the command ended: %.*s", (int)len, buf);
		len += n;
		buf[len] = '\0';
		if (want != NULL && strstr(buf, want) != NULL)
			return now();
	}
	return 0;
}

static void
stop_child(void)
{
	if (child > 0) {
		kill(child, SIGHUP);
		waitpid(child, NULL, 0);
	}
}

static double
random_gap(void)
{
	return GAP_MIN + (GAP_MAX - GAP_MIN) * arc4random() / UINT32_MAX;
}

/*
 * Types one key at once, prints its two lines, and waits for "seconds", or
 * until the echo only if "wait" is 0. Returns 0 if the echo did not come.
 */
static int
type_key(int fd, double seconds, int wait)
{
	double sent, echoed;

	sent = now();
	if (write(fd, "x", 1) != 1)
		err(1, "write");
	echoed = drain(fd, sent + seconds, "x");
	if (echoed > 0 && wait)
		drain(fd, sent + seconds, NULL);
	printf("key %.6f\n", sent);
	if (echoed > 0)
		printf("echo %.2f\n", (echoed - sent) * 1000);
	else
		printf("echo none\n");
	return echoed > 0;
}

int
main(int argc, char **argv)
{
	double seconds = 4;
	int ch, fd, i, keys = 1, missing = 0;

	while ((ch = getopt(argc, argv, "+n:w:")) != -1) {
		switch (ch) {
		case 'n':
			keys = atoi(optarg);
			break;
		case 'w':
			seconds = atof(optarg);
			break;
		default:
			goto usage;
		}
	}
	argc -= optind;
	argv += optind;
	if (argc < 2 || seconds <= 0 || keys < 1) {
 usage:
		fprintf(stderr, "usage: keystroke [-n keys] [-w seconds] ready "
		    "command [argument ...]\n");
		return 2;
	}
	if ((child = forkpty(&fd, NULL, NULL, NULL)) == -1)
		err(1, "forkpty");
	if (child == 0) {
		/* Under nohup it would not heed stop_child(). */
		signal(SIGHUP, SIG_DFL);
		execvp(argv[1], argv + 1);
		err(1, "%s", argv[1]);
	}
	atexit(stop_child);
	if (drain(fd, now() + READY_TIMEOUT, argv[0]) == 0)
		errx(1, "\"%s\" did not come within %.0f s", argv[0],
		    READY_TIMEOUT);
	drain(fd, now() + SETTLE_TIME, NULL);
	for (i = 1; i <= keys; i++) {
		if (!type_key(fd, seconds, i == keys))
			missing++;
		if (i < keys)
			drain(fd, now() + random_gap(), NULL);
	}
	printf("end %.6f\n", now());
	return missing > 0;
}
