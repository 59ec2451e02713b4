/*
 * libssh as a client of tests/bench/clients.sh, which see.
 *
 * usage: libssh DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO
 */

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <libssh/libssh.h>
#include <libssh/sftp.h>

static ssh_session session;

static void
check(int ok, const char *what)
{
	if (!ok)
		errx(1, "%s: %s", what, ssh_get_error(session));
}

static void
log_in(const char *dir, int port)
{
	ssh_key key;
	char path[1024];
	int off = 0;

	check((session = ssh_new()) != NULL, "ssh_new");
	ssh_options_set(session, SSH_OPTIONS_HOST, "127.0.0.1");
	ssh_options_set(session, SSH_OPTIONS_PORT, &port);
	ssh_options_set(session, SSH_OPTIONS_USER, "player");
	ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off);
	check(ssh_connect(session) == SSH_OK, "connect");
	snprintf(path, sizeof(path), "%s/id", dir);
	check(ssh_pki_import_privkey_file(path, NULL, NULL, NULL, &key) ==
	    SSH_OK, path);
	check(ssh_userauth_publickey(session, NULL, key) == SSH_AUTH_SUCCESS,
	    "userauth");
}

/* Runs a command, between it and our standard input and output. */
static int
run(const char *command, int pty)
{
	ssh_channel ch;
	ssh_channel in[2], out[2];
	struct termios tio;
	struct timeval tv;
	char buf[65536];
	fd_set fds;
	int n;

	check((ch = ssh_channel_new(session)) != NULL &&
	    ssh_channel_open_session(ch) == SSH_OK, "open");
	if (pty) {
		check(ssh_channel_request_pty(ch) == SSH_OK, "pty");
		if (tcgetattr(0, &tio) == -1)
			err(1, "tcgetattr");
		cfmakeraw(&tio);
		if (tcsetattr(0, TCSANOW, &tio) == -1)
			err(1, "tcsetattr");
	}
	check(ssh_channel_request_exec(ch, command) == SSH_OK, "exec");
	for (;;) {
		in[0] = ch;
		in[1] = NULL;
		FD_ZERO(&fds);
		if (pty)
			FD_SET(0, &fds);
		tv.tv_sec = 1;
		tv.tv_usec = 0;
		if (ssh_select(in, out, 1, &fds, &tv) == SSH_ERROR)
			errx(1, "ssh_select");
		while ((n = ssh_channel_read_nonblocking(ch, buf, sizeof(buf),
		    0)) > 0)
			if (write(1, buf, n) != n)
				err(1, "write");
		if (n == SSH_ERROR || ssh_channel_is_eof(ch))
			break;
		if (pty && FD_ISSET(0, &fds)) {
			if ((n = read(0, buf, sizeof(buf))) <= 0)
				break;
			check(ssh_channel_write(ch, buf, n) == n, "write");
		}
	}
	ssh_channel_close(ch);
	return ssh_channel_get_exit_status(ch);
}

static int
transfer(const char *from, const char *to, int put)
{
	sftp_session sftp;
	sftp_file file;
	char buf[16384];
	ssize_t n;
	int fd;

	check((sftp = sftp_new(session)) != NULL && sftp_init(sftp) == SSH_OK,
	    "sftp");
	if (put) {
		fd = open(from, O_RDONLY);
		file = sftp_open(sftp, to, O_WRONLY|O_CREAT|O_TRUNC, 0600);
	} else {
		fd = open(to, O_WRONLY|O_CREAT|O_TRUNC, 0600);
		file = sftp_open(sftp, from, O_RDONLY, 0);
	}
	check(fd != -1 && file != NULL, "open files");
	while ((n = put ? read(fd, buf, sizeof(buf)) :
	    sftp_read(file, buf, sizeof(buf))) > 0)
		check((put ? sftp_write(file, buf, n) : write(fd, buf, n)) == n,
		    "transfer");
	check(n == 0 && sftp_close(file) == SSH_OK, "end of transfer");
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
		printf("libssh %s\n", ssh_version(0));
		return 0;
	}
	log_in(argv[1], atoi(argv[2]));
	if (argc == 5)
		status = run(argv[4], strcmp(verb, "pty") == 0);
	else if (argc == 6)
		status = transfer(argv[4], argv[5], strcmp(verb, "put") == 0);
	ssh_disconnect(session);
	return status;
}
