#include "crawl/look_weights.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/io.h"
#include "base/parse.h"
#include "base/word.h"
#include "url/url.h"

enum { FILE_MAX = 1000000000 };

void look_weights_init(struct look_weights *w, struct arena *arena)
{
	*w = (struct look_weights){0};
	strmap_init(&w->urls, hash_key_random(), arena);
}

void look_weights_release(struct look_weights *w)
{
	look_patterns_release(&w->patterns);
	strmap_release(&w->urls);
}

bool look_pattern_matches(slice pattern, slice text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, resume = 0;

	while (t < text.len) {
		if (p < pattern.len && pattern.ptr[p] == '*') {
			star = p++;
			resume = t;
		} else if (p < pattern.len &&
			   (pattern.ptr[p] == text.ptr[t] || pattern.ptr[p] == '?')) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++resume;
		} else {
			return false;
		}
	}
	while (p < pattern.len && pattern.ptr[p] == '*')
		p++;
	return p == pattern.len;
}

bool look_weights_find(const struct look_weights *w, slice url, double *ret)
{
	uint32_t bits;
	float weight;

	if (w->urls.len > 0 && strmap_get(&w->urls, url, &bits)) {
		memcpy(&weight, &bits, sizeof weight);
		*ret = (double)weight;
		return true;
	}
	for (size_t i = 0; i < w->patterns.len; i++)
		if (look_pattern_matches(w->patterns.ptr[i].pattern, url)) {
			*ret = w->patterns.ptr[i].weight;
			return true;
		}
	return false;
}

/* ---- files ---- */

/* The URL as the catalog has it; of two lines about one the first counts. */
static int add_url(struct look_weights *w, slice text, double weight)
{
	float rounded = (float)weight;
	uint32_t bits;
	struct url url;
	int rc;

	memcpy(&bits, &rounded, sizeof bits);
	url_init(&url);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc == 0 && !url_is_http(&url))
		rc = ERR_SYNTAX;
	if (rc == 0)
		rc = strmap_put(&w->urls, url_page(&url), bits);
	url_release(&url);
	return rc == ERR_EXISTS ? 0 : rc;
}

static int add_pattern(struct look_weights *w, slice text, double weight, struct arena *arena)
{
	const char *copy = arena_strdup(arena, text);

	return copy ? look_patterns_push(
			      &w->patterns, (struct look_pattern){{copy, text.len}, weight})
		    : ERR_NOMEM;
}

static int read_line(struct look_weights *w, slice line, struct arena *arena)
{
	double weight;
	size_t end;

	line = word_trim(line);
	if (line.len == 0 || line.ptr[0] == '#')
		return 0;
	for (end = line.len; end > 0 && !word_is_space(line.ptr[end - 1]);)
		end--;
	if (end == 0 || parse_double(slice_sub(line, end, line.len), &weight) ||
		!(weight >= 0 && weight <= LOOK_WEIGHT_MAX))
		return ERR_SYNTAX;
	line = word_trim(slice_sub(line, 0, end));
	return memchr(line.ptr, '*', line.len) ? add_pattern(w, line, weight, arena)
					       : add_url(w, line, weight);
}

int look_weights_parse(
	struct look_weights *w, const char *name, slice text, struct arena *arena, struct err *err)
{
	size_t number = 0;
	int rc = 0;

	while (rc == 0 && text.len > 0) {
		number++;
		rc = read_line(w, slice_take(&text, '\n'), arena);
	}
	if (rc == 0 || rc == ERR_NOMEM)
		return err_code(err, rc);
	return err_set(err, ERR_SYNTAX,
		"%.200s:%zu: a line is a URL or a pattern, a blank and a weight from 0 to %.0f",
		name, number, LOOK_WEIGHT_MAX);
}

/* A file of the usual kind: others may have no end. */
static int read_all(int fd, struct buf *out)
{
	struct stat st;
	ssize_t got = 0;
	int rc;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return ERR_LIMIT;
	rc = buf_reserve(out, (size_t)st.st_size + 1);
	if (rc == 0)
		got = io_read_at(fd, out->ptr, (size_t)st.st_size, 0);
	if (got > 0)
		out->len = (size_t)got;
	return got < 0 ? ERR_IO : rc;
}

int look_weights_load(
	struct look_weights *w, const char *path, struct arena *arena, struct err *err)
{
	int fd = file_open_given(path), rc;
	struct buf text;

	if (fd < 0)
		return err_set(err, ERR_IO, "%.200s: %s", path, file_problem(errno));
	buf_init(&text, FILE_MAX + 1);
	rc = read_all(fd, &text);
	if (rc == 0)
		rc = look_weights_parse(w, path, buf_slice(&text), arena, err);
	else if (rc == ERR_LIMIT)
		(void)err_set(err, rc, "%.200s: not a file, or larger than 1 GB", path);
	else
		(void)err_set(
			err, rc, "%.200s: %s", path, rc == ERR_IO ? strerror(errno) : err_name(rc));
	buf_release(&text);
	(void)close(fd);
	return rc;
}
