#include "histories/history_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

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
		return err_set(err, ERR_SYNTAX, "'%.*s' is not the path of a file",
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
		return err_set(err, ERR_SYNTAX, "'%.*s' is not a time in Unix seconds",
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

int history_file_parse_link(slice line, char *room, struct history_link *ret, struct err *err)
{
	struct history_link l;
	slice from, to = line;
	int rc;

	if (!take_field(&to, &from) || memchr(to.ptr, '\t', to.len))
		return err_set(err, ERR_SYNTAX, "a line is two paths separated by a tab");
	rc = parse_path(from, room, &l.from, err);
	if (rc == 0)
		rc = parse_path(to, room + HISTORY_LINE_MAX, &l.to, err);
	if (rc == 0)
		*ret = l;
	return rc;
}

/* A file being read: whose lines are one or the other. */
struct reader {
	char *room;
	history_file_visit *visit;
	history_link_visit *visit_link;
	void *context;
};

static int take_line(void *context, slice text, struct err *err)
{
	const struct reader *r = context;
	struct history_line line;
	int rc = history_file_parse(text, r->room, &line, err);

	return rc ? rc : r->visit(r->context, &line, err);
}

static int take_link(void *context, slice text, struct err *err)
{
	const struct reader *r = context;
	struct history_link link;
	int rc = history_file_parse_link(text, r->room, &link, err);

	return rc ? rc : r->visit_link(r->context, &link, err);
}

static int read_file(const char *file, struct reader *r, gz_lines_visit *take, struct err *err)
{
	int rc;

	r->room = malloc(2 * (size_t)HISTORY_LINE_MAX);
	if (!r->room)
		return err_set(err, ERR_NOMEM, "%.200s: %s", file, err_name(ERR_NOMEM));
	rc = gz_lines_read(file, take, r, err);
	free(r->room);
	return rc;
}

int history_file_read(const char *file, history_file_visit *visit, void *context, struct err *err)
{
	struct reader r = {.visit = visit, .context = context};

	return read_file(file, &r, take_line, err);
}

int history_file_read_links(
	const char *file, history_link_visit *visit, void *context, struct err *err)
{
	struct reader r = {.visit_link = visit, .context = context};

	return read_file(file, &r, take_link, err);
}
