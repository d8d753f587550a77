#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/lists.h"
#include "tap.h"

static void test_memory(void)
{
	char *zeroed = mem_new(4, 1), *copy = mem_strdup(SLICE("abc")), *nothing = mem_new(0, 8);

	CHECK(memcmp(zeroed, "\0\0\0", 4) == 0);
	CHECK_STR(copy, "abc");
	copy = mem_resize(copy, 8, 1);
	CHECK_STR(copy, "abc");
	free(zeroed);
	free(copy);
	free(nothing);
}

static void want_vector(void)
{
	struct u32_vec v = {0};

	u32_vec_reserve(&v, SIZE_MAX / 2);
}

static void want_new(void)
{
	free(mem_new(SIZE_MAX / 4, 8));
}

static void want_resize(void)
{
	free(mem_resize(NULL, SIZE_MAX / 4, 8));
}

/* Runs it in a process of its own, whose messages go to a pipe. */
static int run(void (*want)(void), char *message, size_t size)
{
	int ends[2], status = -1;
	ssize_t len;
	pid_t child;

	if (pipe(ends) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		(void)dup2(ends[1], STDERR_FILENO);
		mem_end_when_out();
		want();
		_exit(0);
	}
	(void)close(ends[1]);
	len = read(ends[0], message, size - 1);
	message[len > 0 ? len : 0] = '\0';
	(void)close(ends[0]);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_without_memory(void)
{
	static const struct {
		const char *label;
		void (*want)(void);
	} rows[] = {{"a vector", want_vector}, {"mem_new", want_new}, {"mem_resize", want_resize}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char message[256];

		tap_case("the program ends with one line: %s", rows[i].label);
		CHECK_INT(run(rows[i].want, message, sizeof message), 1);
		CHECK(strncmp(message, "stillpoint: out of memory; ", 27) == 0);
		CHECK(strchr(message, '\n') == message + strlen(message) - 1);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_memory);
	test_without_memory();
	return tap_done();
}
