/* usage: libssh KEY PASSPHRASE */
#include <stdio.h>

#include <libssh/libssh.h>

int
main(int argc, char **argv)
{
	ssh_key key;
	char *b64;

	if (argc != 3)
		return 2;
	ssh_set_log_level(SSH_LOG_WARNING);
	if (ssh_pki_import_privkey_file(argv[1], argv[2], NULL, NULL,
	    &key) != SSH_OK || ssh_pki_export_pubkey_base64(key,
	    &b64) != SSH_OK) {
		fprintf(stderr, "ssh_pki_import_privkey_file failed\n");
		return 1;
	}
	printf("%s %s\n", ssh_key_type_to_char(ssh_key_type(key)), b64);
	return 0;
}
