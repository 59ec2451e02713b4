/*
 * Tries bcrypt_pbkdf() of a tree with our series, ours(), against that of
 * one without, stock(). See build.sh for how they come together.
 *
 * usage: kdf vectors       the stored vectors of upstream's unit test
 *        kdf lengths STEP  key lengths from 1 to 1024 in steps of STEP
 *        kdf random N SEED N random inputs
 *        kdf refusals      inputs that are refused, and no memory
 *        kdf stack         prints, for both: the stack used, in bytes, how
 *                          much of that is not zero afterwards, and how many
 *                          words of the passphrase's hash and of the key are
 *                          found there
 *        kdf stdin         reads "ROUNDS LENGTH PASSPHRASE SALT" lines (the
 *                          latter two in hex), prints keys in hex
 *        kdf time N        prints CSV: key length, code, run (0 to N - 1),
 *                          milliseconds of CPU time for one round
 *
 * Exits 0 if all is as it should be, 1 with one line if not, 2 on bad usage.
 */

#define _GNU_SOURCE	/* memmem */
#include <sys/types.h>

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "vectors.h"

#define KEY_MAX		1024
#define SALT_MAX	(1 << 20)
#define GUARD		0xa5
#define MAXIMUM(a, b)	((a) > (b) ? (a) : (b))
#define STACK_SIZE	(128 * 1024)

typedef int kdf_func(const char *, size_t, const uint8_t *, size_t,
    uint8_t *, size_t, unsigned int);

kdf_func ours, stock;
int crypto_hash_sha512(unsigned char *, const unsigned char *,
    unsigned long long);

/* What the function under test called; includes.h points it here. */
static int no_memory;
static size_t freed;
static void *random_buf;
static size_t random_len;

void	 kdf_random(void *, size_t);
void	*kdf_calloc(size_t, size_t);
void	 kdf_freezero(void *, size_t);

void
kdf_random(void *buf, size_t len)
{
	random_buf = buf;
	random_len = len;
}

void *
kdf_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : calloc(n, size);
}

void
kdf_freezero(void *p, size_t len)
{
	freed = len;
	memset(p, 0, len);
	free(p);
}

static size_t
unhex(const char *hex, uint8_t *buf, size_t max)
{
	size_t len = strlen(hex) / 2, i;
	unsigned int byte;

	if (strlen(hex) % 2 != 0 || len > max)
		errx(2, "bad hex: %s", hex);
	for (i = 0; i < len; i++) {
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1)
			errx(2, "bad hex: %s", hex);
		buf[i] = byte;
	}
	return len;
}

static uint64_t seed;

static uint32_t
rnd(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed >> 32;
}

static void
fill(uint8_t *buf, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = rnd();
}

static void
vectors(void)
{
	uint8_t pass[512], salt[64], key[KEY_MAX], got[KEY_MAX];
	size_t i, passlen, saltlen, keylen;

	for (i = 0; i < sizeof(kdf_vectors) / sizeof(*kdf_vectors); i++) {
		passlen = unhex(kdf_vectors[i].pass, pass, sizeof(pass));
		saltlen = unhex(kdf_vectors[i].salt, salt, sizeof(salt));
		keylen = unhex(kdf_vectors[i].key, key, sizeof(key));
		if (ours((char *)pass, passlen, salt, saltlen, got, keylen,
		    kdf_vectors[i].rounds) != 0)
			errx(1, "vector %zu: refused", i);
		if (memcmp(key, got, keylen) != 0)
			errx(1, "vector %zu: another key", i);
	}
	printf("%zu vectors\n", i);
}

/* Both functions on the same input: same key, nothing written beyond it. */
static void
same(const uint8_t *pass, size_t passlen, const uint8_t *salt, size_t saltlen,
    size_t keylen, unsigned int rounds)
{
	uint8_t a[KEY_MAX + 64], b[KEY_MAX + 64];

	memset(a, GUARD, sizeof(a));
	memset(b, GUARD, sizeof(b));
	if (ours((const char *)pass, passlen, salt, saltlen, a, keylen,
	    rounds) != 0 || freed != saltlen + 4)
		errx(1, "ours failed");
	if (stock((const char *)pass, passlen, salt, saltlen, b, keylen,
	    rounds) != 0)
		errx(1, "stock failed");
	if (memcmp(a, b, sizeof(a)) != 0)
		errx(1, "not the same: passphrase of %zu bytes, salt of %zu, "
		    "key of %zu, %u rounds", passlen, saltlen, keylen, rounds);
}

static void
lengths(size_t step)
{
	uint8_t pass[16], salt[16];
	size_t len;

	for (len = 1; len <= KEY_MAX; len += step) {
		fill(pass, sizeof(pass));
		fill(salt, sizeof(salt));
		same(pass, sizeof(pass), salt, sizeof(salt), len, 1 + len % 2);
	}
}

/* Mostly what keys have, sometimes anything at all. */
static void
random_inputs(unsigned int n)
{
	static uint8_t pass[1024], salt[SALT_MAX];
	size_t passlen, saltlen, keylen;
	unsigned int rounds;

	while (n-- > 0) {
		passlen = 1 + rnd() % (rnd() % 8 == 0 ? sizeof(pass) : 64);
		saltlen = 1 + rnd() % (rnd() % 16 == 0 ? sizeof(salt) : 32);
		keylen = 1 + rnd() % (rnd() % 16 == 0 ? KEY_MAX : 96);
		rounds = 1 + rnd() % (keylen > 96 ? 1 : 3);
		fill(pass, passlen);
		fill(salt, saltlen);
		same(pass, passlen, salt, saltlen, keylen, rounds);
	}
}

/* Both refuse, fill the key at random and touch nothing. */
static void
refused(const char *what, size_t passlen, size_t saltlen, size_t keylen,
    unsigned int rounds)
{
	static uint8_t salt[SALT_MAX + 1];
	static uint8_t key[KEY_MAX + 2];
	kdf_func *f[] = { ours, stock };
	size_t i, j;

	for (i = 0; i < 2; i++) {
		memset(key, GUARD, sizeof(key));
		random_buf = NULL;
		random_len = -1;
		if (f[i]("password", passlen, salt, saltlen, key, keylen,
		    rounds) != -1)
			errx(1, "%s: not refused", what);
		if (random_buf != key || random_len != keylen)
			errx(1, "%s: key not overwritten", what);
		for (j = 0; j < sizeof(key); j++)
			if (key[j] != GUARD)
				errx(1, "%s: key touched", what);
	}
}

static void
refusals(void)
{
	static uint8_t salt[SALT_MAX];

	refused("no passphrase", 0, 4, 32, 1);
	refused("no salt", 8, 0, 32, 1);
	refused("no key", 8, 4, 0, 1);
	refused("no rounds", 8, 4, 32, 0);
	refused("long key", 8, 4, KEY_MAX + 1, 1);
	refused("long salt", 8, SALT_MAX + 1, 32, 1);
	no_memory = 1;
	refused("no memory, one block", 8, 4, 32, 1);
	refused("no memory, two blocks", 8, 4, 64, 1);
	refused("no memory, odd block", 8, 4, 96, 1);
	no_memory = 0;
	/* and these are not */
	same((const uint8_t *)"p", 1, salt, sizeof(salt), 1, 1);
	same((const uint8_t *)"p", 1, salt, 1, KEY_MAX, 1);
}

static kdf_func *on_stack_func;
static uint8_t on_stack_key[64];

static void
on_stack(void)
{
	(void)on_stack_func("password", 8, (const uint8_t *)"salt", 4,
	    on_stack_key, sizeof(on_stack_key), 2);
}

/* The words of a secret, in either byte order, that are found in buf. */
static size_t
found(const uint8_t *buf, size_t len, const uint8_t *secret, size_t secretlen)
{
	uint8_t swapped[4];
	size_t i, j, n = 0;

	for (i = 0; i + 4 <= secretlen; i += 4) {
		for (j = 0; j < 4; j++)
			swapped[j] = secret[i + 3 - j];
		n += memmem(buf, len, secret + i, 4) != NULL ||
		    memmem(buf, len, swapped, 4) != NULL;
	}
	return n;
}

/*
 * How deep a function goes, on a painted stack of its own, and what it leaves
 * there. The key is looked for as it is and as the two blocks it is made of.
 */
static void
stack(const char *name, kdf_func *f)
{
	static uint8_t area[STACK_SIZE];
	static ucontext_t back, there;
	uint8_t pass[64], block[2][32];
	size_t i, start, left;

	memset(area, GUARD, sizeof(area));
	on_stack_func = f;
	if (getcontext(&there) != 0)
		err(1, "getcontext");
	there.uc_stack.ss_sp = area;
	there.uc_stack.ss_size = sizeof(area);
	there.uc_link = &back;
	makecontext(&there, on_stack, 0);
	if (swapcontext(&back, &there) != 0)
		err(1, "swapcontext");
	for (i = 0; i < sizeof(area) && area[i] == GUARD; i++)
		;
	if (i == 0)
		errx(1, "%s: more than %zu bytes of stack", name, sizeof(area));
	left = 0;
	for (start = i; i < sizeof(area); i++)
		left += area[i] != GUARD && area[i] != 0;
	(void)crypto_hash_sha512(pass, (const uint8_t *)"password", 8);
	for (i = 0; i < 64; i++)
		block[i % 2][i / 2] = on_stack_key[i];
	printf("%s %zu %zu %zu\n", name, sizeof(area) - start, left,
	    found(area, sizeof(area), pass, sizeof(pass)) +
	    found(area, sizeof(area), block[0], sizeof(block)) +
	    found(area, sizeof(area), on_stack_key, sizeof(on_stack_key)));
}

static void
from_stdin(void)
{
	static char line[8192], pass_hex[4096], salt_hex[4096];
	uint8_t pass[2048], salt[2048], key[KEY_MAX];
	size_t passlen, saltlen, keylen, i;
	unsigned int rounds;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (sscanf(line, "%u %zu %4095s %4095s", &rounds, &keylen,
		    pass_hex, salt_hex) != 4 || keylen > sizeof(key))
			errx(2, "bad input: %s", line);
		passlen = unhex(pass_hex, pass, sizeof(pass));
		saltlen = unhex(salt_hex, salt, sizeof(salt));
		if (ours((char *)pass, passlen, salt, saltlen, key, keylen,
		    rounds) != 0)
			errx(1, "refused: %s", line);
		for (i = 0; i < keylen; i++)
			printf("%02x", key[i]);
		putchar('\n');
	}
}

static double
cpu_ms(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) != 0)
		err(1, "clock_gettime");
	return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

/* In turns, so that both see the same machine. */
static void
time_rounds(unsigned int n)
{
	static const size_t keylens[] = { 16, 32, 44, 48, 64 };
	static const struct {
		const char *name;
		kdf_func *f;
	} code[] = { { "stock", stock }, { "ours", ours } };
	const unsigned int rounds = 4;
	uint8_t key[64];
	unsigned int run;
	size_t i, j;
	double start;

	for (run = 0; run < n; run++) {
		for (i = 0; i < sizeof(keylens) / sizeof(*keylens); i++) {
			for (j = 0; j < 2; j++) {
				start = cpu_ms();
				if (code[j].f("password", 8,
				    (const uint8_t *)"salt", 4, key,
				    keylens[i], rounds) != 0)
					errx(1, "refused");
				printf("%zu,%s,%u,%.4f\n", keylens[i],
				    code[j].name, run,
				    (cpu_ms() - start) / rounds);
			}
		}
	}
}

int
main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (strcmp(verb, "vectors") == 0 && argc == 2)
		vectors();
	else if (strcmp(verb, "lengths") == 0 && argc == 3)
		lengths(MAXIMUM(strtoul(argv[2], NULL, 10), 1));
	else if (strcmp(verb, "random") == 0 && argc == 4) {
		seed = strtoull(argv[3], NULL, 10);
		random_inputs(strtoul(argv[2], NULL, 10));
	} else if (strcmp(verb, "refusals") == 0 && argc == 2)
		refusals();
	else if (strcmp(verb, "stack") == 0 && argc == 2) {
		stack("ours", ours);
		stack("stock", stock);
	} else if (strcmp(verb, "stdin") == 0 && argc == 2)
		from_stdin();
	else if (strcmp(verb, "time") == 0 && argc == 3)
		time_rounds(strtoul(argv[2], NULL, 10));
	else
		errx(2, "bad usage, see the top of kdf.c");
	if (fflush(stdout) != 0)
		err(1, "stdout");
	return 0;
}
