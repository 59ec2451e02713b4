/*
 * A game's screen, for tests/tools/load.c: paints 80 columns by 60 lines on a
 * terminal at a given rate, and reads what is typed.
 *
 * usage: paint [-f frames] [-g file]
 *
 * Paints "frames" times a second (default 10) until its input ends. A frame
 * begins with ESC [ H and the number of keys that were read so far, as eight
 * digits. When the terminal takes no more, frames are left out. With -g it
 * first writes "0" to "file": cgroup.procs of the cgroup to move to.
 * Exits 0, or 1 on any error, 2 on bad usage.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS	80
#define LINES	60

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void
move_to_cgroup(const char *file)
{
	int fd;

	if ((fd = open(file, O_WRONLY)) == -1 || write(fd, "0", 1) != 1)
		err(1, "%s", file);
	close(fd);
}

static void
make_raw(void)
{
	struct termios tio;

	if (tcgetattr(STDIN_FILENO, &tio) == -1)
		err(1, "tcgetattr");
	cfmakeraw(&tio);
	if (tcsetattr(STDIN_FILENO, TCSANOW, &tio) == -1)
		err(1, "tcsetattr");
}

static void
paint_frame(unsigned int keys)
{
	static char frame[3 + LINES * (COLUMNS + 2) + 1];
	static unsigned int number;
	char *p = frame;
	ssize_t n;
	size_t left;
	int x, y;

	p += sprintf(p, "\033[H");
	for (y = 0; y < LINES; y++) {
		for (x = 0; x < COLUMNS; x++)
			*p++ = ' ' + (x * 7 + y * 13 + number * 31) % 95;
		*p++ = '\r';
		*p++ = '\n';
	}
	number++;
	snprintf(frame + 3, 9, "%08u", keys);
	frame[3 + 8] = ' ';
	for (left = p - frame, p = frame; left > 0; left -= n, p += n) {
		if ((n = write(STDOUT_FILENO, p, left)) == -1)
			err(1, "write");
	}
}

int
main(int argc, char **argv)
{
	struct pollfd pfd;
	char buf[1024];
	const char *cgroup = NULL;
	double interval, next, left;
	unsigned int keys = 0;
	ssize_t n;
	int ch, frames = 10;

	while ((ch = getopt(argc, argv, "f:g:")) != -1) {
		switch (ch) {
		case 'f':
			frames = atoi(optarg);
			break;
		case 'g':
			cgroup = optarg;
			break;
		default:
			frames = 0;
		}
	}
	if (frames < 1 || optind != argc) {
		fprintf(stderr, "usage: paint [-f frames] [-g file]\n");
		return 2;
	}
	if (cgroup != NULL)
		move_to_cgroup(cgroup);
	make_raw();
	interval = 1.0 / frames;
	/* Many of us must not paint all at the same time. */
	next = now() + interval * arc4random() / UINT32_MAX;
	for (;;) {
		while ((left = next - now()) > 0) {
			pfd.fd = STDIN_FILENO;
			pfd.events = POLLIN;
			if (poll(&pfd, 1, (int)(left * 1000) + 1) == -1)
				err(1, "poll");
			if (pfd.revents == 0)
				continue;
			if ((n = read(STDIN_FILENO, buf, sizeof(buf))) <= 0)
				return 0;
			keys += n;
		}
		paint_frame(keys);
		next += interval;
		if (next < now())
			next = now();
	}
}
