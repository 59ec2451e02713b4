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
 * What happens to private key files on their way through secrets of CI
 * systems, web forms and editors. Only files that did not load are looked at
 * here, to tell people what to mend; nothing of a file's content is shown.
 */

#include "includes.h"

#include <sys/types.h>

#include <stdio.h>
#include <string.h>

#include "authfile.h"
#include "log.h"
#include "sshbuf.h"
#include "ssherr.h"

#define MARK_BEGIN	"-----BEGIN "
#define MARK_END	"-----END "
#define MARK_KIND	"PRIVATE KEY-----"

/* A text and the marks in it; those that were not found are NULL. */
struct text {
	const u_char *start, *stop;
	const u_char *begin;	/* the BEGIN mark */
	const u_char *body;	/* what follows it */
	const u_char *end;	/* the END mark */
	const u_char *tail;	/* what follows it */
	int openssh;		/* in OpenSSH's own format */
};

enum test {
	STARTS_WITH, CONTAINS, ONE_LINE, BLANK_LINE_FIRST, INDENTED, NOT_FIRST,
	LONE_CR, NO_END, ENDS_AFTER_END, BLANK_AFTER_MARK, TEXT_AFTER_END
};

#define NOT_PEM		0x1	/* libcrypto does not mind it in PEM */
#define ANY_TEXT	0x2	/* there are no words to know a key file by */

/* The first one that a text has is what is wrong with it. */
static const struct {
	enum test test;
	const char *bytes;
	size_t len;
	int flags;
	const char *fault;
} faults[] = {
#define BYTES(s)	s, sizeof(s) - 1
#define NO_BYTES	NULL, 0
	{ STARTS_WITH, BYTES("\xff\xfe"), ANY_TEXT,
	    "it is UTF-16, and a byte order mark stands before BEGIN" },
	{ STARTS_WITH, BYTES("\xfe\xff"), ANY_TEXT,
	    "it is UTF-16, and a byte order mark stands before BEGIN" },
	{ STARTS_WITH, BYTES("-\0-\0"), ANY_TEXT, "it is UTF-16" },
	{ STARTS_WITH, BYTES("\0-\0-"), ANY_TEXT, "it is UTF-16" },
	{ STARTS_WITH, BYTES("LS0tLS1CRUdJTi"), ANY_TEXT,
	    "the whole file is base64-encoded once more" },
	{ STARTS_WITH, BYTES("\xef\xbb\xbf"), NOT_PEM,
	    "a UTF-8 byte order mark (BOM) stands before BEGIN" },
	{ CONTAINS, BYTES("\\n"), 0,
	    "its line breaks are missing, they are escaped as \\n" },
	{ STARTS_WITH, BYTES("\""), 0,
	    "a quotation mark stands before BEGIN" },
	{ STARTS_WITH, BYTES("'"), 0,
	    "a quotation mark stands before BEGIN" },
	{ STARTS_WITH, BYTES("\xe2\x80\x98"), 0,
	    "a typographic quotation mark stands before BEGIN" },
	{ STARTS_WITH, BYTES("\xe2\x80\x9c"), 0,
	    "a typographic quotation mark stands before BEGIN" },
	{ CONTAINS, BYTES("\xe2\x80\x91"), 0, /* non-breaking hyphen */
	    "its dashes have become typographic ones" },
	{ CONTAINS, BYTES("\xe2\x80\x93"), 0, /* en dash */
	    "its dashes have become typographic ones" },
	{ CONTAINS, BYTES("\xe2\x80\x94"), 0, /* em dash */
	    "its dashes have become typographic ones" },
	{ CONTAINS, BYTES("\xe2\x88\x92"), 0, /* minus sign */
	    "its dashes have become typographic ones" },
	{ STARTS_WITH, BYTES("\x96"), 0, /* the same in Windows-1252 */
	    "its dashes have become typographic ones" },
	{ STARTS_WITH, BYTES("\x97"), 0,
	    "its dashes have become typographic ones" },
	{ ONE_LINE, NO_BYTES, 0,
	    "its line breaks are missing" },
	{ BLANK_LINE_FIRST, NO_BYTES, NOT_PEM,
	    "a blank line stands before BEGIN" },
	{ INDENTED, NO_BYTES, 0,
	    "it is indented, blanks stand before BEGIN or END" },
	{ NOT_FIRST, NO_BYTES, NOT_PEM,
	    "other text stands before BEGIN" },
	{ CONTAINS, BYTES("\r\n"), NOT_PEM,
	    "its line ends are CRLF, not LF" },
	{ LONE_CR, NO_BYTES, 0,
	    "its line ends are CR, not LF" },
	{ NO_END, NO_BYTES, 0,
	    "it is truncated, END is missing" },
	{ ENDS_AFTER_END, NO_BYTES, NOT_PEM,
	    "it is truncated, there is no final newline after END" },
	{ BLANK_AFTER_MARK, NO_BYTES, NOT_PEM,
	    "there are blanks at its line ends" },
	{ TEXT_AFTER_END, NO_BYTES, NOT_PEM,
	    "other text follows END in its line" },
};

static int
is_blank(u_char c)
{
	return c == ' ' || c == '\t';
}

static int
is_break(u_char c)
{
	return c == '\n' || c == '\r';
}

/* The first byte from p on that is not a blank. */
static const u_char *
skip_blanks(const struct text *t, const u_char *p)
{
	while (p < t->stop && is_blank(*p))
		p++;
	return p;
}

static const u_char *
find(const struct text *t, const u_char *from, const char *what)
{
	if (from == NULL)
		return NULL;
	return memmem(from, t->stop - from, what, strlen(what));
}

static void
find_marks(const struct sshbuf *buf, struct text *t)
{
	const u_char *p;

	t->start = sshbuf_ptr(buf);
	t->stop = t->start + sshbuf_len(buf);
	t->openssh = find(t, t->start, "OPENSSH PRIVATE KEY") != NULL;
	t->begin = find(t, t->start, MARK_BEGIN);
	if ((p = find(t, t->begin, MARK_KIND)) != NULL)
		p += strlen(MARK_KIND);
	t->body = p;
	t->end = find(t, t->body, MARK_END);
	if ((p = find(t, t->end, MARK_KIND)) != NULL)
		p += strlen(MARK_KIND);
	t->tail = p;
}

/* No line break after BEGIN, or none before END. */
static int
is_one_line(const struct text *t)
{
	const u_char *p;

	p = skip_blanks(t, t->body);
	if (p < t->stop && !is_break(*p))
		return 1;
	if ((p = t->end) == NULL)
		return 0;
	while (is_blank(p[-1])) /* stops at the BEGIN mark */
		p--;
	return !is_break(p[-1]);
}

static int
starts_with_blank_line(const struct text *t)
{
	const u_char *p = skip_blanks(t, t->start);

	return p < t->begin && is_break(*p);
}

/* Faults in where BEGIN and END stand. */
static int
layout_is(const struct text *t, enum test test)
{
	const u_char *p;

	if (t->body == NULL)
		return 0;
	switch (test) {
	case ONE_LINE:
		return is_one_line(t);
	case BLANK_LINE_FIRST:
		return starts_with_blank_line(t);
	case INDENTED:
		return (t->begin > t->start && is_blank(t->begin[-1])) ||
		    (t->end != NULL && is_blank(t->end[-1]));
	case NOT_FIRST:
		return t->begin > t->start;
	case LONE_CR:
		p = skip_blanks(t, t->body);
		return p < t->stop && *p == '\r' &&
		    (p + 1 == t->stop || p[1] != '\n');
	case NO_END:
		return t->tail == NULL;
	case ENDS_AFTER_END:
		return skip_blanks(t, t->tail) == t->stop;
	case BLANK_AFTER_MARK:
		return is_blank(*t->body) || is_blank(*t->tail);
	case TEXT_AFTER_END:
		return !is_break(*t->tail);
	default:
		return 0;
	}
}

/*
 * Tell what is wrong with the text of a private key file that did not load.
 * Returns NULL if that is nothing of what is known here.
 */
static const char *
text_fault(const struct sshbuf *buf)
{
	struct text t;
	size_t i;
	int known, found;

	find_marks(buf, &t);
	known = find(&t, t.start, "PRIVATE KEY") != NULL;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (!known && (faults[i].flags & ANY_TEXT) == 0)
			continue;
		if (!t.openssh && (faults[i].flags & NOT_PEM) != 0)
			continue;
		switch (faults[i].test) {
		case STARTS_WITH:
			found = sshbuf_len(buf) >= faults[i].len &&
			    memcmp(t.start, faults[i].bytes,
			    faults[i].len) == 0;
			break;
		case CONTAINS:
			found = memmem(t.start, sshbuf_len(buf),
			    faults[i].bytes, faults[i].len) != NULL;
			break;
		default:
			found = layout_is(&t, faults[i].test);
			break;
		}
		if (found)
			return faults[i].fault;
	}
	return NULL;
}

/*
 * Log what is wrong with a private key file that failed to load with "r", if
 * that can be told. The caller reports that itself, and which file it is.
 */
void
sshkey_explain_failure(const struct sshbuf *buf, int r)
{
	const char *fault;

	if (r != SSH_ERR_INVALID_FORMAT && r != SSH_ERR_LIBCRYPTO_ERROR)
		return;
	if (buf != NULL && (fault = text_fault(buf)) != NULL)
		error("Private key file: %s", fault);
}
