/*
 * The harness tests itself: this program runs itself again as one of the samples below and looks
 * at what the sample prints and how it exits.
 */
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"

enum { OUTPUT_MAX = 1 << 16 };

static void sample_pass(void)
{
	tap_case("first");
	CHECK(true);
	CHECK_INT(2 + 2, 4);
	CHECK_NEAR(INFINITY, INFINITY, 0);
	tap_case("row %d", 2);
	CHECK_STR("a", "a");
	CHECK_SLICE(SLICE("ab"), slice_str("ab"));
}

static void sample_fail(void)
{
	tap_case("int");
	CHECK_INT(1, 2);
	tap_case("passes between");
	CHECK(true);
	tap_case("str");
	CHECK_STR("got", NULL);
	tap_case("slice");
	CHECK_SLICE(SLICE("a"), SLICE("ab"));
	tap_case("nan");
	CHECK_NEAR(NAN, 0, 1);
}

static void sample_skip(void)
{
	tap_case("needs a # thing\nthat is not here");
	tap_skip("no %s", "thing");
	tap_case("failed before it was skipped");
	CHECK(false);
	tap_skip("too late");
}

static void sample_outside(void)
{
	CHECK(false);
}

static void sample_golden(void)
{
	tap_case("golden");
	tap_golden("sample", SLICE("one\ntwo\n"));
}

static void sample_tempdir(void)
{
	const char *dir = tap_tempdir();
	char path[4096];
	FILE *f;

	tap_note("%s", dir);
	(void)snprintf(path, sizeof path, "%s/file", dir);
	f = fopen(path, "w");
	tap_case("can write");
	if (CHECK(f != NULL))
		CHECK_INT(fclose(f), 0);
}

static const struct sample {
	const char *name;
	void (*run)(void);
	int status;
	const char *want[4]; /* parts of the output */
} samples[] = {
	{"pass", sample_pass, 0, {"ok 1 - first\nok 2 - row 2\n1..2\n"}},
	{"fail", sample_fail, 1,
		{"# 1: got 1, want 2\nnot ok 1 - int\nok 2 - passes between\n",
			"#  got  \"got\"\n#  want \"(null)\"\nnot ok 3 - str\n",
			"\"a\" (1 bytes)\n#  want \"ab\" (2 bytes)\nnot ok 4",
			"not ok 5 - nan\n1..5\n"}},
	{"skip", sample_skip, 1,
		{"ok 1 - needs a   thing that is not here # SKIP no thing\n",
			"not ok 2 - failed before it was skipped"}},
	{"outside", sample_outside, 1, {"not ok 1 - checks outside a case\n1..1\n"}},
	{"golden", sample_golden, 1, {"not ok 1 - golden"}},
	{"tempdir", sample_tempdir, 0, {"ok 1 - can write\n"}},
};

/* Runs this program as a sample; its output goes into out, its exit status is returned. */
static int run_sample(const char *program, const char *name, const char *option, struct buf *out)
{
	int fds[2], status = -1;
	char chunk[1024];
	ssize_t n;
	pid_t pid;

	if (pipe(fds) != 0 || (pid = fork()) < 0)
		return -1;
	if (pid == 0) {
		(void)setenv("TAP_SAMPLE", name, 1);
		(void)dup2(fds[1], STDOUT_FILENO);
		(void)close(fds[0]);
		(void)execl(program, program, option, (char *)NULL);
		_exit(127);
	}
	(void)close(fds[1]);
	while ((n = read(fds[0], chunk, sizeof chunk)) > 0)
		if (buf_add(out, (slice){chunk, (size_t)n}) != 0)
			break;
	(void)close(fds[0]);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool check_part(const struct buf *out, const char *part)
{
	bool found = strstr(buf_str(out), part) != NULL;

	if (!CHECK(found))
		tap_note("missing:\n%s\nin:\n%s", part, buf_str(out));
	return found;
}

static void test_samples(const char *program)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		struct buf out;

		tap_case("sample %s", s->name);
		buf_init(&out, OUTPUT_MAX);
		CHECK_INT(run_sample(program, s->name, NULL, &out), s->status);
		for (size_t j = 0; j < ARRAY_LEN(s->want) && s->want[j]; j++)
			check_part(&out, s->want[j]);
		buf_release(&out);
	}
}

static void test_tempdir_is_removed(const char *program)
{
	struct buf out;
	char *dir;

	tap_case("a temporary directory is removed");
	buf_init(&out, OUTPUT_MAX);
	CHECK_INT(run_sample(program, "tempdir", NULL, &out), 0);
	if (CHECK(strncmp(buf_str(&out), "# /", 3) == 0)) {
		dir = strndup(buf_str(&out) + 2, strcspn(buf_str(&out), "\n") - 2);
		CHECK(dir && access(dir, F_OK) != 0);
		free(dir);
	}
	buf_release(&out);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (CHECK(f != NULL)) {
		CHECK(fputs(text, f) >= 0);
		CHECK_INT(fclose(f), 0);
	}
}

/* A tree with tests/golden/sample in it; the path of that file goes to ret_path. */
static void make_golden_tree(char *ret_path, size_t size)
{
	static const char *const parts[] = {"", "/tests", "/tests/golden", "/tests/golden/sample"};
	const char *dir = tap_tempdir();

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		(void)snprintf(ret_path, size, "%s%s", dir, parts[i]);
		if (i == 1 || i == 2)
			CHECK_INT(mkdir(ret_path, 0700), 0);
	}
	(void)setenv("STILLPOINT_SRCDIR", dir, 1);
}

static void test_golden(const char *program)
{
	char path[4096];
	struct buf out;

	tap_case("golden files: a difference is shown, the switch writes, then it is equal");
	make_golden_tree(path, sizeof path);
	write_file(path, "one\n2\n");
	buf_init(&out, OUTPUT_MAX);
	CHECK_INT(run_sample(program, "golden", NULL, &out), 1);
	check_part(
		&out, "sample:2:\n# differs from the golden file:\n#  got  \"two\"\n#  want \"2\"");
	CHECK_INT(run_sample(program, "golden", "--update-golden", &out), 0);
	buf_reset(&out);
	CHECK_INT(run_sample(program, "golden", NULL, &out), 0);
	check_part(&out, "ok 1 - golden\n1..1\n");
	write_file(path, "one\ntwo\nthree\n");
	CHECK_INT(run_sample(program, "golden", NULL, &out), 1);
	check_part(&out, "#  got  \"\" (end)\n#  want \"three\"");
	(void)unsetenv("STILLPOINT_SRCDIR");
	buf_release(&out);
}

static void test_srcdir(const char *program)
{
	char path[4096];

	(void)program;
	tap_case("the source directory has the sources");
	(void)snprintf(path, sizeof path, "%s/tests/tap.h", tap_srcdir());
	CHECK_INT(access(path, R_OK), 0);
}

int main(int argc, char **argv)
{
	const char *name = getenv("TAP_SAMPLE");

	tap_init(argc, argv);
	if (name) {
		for (size_t i = 0; i < ARRAY_LEN(samples); i++)
			if (strcmp(samples[i].name, name) == 0)
				samples[i].run();
		return tap_done();
	}
	(void)unsetenv("UPDATE_GOLDEN");
	test_samples(argv[0]);
	test_tempdir_is_removed(argv[0]);
	test_golden(argv[0]);
	test_srcdir(argv[0]);
	return tap_done();
}
