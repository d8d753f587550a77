#include "histories/history_file.h"

#include <string.h>

#include "base/parse.h"

/* What stands before the tab, and *rest behind it; false when there is none. */
static bool take_field(slice *rest, slice *ret)
{
	size_t before = rest->len;

	*ret = slice_take(rest, '\t');
	return ret->len < before;
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

/*
 * Undoes git's quoting of unusual paths into room, as far as it fits; the length, or 0 for a broken
 * one.
 */
static size_t unquote(slice s, char room[HISTORY_PATH_MAX])
{
	size_t len = 0;

	if (s.len < 2 || s.ptr[s.len - 1] != '"')
		return 0;
	s = slice_sub(s, 1, s.len - 1);
	for (size_t i = 0; i < s.len; i++, len++) {
		char c = s.ptr[i];

		if (c == '\\') {
			size_t used = unescape(slice_sub(s, i + 1, s.len), &c);

			if (used == 0)
				return 0;
			i += used;
		}
		if (len < HISTORY_PATH_MAX)
			room[len] = c;
	}
	return len;
}

static int parse_path(slice text, char room[HISTORY_PATH_MAX], slice *ret, struct err *err)
{
	slice path = text;

	if (text.len > 0 && text.ptr[0] == '"')
		path = (slice){room, unquote(text, room)};
	if (path.len > HISTORY_PATH_MAX)
		return err_set(
			err, ERR_LIMIT, "the path is longer than %d bytes", HISTORY_PATH_MAX);
	if (path.len == 0 || path.ptr[0] == '/' || path.ptr[path.len - 1] == '/' ||
		memchr(path.ptr, '\0', path.len))
		return err_set(err, ERR_SYNTAX, "'%.*s' is not the path of a file",
			slice_shown(text, 80), text.ptr);
	*ret = path;
	return 0;
}

int history_file_parse(
	slice line, char room[HISTORY_PATH_MAX], struct history_line *ret, struct err *err)
{
	struct history_line l = {0};
	slice time, kind, rest = line;
	int rc;

	if (!take_field(&rest, &time) || !take_field(&rest, &l.commit) || !take_field(&rest, &kind))
		return err_set(err, ERR_SYNTAX,
			"a line is time, commit, A, M or D, and path, separated by tabs");
	if (parse_i64(time, &l.at_s) || l.at_s < 0 || l.at_s > INT64_C(1) << 40)
		return err_set(err, ERR_SYNTAX, "'%.*s' is not a time in Unix seconds",
			slice_shown(time, 40), time.ptr);
	if (kind.len != 1 || !strchr("AMD", kind.ptr[0]))
		return err_set(err, ERR_SYNTAX, "'%.*s' is neither A, M nor D",
			slice_shown(kind, 40), kind.ptr);
	l.gone = kind.ptr[0] == 'D';
	rc = parse_path(rest, room, &l.path, err);
	if (rc == 0)
		*ret = l;
	return rc;
}

int history_file_parse_link(
	slice line, char room[2 * HISTORY_PATH_MAX], struct history_link *ret, struct err *err)
{
	struct history_link l;
	slice from, to = line;
	int rc;

	if (!take_field(&to, &from) || memchr(to.ptr, '\t', to.len))
		return err_set(err, ERR_SYNTAX, "a line is two paths separated by a tab");
	rc = parse_path(from, room, &l.from, err);
	if (rc == 0)
		rc = parse_path(to, room + HISTORY_PATH_MAX, &l.to, err);
	if (rc == 0)
		*ret = l;
	return rc;
}
