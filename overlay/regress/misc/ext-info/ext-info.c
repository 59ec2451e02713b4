/*
 * Copyright (c) 2026 openssh-hush developers
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * Connects to a server, exchanges keys, and prints the SSH2_MSG_EXT_INFO
 * messages that the server sends before it accepts a service request:
 * the payload as it is, the entry count, and the entries. Any host key is
 * accepted.
 *
 * With -i and -l it then authenticates and sends SSH2_MSG_PING whether or
 * not that was offered, and prints "pong" if the server answers it.
 *
 * Exits 0 if everything went as expected, 1 on any error and 2 on bad usage.
 */

#include "includes.h"

#include <sys/types.h>
#include <sys/socket.h>

#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ssherr.h"
#include "sshbuf.h"
#include "sshkey.h"
#include "authfile.h"
#include "packet.h"
#include "kex.h"
#include "ssh_api.h"
#include "ssh2.h"
#include "log.h"
#include "match.h"

#define PROBE_TIMEOUT	30	/* seconds, for everything */

static int sock = -1;

static void
usage(void)
{
	fprintf(stderr, "usage: ext-info [-n] [-b bind_address] "
	    "[-i identity_file -l user] host port\n");
	exit(2);
}

static int
tcp_connect(const char *host, const char *port, const char *bind_addr)
{
	struct addrinfo hints, *ai, *bai = NULL;
	int r, fd;

	memset(&hints, 0, sizeof(hints));
	hints.ai_socktype = SOCK_STREAM;
	hints.ai_flags = AI_NUMERICHOST|AI_NUMERICSERV;
	if ((r = getaddrinfo(host, port, &hints, &ai)) != 0)
		fatal("address %s port %s: %s", host, port, gai_strerror(r));
	if ((fd = socket(ai->ai_family, ai->ai_socktype, 0)) == -1)
		fatal("socket: %s", strerror(errno));
	if (bind_addr != NULL) {
		if ((r = getaddrinfo(bind_addr, NULL, &hints, &bai)) != 0)
			fatal("bind address %s: %s", bind_addr,
			    gai_strerror(r));
		if (bind(fd, bai->ai_addr, bai->ai_addrlen) == -1)
			fatal("bind %s: %s", bind_addr, strerror(errno));
		freeaddrinfo(bai);
	}
	if (connect(fd, ai->ai_addr, ai->ai_addrlen) == -1)
		fatal("connect %s port %s: %s", host, port, strerror(errno));
	freeaddrinfo(ai);
	return fd;
}

static void
omit_ext_info_c(struct ssh *ssh)
{
	char **proposal, *kexalgs;
	int r;

	if ((r = kex_buf2prop(ssh->kex->my, NULL, &proposal)) != 0)
		fatal_fr(r, "kex_buf2prop");
	kexalgs = proposal[PROPOSAL_KEX_ALGS];
	if ((proposal[PROPOSAL_KEX_ALGS] = match_filter_denylist(kexalgs,
	    "ext-info-c")) == NULL)
		fatal_f("match_filter_denylist failed");
	free(kexalgs);
	if ((r = kex_prop2buf(ssh->kex->my, proposal)) != 0)
		fatal_fr(r, "kex_prop2buf");
	kex_prop_free(proposal);
}

static int
accept_host_key(struct sshkey *key, struct ssh *ssh)
{
	return 0;
}

static void
send_output(struct ssh *ssh)
{
	const u_char *p;
	size_t len;
	ssize_t n;
	int r;

	while ((p = ssh_output_ptr(ssh, &len)) != NULL && len > 0) {
		if ((n = write(sock, p, len)) <= 0)
			fatal("write: %s", strerror(errno));
		if ((r = ssh_output_consume(ssh, n)) != 0)
			fatal_fr(r, "ssh_output_consume");
	}
}

/*
 * Returns the type of the next packet that is not part of key exchange, or
 * SSH_MSG_NONE once key exchange is complete if until_kex is set.
 */
static u_char
next_packet(struct ssh *ssh, int until_kex)
{
	u_char type, buf[4096];
	ssize_t n;
	int r;

	for (;;) {
		if ((r = ssh_packet_next(ssh, &type)) != 0)
			fatal_fr(r, "ssh_packet_next");
		send_output(ssh);
		if (type != SSH_MSG_NONE || (until_kex && ssh->kex->done))
			return type;
		if ((n = read(sock, buf, sizeof(buf))) == -1)
			fatal("read: %s", strerror(errno));
		if (n == 0)
			fatal("connection closed by server");
		if ((r = ssh_input_append(ssh, buf, n)) != 0)
			fatal_fr(r, "ssh_input_append");
	}
}

static void
put_packet(struct ssh *ssh, u_char type, struct sshbuf *b)
{
	int r;

	if ((r = ssh_packet_put(ssh, type, sshbuf_ptr(b), sshbuf_len(b))) != 0)
		fatal_fr(r, "ssh_packet_put");
	send_output(ssh);
}

static void
print_ext_info(struct ssh *ssh)
{
	struct sshbuf *b;
	const u_char *p;
	u_char *value;
	char *name, *hex;
	size_t len, vlen;
	u_int i, n;
	int r;

	p = ssh_packet_payload(ssh, &len);
	if ((b = sshbuf_from(p, len)) == NULL)
		fatal_f("sshbuf_from failed");
	if ((hex = sshbuf_dtob16(b)) == NULL)
		fatal_f("sshbuf_dtob16 failed");
	printf("payload %s\n", hex);
	free(hex);
	if ((r = sshbuf_get_u32(b, &n)) != 0)
		fatal_fr(r, "entry count");
	printf("count %u\n", n);
	for (i = 0; i < n; i++) {
		if ((r = sshbuf_get_cstring(b, &name, NULL)) != 0 ||
		    (r = sshbuf_get_string(b, &value, &vlen)) != 0)
			fatal_fr(r, "entry %u of %u", i + 1, n);
		printf("entry %s=%.*s\n", name, (int)vlen, value);
		free(name);
		free(value);
	}
	if (sshbuf_len(b) != 0)
		fatal("%zu bytes after the last entry", sshbuf_len(b));
	sshbuf_free(b);
}

static void
request_service(struct ssh *ssh)
{
	struct sshbuf *b;
	u_char type;
	int r;

	if ((b = sshbuf_new()) == NULL)
		fatal_f("sshbuf_new failed");
	if ((r = sshbuf_put_cstring(b, "ssh-userauth")) != 0)
		fatal_fr(r, "compose");
	put_packet(ssh, SSH2_MSG_SERVICE_REQUEST, b);
	sshbuf_free(b);
	while ((type = next_packet(ssh, 0)) != SSH2_MSG_SERVICE_ACCEPT) {
		/* With -n the server does not expect ours either */
		if (type == SSH2_MSG_UNIMPLEMENTED)
			continue;
		if (type != SSH2_MSG_EXT_INFO)
			fatal("unexpected message type %u", type);
		print_ext_info(ssh);
	}
}

static void
authenticate(struct ssh *ssh, const char *identity, const char *user)
{
	struct sshkey *key;
	struct sshbuf *b, *req;
	u_char *sig, *blob, type;
	size_t siglen, bloblen;
	int r;

	if ((r = sshkey_load_private(identity, "", &key, NULL)) != 0)
		fatal_r(r, "load %s", identity);
	if ((r = sshkey_to_blob(key, &blob, &bloblen)) != 0)
		fatal_fr(r, "sshkey_to_blob");
	if ((req = sshbuf_new()) == NULL || (b = sshbuf_new()) == NULL)
		fatal_f("sshbuf_new failed");
	if ((r = sshbuf_put_cstring(req, user)) != 0 ||
	    (r = sshbuf_put_cstring(req, "ssh-connection")) != 0 ||
	    (r = sshbuf_put_cstring(req, "publickey")) != 0 ||
	    (r = sshbuf_put_u8(req, 1)) != 0 ||
	    (r = sshbuf_put_cstring(req, sshkey_ssh_name(key))) != 0 ||
	    (r = sshbuf_put_string(req, blob, bloblen)) != 0 ||
	    (r = sshbuf_put_stringb(b, ssh->kex->session_id)) != 0 ||
	    (r = sshbuf_put_u8(b, SSH2_MSG_USERAUTH_REQUEST)) != 0 ||
	    (r = sshbuf_putb(b, req)) != 0)
		fatal_fr(r, "compose");
	if ((r = sshkey_sign(key, &sig, &siglen, sshbuf_ptr(b), sshbuf_len(b),
	    sshkey_ssh_name(key), NULL, NULL, 0)) != 0)
		fatal_fr(r, "sshkey_sign");
	if ((r = sshbuf_put_string(req, sig, siglen)) != 0)
		fatal_fr(r, "compose");
	put_packet(ssh, SSH2_MSG_USERAUTH_REQUEST, req);
	while ((type = next_packet(ssh, 0)) != SSH2_MSG_USERAUTH_SUCCESS) {
		if (type == SSH2_MSG_USERAUTH_FAILURE)
			fatal("authentication failed");
	}
	sshkey_free(key);
	sshbuf_free(req);
	sshbuf_free(b);
	free(sig);
	free(blob);
}

static void
ping(struct ssh *ssh)
{
	struct sshbuf *b;
	const u_char *p;
	size_t len;
	int r;

	if ((b = sshbuf_new()) == NULL)
		fatal_f("sshbuf_new failed");
	if ((r = sshbuf_put_cstring(b, "ext-info")) != 0)
		fatal_fr(r, "compose");
	put_packet(ssh, SSH2_MSG_PING, b);
	/* Other messages, such as host key announcements, may come first */
	while (next_packet(ssh, 0) != SSH2_MSG_PONG)
		;
	p = ssh_packet_payload(ssh, &len);
	if (len != sshbuf_len(b) || memcmp(p, sshbuf_ptr(b), len) != 0)
		fatal("pong does not match ping");
	printf("pong\n");
	sshbuf_free(b);
}

int
main(int argc, char **argv)
{
	struct ssh *ssh;
	char *bind_addr = NULL, *identity = NULL, *user = NULL;
	int ch, r, offer = 1;

	while ((ch = getopt(argc, argv, "b:i:l:n")) != -1) {
		switch (ch) {
		case 'b':
			bind_addr = optarg;
			break;
		case 'i':
			identity = optarg;
			break;
		case 'l':
			user = optarg;
			break;
		case 'n':
			offer = 0;	/* do not ask for EXT_INFO */
			break;
		default:
			usage();
		}
	}
	argc -= optind;
	argv += optind;
	if (argc != 2 || (identity == NULL) != (user == NULL))
		usage();

	log_init("ext-info", SYSLOG_LEVEL_INFO, SYSLOG_FACILITY_USER, 1);
	alarm(PROBE_TIMEOUT);
	if ((r = ssh_init(&ssh, 0, NULL)) != 0)
		fatal_fr(r, "ssh_init");
	if (!offer)
		omit_ext_info_c(ssh);
	if ((r = ssh_set_verify_host_key_callback(ssh, accept_host_key)) != 0)
		fatal_fr(r, "ssh_set_verify_host_key_callback");
	sock = tcp_connect(argv[0], argv[1], bind_addr);

	if (next_packet(ssh, 1) == SSH2_MSG_EXT_INFO)
		print_ext_info(ssh);
	request_service(ssh);
	if (identity != NULL) {
		authenticate(ssh, identity, user);
		ping(ssh);
	}
	ssh_free(ssh);
	close(sock);
	return 0;
}
