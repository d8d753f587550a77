#include "living/history_read.h"

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

int history_parse(slice line, char *path, struct history_event *ret, struct err *err)
{
	struct history_event e = {0};
	slice time, commit, kind, rest = line;
	size_t len;

	if (!take_field(&rest, &time) || !take_field(&rest, &commit) || !take_field(&rest, &kind))
		return err_set(err, ERR_SYNTAX,
			"a line is time, commit, A, M or D, and path, separated by tabs");
	if (parse_i64(time, &e.at_s) || e.at_s < 0 || e.at_s > INT64_C(1) << 40)
		return err_set(err, ERR_SYNTAX, "'%.*s' is no time in Unix seconds",
			(int)(time.len < 40 ? time.len : 40), time.ptr);
	if (kind.len != 1 || !strchr("AMD", kind.ptr[0]))
		return err_set(err, ERR_SYNTAX, "'%.*s' is neither A, M nor D",
			(int)(kind.len < 40 ? kind.len : 40), kind.ptr);
	e.gone = kind.ptr[0] == 'D';
	len = unquote(rest, path);
	e.path = (slice){path, len};
	if (len == 0 || path[0] == '/' || path[len - 1] == '/')
		return err_set(err, ERR_SYNTAX, "'%.*s' is no path of a file",
			(int)(rest.len < 80 ? rest.len : 80), rest.ptr);
	*ret = e;
	return 0;
}

static int read_lines(
	gzFile file, char *line, char *path, history_visit *visit, void *context, struct err *err)
{
	unsigned long long number = 0;
	int rc = 0;

	while (rc == 0 && gzgets(file, line, HISTORY_LINE_MAX)) {
		slice text = slice_str(line);
		struct history_event event;

		number++;
		if (text.len > 0 && text.ptr[text.len - 1] == '\n')
			text.len--;
		else if (!gzeof(file))
			rc = err_set(err, ERR_LIMIT, "the line is too long, or holds a NUL");
		if (rc == 0)
			rc = history_parse(text, path, &event, err);
		if (rc == 0) {
			rc = visit(context, &event);
			if (rc)
				err_set(err, rc, "%s", err_name(rc));
		}
		if (rc)
			err_prefix(err, "line %llu", number);
	}
	return rc;
}

int history_read(const char *file, history_visit *visit, void *context, struct err *err)
{
	gzFile gz = gzopen(file, "rbe");
	char *room = malloc(2 * (size_t)HISTORY_LINE_MAX);
	int rc, why;

	if (!gz)
		rc = err_set(err, ERR_IO, "%s", errno ? strerror(errno) : "no memory");
	else if (!room || gzbuffer(gz, FILE_BUFFER) != 0)
		rc = err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	else
		rc = read_lines(gz, room, room + HISTORY_LINE_MAX, visit, context, err);
	if (rc == 0) {
		const char *text = gzerror(gz, &why);

		if (why != Z_OK && why != Z_STREAM_END)
			rc = err_set(err, ERR_IO, "%s", why == Z_ERRNO ? strerror(errno) : text);
	}
	if (rc)
		err_prefix(err, "%.200s", file);
	if (gz)
		(void)gzclose_r(gz);
	free(room);
	return rc;
}
