/*
 * What upstream's bcrypt_pbkdf.c, blowfish.c, hash.c and sha2.c need of its
 * includes.h, for any architecture and without configure: see kdf.c. It is
 * given to the compiler by -include, and takes the place of the real one.
 */
#ifndef INCLUDES_H
#define INCLUDES_H

#include <sys/types.h>

#include <endian.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __bounded__(a, b, c)
#define DEF_WEAK(x)	void kdf_unused_##x(void)

#include "openbsd-compat/blf.h"
#include "openbsd-compat/sha2.h"

/* kdf.c looks at what these are called with */
#define arc4random_buf	kdf_random
#define calloc		kdf_calloc
#define freezero	kdf_freezero

void	 kdf_random(void *, size_t);
void	*kdf_calloc(size_t, size_t);
void	 kdf_freezero(void *, size_t);

/* bcrypt_pbkdf() itself is renamed by -D: ours and upstream's */
int	 bcrypt_pbkdf(const char *, size_t, const uint8_t *, size_t,
    uint8_t *, size_t, unsigned int);

#endif
