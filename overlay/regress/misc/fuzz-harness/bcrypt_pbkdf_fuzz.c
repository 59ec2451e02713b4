/*
 * bcrypt_pbkdf() of this tree against that of one without the series, which has
 * one lane: any passphrase, any salt, 1 to 8 rounds, 1 to 1024 bytes of output.
 * One hash takes 1 key expansion instead of 64 in both, see hush.mk.
 */
#include <sys/types.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int kdf_func(const char *, size_t, const uint8_t *, size_t, uint8_t *,
    size_t, unsigned int);

kdf_func kdf_ours, kdf_stock;
int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *ours, *stock;
	size_t passlen, keylen;
	unsigned int rounds;

	if (size < 4)
		return 0;
	rounds = 1 + (data[0] & 7);
	keylen = 1 + (data[0] >> 6) * 256 + data[1];
	/* Mostly what keys have: others take longer and tell no more */
	if ((data[0] & 0x38) != 0)
		keylen = 1 + keylen % 96;
	size -= 3;
	passlen = data[2] % (size + 1);
	data += 3;
	/* Of just that size, so that a byte too far is found */
	if ((ours = malloc(keylen)) == NULL || (stock = malloc(keylen)) == NULL)
		abort();
	memset(ours, 0, keylen);
	memset(stock, 0, keylen);
	if (kdf_ours((const char *)data, passlen, data + passlen,
	    size - passlen, ours, keylen, rounds) !=
	    kdf_stock((const char *)data, passlen, data + passlen,
	    size - passlen, stock, keylen, rounds))
		abort();
	/* A refusal leaves random bytes */
	if (passlen != 0 && passlen != size && memcmp(ours, stock, keylen) != 0)
		abort();
	free(ours);
	free(stock);
	return 0;
}
