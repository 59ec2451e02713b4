/*
 * Changes a configuration of sshd by what it consists of: lines, keywords,
 * Match criteria, Include, quotes, comments and line ends. See servconf_fuzz.c.
 */
#include "includes.h"

#include <sys/types.h>

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "servconf_fuzz.h"

size_t	LLVMFuzzerMutate(uint8_t *, size_t, size_t);
size_t	LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned int);

static const char *const criteria[] = {
	"User alice", "User=a*", "User \"alice,bob\"", "Group staff", "group=s*",
	"Invalid-User", "Host *.example.net", "host=h.*,!x", "Host 192.0.2.*",
	"Address 192.0.2.0/24", "address=2001:db8::/32", "Address !192.0.2.1,*",
	"LocalAddress 198.51.100.1", "LocalAddress ::1", "LocalPort 2222",
	"localport=22", "RDomain *", "rdomain=vrf", "Version OpenSSH_*",
	"Version=none", "all", "All", "Address", "Exec true", "#",
};
static const char *const values[] = {
	"yes", "no", "YES", "No", "none", "any", "all", "0", "1", "22", "-1", "1m",
	"10:30:60", "/a", "~/a", "a b", "%u", "*", "*.a", "!a", "+aes128-ctr",
	"-*", "^ssh-ed25519", "sha256", "INFO", "without-password", "delayed",
	"127.0.0.1", "[::1]:22", "a@b", "A=b", "publickey,password", "1G 1h",
	"default", "none none", "cs1", "crash:10", "session=5m", "DEBUG3", "\"",
};
static const char *const directive_values[] = {
	"yes", "no", "no", "No", "\"no\"", "yes no", "maybe", "", "no # a",
};
static const char *const includes[] = {
	"1", "2", "3", "*", "[12]", "/etc/ssh/3", "4", "1 2", "\"2\"",
};
static const char *const separators[] = { " ", " ", " ", "\t", "=", " = ", "  " };
static const char *const ends[] = { "\n", "\n", "\n", "\r\n", "\r", " \n", " # a\n" };

#define PICK(from)	((from)[rnd() % (sizeof(from) / sizeof(*(from)))])

static uint64_t state;

static uint32_t
rnd(void)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 33;
}

/* A line of its own making, of less than "size" bytes */
static void
new_line(char *line, size_t size)
{
	char word[64];
	size_t i;
	int n;

	switch (rnd() % 8) {
	case 0:
	case 1:
		snprintf(line, size, "AdvertisePing%s%s%s", PICK(separators),
		    PICK(directive_values), PICK(ends));
		return;
	case 2:
	case 3:
		n = snprintf(line, size, "Match %s", PICK(criteria));
		for (i = rnd() % 3; i > 0; i--)
			n += snprintf(line + n, size - n, " %s", PICK(criteria));
		snprintf(line + n, size - n, "%s", PICK(ends));
		return;
	case 4:
		snprintf(line, size, "Include %s%s", PICK(includes), PICK(ends));
		return;
	case 5:
		snprintf(line, size, "=== \n");
		return;
	}
	snprintf(word, sizeof(word), "%s", ours_keyword(rnd()));
	for (i = 0; word[i] != '\0'; i++)
		word[i] = rnd() % 4 == 0 ? toupper((u_char)word[i]) : word[i];
	snprintf(line, size, "%s%s%s%s", word, PICK(separators), PICK(values),
	    PICK(ends));
}

/* Put a text in place of old bytes at a position. Returns the new size. */
static size_t
replace(uint8_t *data, size_t size, size_t max, size_t pos, size_t old,
    const char *text)
{
	size_t len = strlen(text);

	if (size - old + len > max)
		return size;
	memmove(data + pos + len, data + pos + old, size - pos - old);
	memcpy(data + pos, text, len);
	return size - old + len;
}

/* The beginning of some line, and its length with its end */
static size_t
some_line(const uint8_t *data, size_t size, size_t *lenp)
{
	size_t start = size == 0 ? 0 : rnd() % size, end;

	while (start > 0 && data[start - 1] != '\n')
		start--;
	for (end = start; end < size && data[end++] != '\n';)
		;
	*lenp = end - start;
	return start;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
    unsigned int seed)
{
	char line[512];
	size_t pos, len, other, otherlen;

	state = seed;
	pos = some_line(data, size, &len);
	switch (rnd() % 10) {
	case 0:
		return LLVMFuzzerMutate(data, size, max);
	case 1:			/* take away */
		return replace(data, size, max, pos, len, "");
	case 2:			/* copy */
		other = some_line(data, size, &otherlen);
		if (otherlen >= sizeof(line))
			return size;
		memcpy(line, data + other, otherlen);
		line[otherlen] = '\0';
		return replace(data, size, max, pos, 0, line);
	case 3:			/* end */
		return replace(data, size, max, pos + len - (len > 0), len > 0,
		    rnd() % 4 == 0 ? "" : PICK(ends));
	case 4:			/* begin */
		return replace(data, size, max, pos, 0,
		    rnd() % 2 ? "#" : rnd() % 2 ? "\t " : "\"");
	case 5:			/* a character of it */
		pos += len == 0 ? 0 : rnd() % len;
		return replace(data, size, max, pos, pos < size,
		    rnd() % 2 ? PICK(separators) : rnd() % 2 ? "\"" : "");
	case 6:			/* another one for it */
		new_line(line, sizeof(line));
		return replace(data, size, max, pos, len, line);
	default:
		new_line(line, sizeof(line));
		return replace(data, size, max, pos, 0, line);
	}
}
