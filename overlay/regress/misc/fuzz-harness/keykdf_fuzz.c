/*
 * A private key file: what "ssh-keygen -l -v" shows of its encryption without a
 * passphrase is what the reader uses then, nothing is derived without one or
 * where nothing can be shown, and never more than once: rounds without bound are
 * the user's to interrupt, but only in the one place.
 */
#define bcrypt_pbkdf kdf_hook	/* that of this file, below */
#include "sshkey.c"

int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static u_int kdf_calls, kdf_rounds;
static size_t kdf_keylen;

int
kdf_hook(const char *pass, size_t passlen, const uint8_t *salt, size_t saltlen,
    uint8_t *key, size_t keylen, unsigned int nrounds)
{
	kdf_calls++;
	kdf_rounds = nrounds;
	kdf_keylen = keylen;
	memset(key, 0, keylen);
	return nrounds == 0 || saltlen == 0 ? -1 : 0;
}

static void
read_key(struct sshbuf *blob, const char *passphrase)
{
	struct sshkey *key = NULL;
	char *comment = NULL;

	kdf_calls = kdf_rounds = 0;
	(void)sshkey_parse_private_fileblob(blob, passphrase, &key, &comment);
	sshkey_free(key);
	free(comment);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sshcipher *cipher;
	struct sshbuf *blob;
	char *ciphername, *kdfname;
	u_int n;
	int r;

	if ((blob = sshbuf_from(data, size)) == NULL)
		abort();
	kdf_calls = 0;
	r = sshkey_private_fileblob_kdf(blob, &ciphername, &kdfname, &n);
	if (kdf_calls != 0)
		abort();
	read_key(blob, "");
	if (kdf_calls != 0)
		abort();
	read_key(blob, "passphrase");
	if (kdf_calls > 1)
		abort();
	if (kdf_calls == 1 && kdf_rounds != 0) {
		if (r != 0 || kdfname == NULL || n != kdf_rounds ||
		    strcmp(kdfname, KDFNAME) != 0 ||
		    (cipher = cipher_by_name(ciphername)) == NULL ||
		    kdf_keylen != cipher_keylen(cipher) + cipher_ivlen(cipher))
			abort();
	}
	if (kdf_calls == 1 && kdf_rounds == 0 && r == 0)
		abort();
	free(ciphername);
	free(kdfname);
	sshbuf_free(blob);
	return 0;
}
