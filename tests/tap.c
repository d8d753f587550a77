#include "tap.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_MAX_LEN = 512, PATH_LEN = 4096, OPEN_FDS = 16 };

struct tempdir {
	struct tempdir *next;
	char path[];
};

static struct {
	bool update_golden;
	bool open; /* a case is open */
	bool ok;
	bool skipped;
	int cases;
	int failed;
	char name[NAME_MAX_LEN];
	char reason[NAME_MAX_LEN]; /* of the SKIP */
	struct tempdir *tempdirs;
} tap;

/* A harness that cannot do its work must not look like a passing test. */
__attribute__((noreturn)) static void bail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	(void)fflush(stdout);
	_exit(1);
}

__attribute__((format(printf, 1, 0))) static void print_diagnostic(const char *fmt, va_list ap)
{
	char text[PATH_LEN];
	char *line = text, *end;

	(void)vsnprintf(text, sizeof text, fmt, ap);
	while ((end = strchr(line, '\n'))) {
		printf("# %.*s\n", (int)(end - line), line);
		line = end + 1;
	}
	printf("# %s\n", line);
}

static void end_case(void)
{
	if (!tap.open)
		return;
	tap.open = false;
	tap.cases++;
	tap.failed += !tap.ok;
	printf("%s %d - %s", tap.ok ? "ok" : "not ok", tap.cases, tap.name);
	if (tap.skipped)
		printf(" # SKIP %s", tap.reason);
	printf("\n");
	(void)fflush(stdout);
}

/* A '#' would start a TAP directive, a line break a new line. */
static void make_plain(char *s)
{
	for (; *s; s++)
		if (*s == '#' || (unsigned char)*s < ' ')
			*s = ' ';
}

void tap_init(int argc, char **argv)
{
	static const int SIGNALS[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE};
	const char *update = getenv("UPDATE_GOLDEN");
	sigset_t none;

	/* Under nohup, or in the background of a script, some are ignored. */
	for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++)
		(void)signal(SIGNALS[i], SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)umask(022);
	tap.update_golden = update && strcmp(update, "1") == 0;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--update-golden") == 0) {
			tap.update_golden = true;
		} else {
			(void)fprintf(stderr, "usage: %s [--update-golden]\n", argv[0]);
			exit(2);
		}
	}
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tempdirs(void)
{
	struct tempdir *dir;

	while ((dir = tap.tempdirs)) {
		tap.tempdirs = dir->next;
		(void)nftw(dir->path, remove_entry, OPEN_FDS, FTW_DEPTH | FTW_PHYS);
		free(dir);
	}
}

int tap_done(void)
{
	end_case();
	remove_tempdirs();
	printf("1..%d\n", tap.cases);
	(void)fflush(stdout);
	return tap.failed != 0;
}

void tap_case(const char *fmt, ...)
{
	va_list ap;

	end_case();
	va_start(ap, fmt);
	(void)vsnprintf(tap.name, sizeof tap.name, fmt, ap);
	va_end(ap);
	make_plain(tap.name);
	tap.open = true;
	tap.ok = true;
	tap.skipped = false;
}

void tap_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(tap.reason, sizeof tap.reason, fmt, ap);
	va_end(ap);
	make_plain(tap.reason);
	tap.skipped = true;
}

void tap_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_diagnostic(fmt, ap);
	va_end(ap);
}

size_t tap_rounds(size_t full)
{
	if (!TAP_SANITIZED)
		return full;
	return full < 10 ? full > 0 : full / 10;
}

const char *tap_tempdir(void)
{
	const char *base = getenv("TMPDIR");
	static const char tail[] = "/stillpoint-test-XXXXXX";
	struct tempdir *dir;
	size_t size;

	if (!base || !*base)
		base = "/tmp";
	size = strlen(base) + sizeof tail;
	dir = malloc(sizeof *dir + size);
	if (!dir)
		bail("temporary directory");
	(void)snprintf(dir->path, size, "%s%s", base, tail);
	if (!mkdtemp(dir->path))
		bail(dir->path);
	dir->next = tap.tempdirs;
	tap.tempdirs = dir;
	return dir->path;
}

const char *tap_srcdir(void)
{
	const char *dir = getenv("STILLPOINT_SRCDIR");

	return dir && *dir ? dir : STILLPOINT_SRCDIR;
}

/* The checks. A failed one outside any case still must not get lost. */

void tap_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (!tap.open)
		tap_case("checks outside a case");
	tap.ok = false;
	printf("# %s:%d:\n", file, line);
	va_start(ap, fmt);
	print_diagnostic(fmt, ap);
	va_end(ap);
}

bool tap_check_str(const char *got, const char *want, const char *file, int line, const char *what)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (!same)
		tap_fail(file, line, "%s:\n got  \"%s\"\n want \"%s\"", what, got ? got : "(null)",
			want ? want : "(null)");
	return same;
}

bool tap_check_slice(slice got, slice want, const char *file, int line, const char *what)
{
	bool same = slice_eq(got, want);

	if (!same)
		tap_fail(file, line, "%s:\n got  \"%.*s\" (%zu bytes)\n want \"%.*s\" (%zu bytes)",
			what, (int)got.len, got.ptr ? got.ptr : "", got.len, (int)want.len,
			want.ptr ? want.ptr : "", want.len);
	return same;
}

bool tap_check_near(
	double got, double want, double tol, const char *file, int line, const char *what)
{
	/* Equality first, for infinities; a NaN is near nothing. */
	bool near = got == want || fabs(got - want) <= tol;

	if (!near)
		tap_fail(file, line, "%s: got %.17g, want %.17g within %g (off by %g)", what, got,
			want, tol, got - want);
	return near;
}

/* Golden files */

static char *read_whole(const char *path, size_t *ret_len)
{
	enum { GOLDEN_MAX = 16 << 20 };
	FILE *f = fopen(path, "rb");
	char *text = NULL;

	if (!f)
		return NULL;
	text = malloc(GOLDEN_MAX);
	if (!text)
		bail(path);
	*ret_len = fread(text, 1, GOLDEN_MAX, f);
	if (ferror(f) || !feof(f))
		bail(path);
	(void)fclose(f);
	return text;
}

static void write_whole(const char *path, slice content)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(content.ptr, 1, content.len, f) != content.len || fclose(f) != 0)
		bail(path);
	tap_note("wrote %s", path);
}

static slice line_at(slice s, size_t from)
{
	slice rest = slice_sub(s, from, s.len);
	const char *end = rest.ptr ? memchr(rest.ptr, '\n', rest.len) : NULL;

	return end ? slice_sub(rest, 0, (size_t)(end - rest.ptr)) : rest;
}

static void fail_at_first_difference(const char *path, slice got, slice want)
{
	size_t at = 0, start = 0;
	int line = 1;
	slice g, w;

	for (; at < got.len && at < want.len && got.ptr[at] == want.ptr[at]; at++) {
		if (got.ptr[at] == '\n') {
			line++;
			start = at + 1;
		}
	}
	g = line_at(got, start);
	w = line_at(want, start);
	tap_fail(path, line, "differs from the golden file:\n got  \"%.*s\"%s\n want \"%.*s\"%s",
		(int)g.len, g.len ? g.ptr : "", start >= got.len ? " (end)" : "", (int)w.len,
		w.len ? w.ptr : "", start >= want.len ? " (end)" : "");
}

void tap_golden(const char *name, slice content)
{
	char path[PATH_LEN];
	slice want = {NULL, 0};
	char *text;

	(void)snprintf(path, sizeof path, "%s/tests/golden/%s", tap_srcdir(), name);
	if (tap.update_golden) {
		write_whole(path, content);
		return;
	}
	text = read_whole(path, &want.len);
	want.ptr = text;
	if (!text)
		tap_fail(path, 0, "%s (run with --update-golden to write it)", strerror(errno));
	else if (!slice_eq(content, want))
		fail_at_first_difference(path, content, want);
	free(text);
}
