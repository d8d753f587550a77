#include "sim/history_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/parse.h"

enum { FILE_BUFFER = 128 << 10 };

/* What stands before the tab, and *rest behind it; false when there is none. */
static bool take_field(slice *rest, slice *ret)
{
	const char *tab = rest->len ? memchr(rest->ptr, '\t', rest->len) : NULL;

	if (!tab)
		return false;
	*ret = slice_sub(*rest, 0, (size_t)(tab - rest->ptr));
	*rest = slice_sub(*rest, ret->len + 1, rest->len);
	return true;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The byte of an escape whose text is after the backslash; its length, or 0 for none. */
static size_t unescape(slice s, char *ret)
{
	static const char FROM[] = "abfnrtv\"\\", TO[] = "\a\b\f\n\r\t\v\"\\";
	const char *at;

	if (s.len >= 3 && is_octal(s.ptr[0]) && is_octal(s.ptr[1]) && is_octal(s.ptr[2])) {
		*ret = (char)((s.ptr[0] - '0') << 6 | (s.ptr[1] - '0') << 3 | (s.ptr[2] - '0'));
		return 3;
	}
	at = s.len && s.ptr[0] ? strchr(FROM, s.ptr[0]) : NULL;
	if (!at)
		return 0;
	*ret = TO[at - FROM];
	return 1;
}

/* Undoes git's quoting of unusual paths; the length, or 0 when the path is empty or broken. */
static size_t unquote(slice s, char *out)
{
	size_t len = 0;

	if (s.len == 0 || s.ptr[0] != '"') {
		if (s.len > 0)
			memcpy(out, s.ptr, s.len);
		return s.len;
	}
	if (s.len < 2 || s.ptr[s.len - 1] != '"')
		return 0;
	s = slice_sub(s, 1, s.len - 1);
	for (size_t i = 0; i < s.len; i++) {
		out[len] = s.ptr[i];
		if (s.ptr[i] == '\\') {
			size_t used = unescape(slice_sub(s, i + 1, s.len), &out[len]);

			if (used == 0)
				return 0;
			i += used;
		}
		len++;
	}
	return len;
}

static int parse_path(slice text, char *path, slice *ret, struct err *err)
{
	size_t len = unquote(text, path);

	if (len == 0 || path[0] == '/' || path[len - 1] == '/' || memchr(path, '\0', len))
		return err_set(err, ERR_SYNTAX, "'%.*s' is no path of a file",
			(int)(text.len < 80 ? text.len : 80), text.ptr);
	if (len > HISTORY_PATH_MAX)
		return err_set(
			err, ERR_LIMIT, "the path is longer than %d bytes", HISTORY_PATH_MAX);
	*ret = (slice){path, len};
	return 0;
}

int history_file_parse(slice line, char *path, struct history_line *ret, struct err *err)
{
	struct history_line l = {0};
	slice time, kind, rest = line;
	int rc;

	if (!take_field(&rest, &time) || !take_field(&rest, &l.commit) || !take_field(&rest, &kind))
		return err_set(err, ERR_SYNTAX,
			"a line is time, commit, A, M or D, and path, separated by tabs");
	if (parse_i64(time, &l.at_s) || l.at_s < 0 || l.at_s > INT64_C(1) << 40)
		return err_set(err, ERR_SYNTAX, "'%.*s' is no time in Unix seconds",
			(int)(time.len < 40 ? time.len : 40), time.ptr);
	if (kind.len != 1 || !strchr("AMD", kind.ptr[0]))
		return err_set(err, ERR_SYNTAX, "'%.*s' is neither A, M nor D",
			(int)(kind.len < 40 ? kind.len : 40), kind.ptr);
	l.gone = kind.ptr[0] == 'D';
	rc = parse_path(rest, path, &l.path, err);
	if (rc == 0)
		*ret = l;
	return rc;
}

/* One line as gzgets left it. */
static int take_line(char *line, char *path, bool last, history_file_visit *visit, void *context,
	struct err *err)
{
	slice text = slice_str(line);
	struct history_line parsed;
	int rc;

	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		text.len--;
	else if (!last)
		return err_set(err, ERR_LIMIT, "the line is too long, or holds a NUL");
	rc = history_file_parse(text, path, &parsed, err);
	if (rc)
		return rc;
	rc = visit(context, &parsed, err);
	if (rc && err->code != rc)
		(void)err_set(err, rc, "%s", err_name(rc));
	return rc;
}

/* What zlib has to say when there is no more. */
static int check_end(gzFile gz, const char *file, struct err *err)
{
	int why;
	const char *text = gzerror(gz, &why);

	if (why == Z_OK || why == Z_STREAM_END)
		return 0;
	return err_set(err, ERR_IO, "%.200s: %s", file, why == Z_ERRNO ? strerror(errno) : text);
}

static int read_lines(gzFile gz, const char *file, char *room, history_file_visit *visit,
	void *context, struct err *err)
{
	unsigned long long number = 0;
	int rc = 0;

	while (rc == 0 && gzgets(gz, room, HISTORY_LINE_MAX)) {
		number++;
		rc = take_line(room, room + HISTORY_LINE_MAX, gzeof(gz), visit, context, err);
	}
	if (rc == 0 || gzeof(gz)) {
		/* Of a damaged file the last line is not to blame. */
		int damage = check_end(gz, file, err);

		if (damage)
			return damage;
	}
	if (rc)
		err_prefix(err, "%.200s:%llu", file, number);
	return rc;
}

int history_file_read(const char *file, history_file_visit *visit, void *context, struct err *err)
{
	gzFile gz = gzopen(file, "rbe");
	char *room = malloc(2 * (size_t)HISTORY_LINE_MAX);
	int rc;

	if (!gz)
		rc = err_set(
			err, ERR_IO, "%.200s: %s", file, errno ? strerror(errno) : "no memory");
	else if (!room || gzbuffer(gz, FILE_BUFFER) != 0)
		rc = err_set(err, ERR_NOMEM, "%.200s: %s", file, err_name(ERR_NOMEM));
	else
		rc = read_lines(gz, file, room, visit, context, err);
	if (gz)
		(void)gzclose_r(gz);
	free(room);
	return rc;
}
