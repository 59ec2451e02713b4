/*
 * usage: libssh2 KEY PASSPHRASE SSHD ARGUMENT...
 * libssh2 reads private keys only to log in with them, so that is what it
 * does here, over a pair of sockets, to "SSHD ARGUMENT...", which speaks on
 * standard input and output and accepts KEY.pub. Prints KEY.pub then.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libssh2.h>

int
main(int argc, char **argv)
{
	LIBSSH2_SESSION *session;
	char pub[4096], *message = "?";
	FILE *f;
	int s[2];

	if (argc < 4 || libssh2_init(0) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0)
		return 2;
	if (fork() == 0) {
		dup2(s[1], 0);
		dup2(s[1], 1);
		close(s[0]);
		execv(argv[3], argv + 3);
		_exit(1);
	}
	close(s[1]);
	snprintf(pub, sizeof(pub), "%s.pub", argv[1]);
	session = libssh2_session_init();
	if (libssh2_session_handshake(session, s[0]) != 0 ||
	    libssh2_userauth_publickey_fromfile_ex(session, "root", 4, pub,
	    argv[1], argv[2]) != 0) {
		libssh2_session_last_error(session, &message, NULL, 0);
		fprintf(stderr, "%s\n", message);
		return 1;
	}
	if ((f = fopen(pub, "r")) == NULL ||
	    fgets(pub, sizeof(pub), f) == NULL)
		return 2;
	fputs(pub, stdout);
	return 0;
}
