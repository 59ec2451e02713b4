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
 * Regress test for bcrypt_pbkdf()
 */

#include "includes.h"

#include <sys/types.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test_helper/test_helper.h"

#include "vectors.h"

#define BLOCK	32
#define KEY_MAX	(BLOCK * BLOCK)
#define GUARD	0xa5

static size_t
unhex(const char *hex, uint8_t *buf, size_t max)
{
	size_t len = strlen(hex) / 2, i;
	u_int byte;

	ASSERT_SIZE_T_LE(len, max);
	for (i = 0; i < len; i++) {
		ASSERT_INT_EQ(sscanf(hex + 2 * i, "%2x", &byte), 1);
		buf[i] = byte;
	}
	return len;
}

static void
vectors(void)
{
	uint8_t pass[512], salt[64], key[KEY_MAX], got[KEY_MAX + 1];
	size_t i, passlen, saltlen, keylen;

	TEST_START("bcrypt_pbkdf vectors");
	for (i = 0; i < sizeof(kdf_vectors) / sizeof(*kdf_vectors); i++) {
		test_subtest_info("vector %zu", i);
		passlen = unhex(kdf_vectors[i].pass, pass, sizeof(pass));
		saltlen = unhex(kdf_vectors[i].salt, salt, sizeof(salt));
		keylen = unhex(kdf_vectors[i].key, key, sizeof(key));
		got[keylen] = GUARD;
		ASSERT_INT_EQ(bcrypt_pbkdf((char *)pass, passlen, salt,
		    saltlen, got, keylen, kdf_vectors[i].rounds), 0);
		ASSERT_MEM_EQ(got, key, keylen);
		ASSERT_U8_EQ(got[keylen], GUARD);
	}
	TEST_DONE();
}

/*
 * A key is the bytes of its blocks in turns. There are 32 blocks in the
 * longest one, and shorter ones begin with the same blocks, whether a block
 * is computed beside another one or alone.
 */
static void
lengths(void)
{
	uint8_t all[KEY_MAX], key[KEY_MAX];
	size_t nblocks, len, i;

	TEST_START("bcrypt_pbkdf key lengths");
	ASSERT_INT_EQ(bcrypt_pbkdf("password", 8, (const uint8_t *)"salt", 4,
	    all, sizeof(all), 1), 0);
	for (nblocks = 1; nblocks <= BLOCK; nblocks++) {
		len = nblocks * BLOCK - nblocks / 2;
		test_subtest_info("%zu bytes", len);
		memset(key, GUARD, sizeof(key));
		ASSERT_INT_EQ(bcrypt_pbkdf("password", 8,
		    (const uint8_t *)"salt", 4, key, len, 1), 0);
		for (i = 0; i < len; i++) {
			ASSERT_U8_EQ(key[i],
			    all[i / nblocks * BLOCK + i % nblocks]);
		}
		for (; i < sizeof(key); i++)
			ASSERT_U8_EQ(key[i], GUARD);
	}
	TEST_DONE();
}

/* What is refused is overwritten: the key is not what it was before. */
static void
refuse(const char *what, size_t passlen, size_t saltlen, size_t keylen,
    u_int rounds)
{
	uint8_t key[KEY_MAX + 2], before[KEY_MAX + 2];
	uint8_t *salt;

	test_subtest_info("%s", what);
	memset(key, GUARD, sizeof(key));
	memset(before, GUARD, sizeof(before));
	ASSERT_PTR_NE((salt = calloc(1, saltlen + 1)), NULL);
	ASSERT_INT_EQ(bcrypt_pbkdf("password", passlen, salt, saltlen,
	    key, keylen, rounds), -1);
	if (keylen != 0)
		ASSERT_MEM_NE(key, before, keylen);
	ASSERT_MEM_EQ(key + keylen, before + keylen, sizeof(key) - keylen);
	free(salt);
}

static void
refusals(void)
{
	TEST_START("bcrypt_pbkdf refusals");
	refuse("no passphrase", 0, 16, 48, 1);
	refuse("no salt", 8, 0, 48, 1);
	refuse("no key", 8, 16, 0, 1);
	refuse("long key", 8, 16, KEY_MAX + 1, 1);
	refuse("no rounds", 8, 16, 48, 0);
	refuse("long salt", 8, (1 << 20) + 1, 48, 1);
	TEST_DONE();
}

void
tests(void)
{
	vectors();
	lengths();
	refusals();
}

/* test_helper.c of 10.3 and later wants it, and has the prototype */
void benchmarks(void);

void
benchmarks(void)
{
}
