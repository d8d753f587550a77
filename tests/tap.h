/*
 * Our test harness: TAP on stdout, one program per component. A *case* is one TAP line; the checks
 * inside it fail it and say why, then go on. Table-driven tests open a case per row with the row's
 * label, so a failure names the row.
 *
 *	int main(int argc, char **argv)
 *	{
 *		tap_init(argc, argv);
 *		TAP_RUN(test_something);	// a case named after the function
 *		return tap_done();
 *	}
 *
 *	static void test_rows(void)		// called plainly: it opens its own cases
 *	{
 *		for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
 *			tap_case("rows: %s", rows[i].label);
 *			CHECK_INT(f(rows[i].in), rows[i].want);
 *		}
 *	}
 *
 * This is the only code with file-scope state (in tap.c): a test program is a process of its own.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Understands --update-golden (also the environment variable UPDATE_GOLDEN=1). */
void tap_init(int argc, char **argv);

/* Prints the plan, removes temporary directories; 0 when no case failed. */
int tap_done(void);

/* Ends the case that is open and opens the next. */
void tap_case(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Turns the open case into a SKIP with its reason; checks before it still count. */
void tap_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A diagnostic line. */
void tap_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Built with ASan or TSan: gcc says so by macros, clang by features. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TAP_SANITIZED 1
#endif
#endif
#ifndef TAP_SANITIZED
#define TAP_SANITIZED 0
#endif

/*
 * How many of so many rounds or rows to go through: all of them, but a tenth (at least one) under a
 * sanitizer, where everything takes many times as long. For rounds that look for rare inputs or
 * confirm figures. List the test in `full_speed` of tests/meson.build: there it runs in full.
 */
size_t tap_rounds(size_t full);

/* A new empty directory, gone after tap_done. Owned by the harness. */
const char *tap_tempdir(void);

/* Directory of the sources, for data and golden files. Owned by the harness. */
const char *tap_srcdir(void);

/*
 * Compares content with tests/golden/NAME and fails the case with the first line that differs;
 * with --update-golden writes the file instead.
 */
void tap_golden(const char *name, slice content);

/* Each check returns whether it held, so that a test can stop early. */
#define CHECK(cond)                tap_check((cond), __FILE__, __LINE__, #cond)
#define CHECK_INT(got, want)       tap_check_int((got), (want), __FILE__, __LINE__, #got)
#define CHECK_STR(got, want)       tap_check_str((got), (want), __FILE__, __LINE__, #got)
#define CHECK_SLICE(got, want)     tap_check_slice((got), (want), __FILE__, __LINE__, #got)
#define CHECK_NEAR(got, want, tol) tap_check_near((got), (want), (tol), __FILE__, __LINE__, #got)

void tap_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Inline, so that static analysis sees that a check which held has held. */
static inline bool tap_check(bool ok, const char *file, int line, const char *what)
{
	if (!ok)
		tap_fail(file, line, "%s does not hold", what);
	return ok;
}

static inline bool tap_check_int(
	int64_t got, int64_t want, const char *file, int line, const char *what)
{
	if (got != want)
		tap_fail(file, line, "%s: got %" PRId64 ", want %" PRId64, what, got, want);
	return got == want;
}

bool tap_check_str(const char *got, const char *want, const char *file, int line, const char *what);
bool tap_check_slice(slice got, slice want, const char *file, int line, const char *what);
bool tap_check_near(
	double got, double want, double tol, const char *file, int line, const char *what);

#define TAP_RUN(fn)                  \
	do {                         \
		tap_case("%s", #fn); \
		fn();                \
	} while (0)

#endif
