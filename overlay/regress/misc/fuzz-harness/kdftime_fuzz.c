/*
 * The argument of "ssh-keygen -a": it is refused, or a number of rounds, or a
 * time of at most an hour; a number is what it was without times.
 */
#define main ssh_keygen_main
#include "ssh-keygen.c"
#undef main

#include <setjmp.h>

int	LLVMFuzzerInitialize(int *, char ***);
int	LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static jmp_buf refused;

void
cleanup_exit(int status)
{
	longjmp(refused, 1);
}

static void
message(LogLevel level, int force, const char *msg, void *ctx)
{
	/* Nothing is read but by whoever typed it */
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	set_log_handler(message, NULL);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char arg[64];
	const char *errstr;
	int number;

	if (size >= sizeof(arg))
		return 0;
	memcpy(arg, data, size);
	arg[size] = '\0';
	number = (int)strtonum(arg, 1, INT_MAX, &errstr);
	if (setjmp(refused) != 0) {
		if (errstr == NULL)
			abort();
		return 0;
	}
	parse_rounds(arg);
	if (errstr == NULL && (rounds != number || unlock_time != 0))
		abort();
	if (errstr != NULL && (rounds != 0 || unlock_time < 1 ||
	    unlock_time > MAX_UNLOCK_SECONDS * 1000 ||
	    arg[strspn(arg, "0123456789ms")] != '\0'))
		abort();
	return 0;
}
