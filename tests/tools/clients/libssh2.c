/*
 * libssh2 as a client of tests/bench/clients.sh, which see.
 *
 * usage: libssh2 DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO
 */

#include <sys/socket.h>
#include <arpa/inet.h>
#include <netinet/in.h>

#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <libssh2.h>
#include <libssh2_sftp.h>

static LIBSSH2_SESSION *session;
static int sock;

static void
check(int ok, const char *what)
{
	char *msg = "";

	if (ok)
		return;
	if (session != NULL)
		libssh2_session_last_error(session, &msg, NULL, 0);
	errx(1, "%s: %s", what, msg);
}

static void
log_in(const char *dir, int port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	char path[1024];

	sin.sin_port = htons(port);
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sock = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(sock, (struct sockaddr *)&sin, sizeof(sin)) == -1)
		err(1, "connect");
	check(libssh2_init(0) == 0, "libssh2_init");
	check((session = libssh2_session_init()) != NULL, "session");
	check(libssh2_session_handshake(session, sock) == 0, "handshake");
	snprintf(path, sizeof(path), "%s/id", dir);
	check(libssh2_userauth_publickey_fromfile(session, "player", NULL,
	    path, NULL) == 0, "userauth");
}

/* Runs a command, between it and our standard input and output. */
static int
run(const char *command, int pty)
{
	LIBSSH2_CHANNEL *ch;
	struct pollfd pfd[2];
	struct termios tio;
	char buf[32768];
	ssize_t n;

	check((ch = libssh2_channel_open_session(session)) != NULL, "open");
	if (pty) {
		check(libssh2_channel_request_pty(ch, "xterm") == 0, "pty");
		if (tcgetattr(0, &tio) == -1)
			err(1, "tcgetattr");
		cfmakeraw(&tio);
		if (tcsetattr(0, TCSANOW, &tio) == -1)
			err(1, "tcsetattr");
	}
	check(libssh2_channel_exec(ch, command) == 0, "exec");
	libssh2_session_set_blocking(session, 0);
	for (;;) {
		while ((n = libssh2_channel_read(ch, buf, sizeof(buf))) > 0)
			if (write(1, buf, n) != n)
				err(1, "write");
		if ((n < 0 && n != LIBSSH2_ERROR_EAGAIN) ||
		    libssh2_channel_eof(ch))
			break;
		pfd[0].fd = sock;
		pfd[1].fd = pty ? 0 : -1;
		pfd[0].events = pfd[1].events = POLLIN;
		if (poll(pfd, 2, 1000) == -1)
			err(1, "poll");
		if (pfd[1].revents != 0) {
			if ((n = read(0, buf, sizeof(buf))) <= 0)
				break;
			libssh2_session_set_blocking(session, 1);
			check(libssh2_channel_write(ch, buf, n) == n, "write");
			libssh2_session_set_blocking(session, 0);
		}
	}
	libssh2_session_set_blocking(session, 1);
	libssh2_channel_close(ch);
	return libssh2_channel_get_exit_status(ch);
}

static int
transfer(const char *from, const char *to, int put)
{
	LIBSSH2_SFTP *sftp;
	LIBSSH2_SFTP_HANDLE *file;
	char buf[16384];
	ssize_t n, done, m;
	int fd;

	check((sftp = libssh2_sftp_init(session)) != NULL, "sftp");
	if (put) {
		fd = open(from, O_RDONLY);
		file = libssh2_sftp_open(sftp, to, LIBSSH2_FXF_WRITE|
		    LIBSSH2_FXF_CREAT|LIBSSH2_FXF_TRUNC, 0600);
	} else {
		fd = open(to, O_WRONLY|O_CREAT|O_TRUNC, 0600);
		file = libssh2_sftp_open(sftp, from, LIBSSH2_FXF_READ, 0);
	}
	check(fd != -1 && file != NULL, "open files");
	while ((n = put ? read(fd, buf, sizeof(buf)) :
	    libssh2_sftp_read(file, buf, sizeof(buf))) > 0) {
		for (done = 0; done < n; done += m) {
			m = put ? libssh2_sftp_write(file, buf + done, n - done) :
			    write(fd, buf + done, n - done);
			check(m > 0, "transfer");
		}
	}
	check(n == 0 && libssh2_sftp_close(file) == 0, "end of transfer");
	return 0;
}

int
main(int argc, char **argv)
{
	const char *verb;
	int status = 2;

	if (argc < 4)
		return status;
	verb = argv[3];
	if (strcmp(verb, "version") == 0) {
		printf("libssh2 %s\n", libssh2_version(0));
		return 0;
	}
	log_in(argv[1], atoi(argv[2]));
	if (argc == 5)
		status = run(argv[4], strcmp(verb, "pty") == 0);
	else if (argc == 6)
		status = transfer(argv[4], argv[5], strcmp(verb, "put") == 0);
	libssh2_session_disconnect(session, "bye");
	return status;
}
