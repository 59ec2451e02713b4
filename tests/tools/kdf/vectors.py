#!/usr/bin/python3
"""Vectors for bcrypt_pbkdf from an implementation that is neither ours nor
upstream's: bcrypt.kdf of Debian's python3-bcrypt.

usage: vectors.py header           print vectors.h of upstream's unit test
       vectors.py compare N SEED COMMAND...
                                   compare N random inputs with what COMMAND
                                   (kdf stdin, see kdf.c) makes of them

It takes keys of up to 512 bytes only, so that longer ones are left to the
comparison with upstream's code. Exits 0 if all is the same, 1 with one line
if not, 2 on bad usage.
"""
import hashlib
import random
import subprocess
import sys
import threading

import bcrypt

KEY_MAX = 512

LOREM = (b"Lorem ipsum dolor sit amet, consectetur adipisicing elit, sed do "
         b"eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim "
         b"ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut "
         b"aliquip ex ea commodo consequat. Duis aute irure dolor in "
         b"reprehenderit in voluptate velit esse cillum dolore eu fugiat nulla "
         b"pariatur. Excepteur sint occaecat cupidatat non proident, sunt in "
         b"culpa qui officia deserunt mollit anim id est laborum.")

# Published: those of OpenBSD's own regress test of bcrypt_pbkdf(3), which
# other implementations have taken over, and some of pyca/bcrypt's.
PUBLISHED = (
    (4, b"password", b"salt",
     "5bbf0cc293587f1c3635555c27796598d47e579071bf427e9d8fbe842aba34d9"),
    (4, b"password", b"\0", "c12b566235eee04c212598970a579a67"),
    (4, b"\0", b"salt", "6051be18c2f4f82cbf0efee5471b4bb9"),
    (4, b"password\0", b"salt\0",
     "7410e44cf4fa07bfaac8a928b1727fac001375e7bf7384370f48efd121743050"),
    (4, b"pass\0wor", b"sa\0l", "c2bffd9db38f6569efef4372f4de83c0"),
    (4, b"pass\0word", b"sa\0lt", "4ba4ac3925c0e8d7f0cdb6bb1684a56f"),
    (8, b"password", b"salt",
     "e1367ec5151a33faac4cc1c144cd23fa15d5548493ecc99b9b5d9c0d3b27bec7"
     "6227ea66088b849b20ab7aa478010246e74bba51723fefa9f9474d6508845e8d"),
    (42, b"password", b"salt", "833cf0dcf56db65608e8f0dc0ce882bd"),
    (8, LOREM, b"salis\0", "10978b07253df57f71a162eb0e8ad30a"),
    (8, bytes.fromhex("0db3ac94b3ee53284f4a22893b3c24ae"),
     bytes.fromhex("3a62f0f0dbcef823cfcc854856ea1028"),
     "204438175eee7ce136c91b49a67923ff"),
    (8, bytes.fromhex("0db3ac94b3ee53284f4a22893b3c24ae"),
     bytes.fromhex("3a62f0f0dbcef823cfcc854856ea1028"),
     "2054b9fff34e3721440334746828e9ed38de4b72e0a69adc170a13b5e8d646385e"
     "a4034ae6d26600ee2332c5ed40ad557c86e3403fbb30e4e1dc1ae06b99a071368f"
     "518d2c426651c9e7e437fd6c915b1bbfc3a4cea71491490ea7afb7dd0290a678a4"
     "f441128db1792eab2776b21eb4238e0715add4127dff44e4b3e4cc4c4f9970083f"
     "3f74bd698873fdf648844f75c9bf7f9e0c4d9e5d89a7783997492966616707611c"
     "b901de31a19726b6e08c3a8001661f2d5c9dcc33b4aa072f90dd0b3f548d5eeba4"
     "211397e2fb062e526e1d68f46a4ce256185b4badc2685fbe78e1c7657b59f83ab9"
     "ab80cf9318d6add1f5933f12d6f36182c8e8115f68030a1244"),
)

# Lengths around one, two and more blocks, odd and even numbers of them, and
# those of ssh-keygen's ciphers (key and IV: 24, 32, 40, 44, 48, 64).
LENGTHS = (1, 24, 31, 32, 33, 40, 44, 48, 63, 64, 65, 95, 96, 97, 128, 129,
           160, 255, 257, 511, 512)


def kdf(passphrase, salt, length, rounds):
    return bcrypt.kdf(passphrase, salt, length, rounds,
                      ignore_few_rounds=True)


def stream(name, length):
    """LENGTH bytes that are always the same for NAME."""
    return hashlib.shake_256(name.encode()).digest(length)


def made():
    for n, length in enumerate(LENGTHS):
        passphrase = stream(f"passphrase {n}", 1 + 7 * n)
        salt = stream(f"salt {n}", 16 if n % 2 == 0 else 1 + n)
        yield (1 + n % 3, passphrase, salt,
               kdf(passphrase, salt, length, 1 + n % 3).hex())


def string(indent, value):
    """VALUE as a C string of short lines."""
    parts = [value[i:i + 64] for i in range(0, len(value), 64)]
    return "\n".join(f'{indent}"{p}"' for p in parts)


def header():
    for rounds, passphrase, salt, key in PUBLISHED:
        if kdf(passphrase, salt, len(key) // 2, rounds).hex() != key:
            sys.exit(f"vectors.py: bcrypt.kdf differs from the published {key}")
    print("""/*
 * Vectors for bcrypt_pbkdf(), in hex: published ones, then some that another
 * implementation (pyca/bcrypt) made. Written by a script; do not edit.
 */

static const struct {
	unsigned int rounds;
	const char *pass, *salt, *key;
} kdf_vectors[] = {""")
    for rounds, passphrase, salt, key in (*PUBLISHED, *made()):
        print(f"\t{{ {rounds},")
        print(string("\t    ", passphrase.hex()) + ",")
        print(string("\t    ", salt.hex()) + ",")
        print(string("\t    ", key) + " },")
    print("};")


def inputs(count, seed):
    """Mostly what keys have, sometimes anything at all."""
    rng = random.Random(seed)
    for _ in range(count):
        anything = rng.randrange(32) == 0
        yield (1 if anything else rng.choice((1, 1, 1, 2, 3)),
               rng.randint(1, KEY_MAX if anything else 64),
               rng.randbytes(rng.randint(1, 1024 if anything else 64)),
               rng.randbytes(rng.randint(1, 1024 if anything else 32)))


def compare(count, seed, command):
    lines = "".join(f"{r} {n} {p.hex()} {s.hex()}\n"
                    for r, n, p, s in inputs(count, seed))
    with subprocess.Popen(command, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as other:
        answers = []
        # It computes while we do, and we must not wait for each other.
        reader = threading.Thread(
            target=lambda: answers.extend(other.stdout.read().split()))
        reader.start()
        other.stdin.write(lines)
        other.stdin.close()
        expected = [kdf(p, s, n, r).hex() for r, n, p, s in
                    inputs(count, seed)]
        reader.join()
    if other.returncode != 0:
        sys.exit(f"vectors.py: {command[0]} exited {other.returncode}")
    if len(answers) != count:
        sys.exit(f"vectors.py: {len(answers)} answers for {count} inputs")
    for line, want, got in zip(lines.splitlines(), expected, answers):
        if want != got:
            sys.exit(f"vectors.py: differs for: {line}")
    print(f"{count} inputs, seed {seed}")


def main(argv):
    if argv[1:] == ["header"]:
        header()
    elif len(argv) > 4 and argv[1] == "compare":
        compare(int(argv[2]), int(argv[3]), argv[4:])
    else:
        sys.stderr.write(__doc__)
        sys.exit(2)


main(sys.argv)
