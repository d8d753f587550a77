#include "archive/text_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/ignore.h"

enum { LINE_MAX_BYTES = 64 << 10 };

/* Cuts the item of a list out of its line, in place. */
static char *trim(char *line)
{
	size_t end = 0;

	while (word_is_space(*line))
		line++;
	while (line[end] && !(line[end] == '#' && (end == 0 || word_is_space(line[end - 1]))))
		end++;
	while (end > 0 && word_is_space(line[end - 1]))
		end--;
	line[end] = '\0';
	return line;
}

static char *find_item(char *line, enum lines_form form, bool is_first)
{
	static const char BOM[] = "\xef\xbb\xbf";

	if (form == LINES_LIST)
		return trim(line +
			    (is_first && strncmp(line, BOM, strlen(BOM)) == 0 ? strlen(BOM) : 0));
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

static int read_lines(FILE *file, const char *name, enum lines_form form, lines_item *add,
	void *context, size_t *count, struct err *err)
{
	char line[LINE_MAX_BYTES];
	size_t number = 0;
	int rc = 0;

	while (rc == 0 && fgets(line, sizeof line, file)) {
		bool has_end = strchr(line, '\n') || feof(file);
		const char *item = find_item(line, form, number++ == 0);

		if (!has_end)
			rc = err_set(err, ERR_USAGE, "the line is too long, or contains a NUL");
		else if (*item) {
			rc = add(context, item, err);
			++*count;
		}
		if (rc)
			err_prefix(err, "%s:%zu", name, number);
	}
	if (rc == 0 && ferror(file))
		rc = err_set(err, ERR_USAGE, "%s: %s", name, strerror(errno));
	return rc;
}

int lines_read(const char *path, enum lines_form form, lines_item *add, void *context,
	size_t *ret_count, struct err *err)
{
	bool is_stdin = form == LINES_LIST && strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : file_stream(path, "re");
	size_t count = 0;
	int rc;

	if (!file)
		return err_set(err, ERR_USAGE, "%s: %s", path, strerror(errno));
	rc = read_lines(file, is_stdin ? "standard input" : path, form, add, context, &count, err);
	if (!is_stdin)
		(void)fclose(file);
	*ret_count = count;
	return rc;
}

static int read_all(const char *path, struct buf *out, struct err *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : file_stream(path, "rbe");
	int rc;

	if (!file)
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	(void)buf_reserve(out, out->max);
	out->len = fread(out->ptr, 1, out->max, file);
	rc = ferror(file) ? err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) : 0;
	if (file != stdin)
		(void)fclose(file);
	return rc;
}

int ignore_file_read(const char *path, struct buf *out, struct err *err)
{
	struct ignore rules;
	int rc = read_all(path, out, err);

	ignore_init(&rules);
	if (rc == 0)
		rc = ignore_parse(&rules, buf_slice(out), path, err);
	ignore_release(&rules);
	return rc;
}

enum { GZIP_BUFFER = 128 << 10 };

void text_input_open_fd(struct text_input *in, int fd)
{
	*in = (struct text_input){
		.ptr = mem_resize(NULL, TEXT_INPUT_WINDOW, 1), .file = gzdopen(fd, "rb")};
	if (!in->file || gzbuffer(in->file, GZIP_BUFFER))
		mem_end();
}

int text_input_open(struct text_input *in, const char *path, struct err *err)
{
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					: file_open_stream(path);

	*in = (struct text_input){0};
	if (fd < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	text_input_open_fd(in, fd);
	return 0;
}

void text_input_close(struct text_input *in)
{
	if (in->file)
		(void)gzclose_r(in->file);
	free(in->ptr);
	*in = (struct text_input){0};
}

/* zlib tells a file that ends within a member only when all is read. */
static void note_failure(struct text_input *in)
{
	int code;

	(void)gzerror(in->file, &code);
	if (code == Z_ERRNO)
		in->rc = ERR_IO;
	else if (code == Z_MEM_ERROR)
		mem_end();
	else if (code != Z_OK && code != Z_STREAM_END)
		in->rc = ERR_SYNTAX;
}

bool text_input_fill(struct text_input *in)
{
	int n;

	if (in->eof)
		return false;
	if (in->start > 0) {
		memmove(in->ptr, in->ptr + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	if (in->end == TEXT_INPUT_WINDOW)
		return false;
	n = gzread(in->file, in->ptr + in->end, (unsigned)(TEXT_INPUT_WINDOW - in->end));
	if (n <= 0) {
		in->eof = true;
		note_failure(in);
		return false;
	}
	in->end += (size_t)n;
	return true;
}

int text_input_check(const struct text_input *in, struct err *err)
{
	switch (in->rc) {
	case ERR_IO:
		return err_set(err, ERR_IO, "cannot be read: %s", strerror(errno));
	case ERR_SYNTAX:
		return err_set(err, ERR_SYNTAX, "the gzip data is damaged or cut off");
	default:
		return err_code(err, in->rc);
	}
}

slice text_input_peek(struct text_input *in, size_t want)
{
	if (want > TEXT_INPUT_PEEK_MAX)
		want = TEXT_INPUT_PEEK_MAX;
	while (in->end - in->start < want && text_input_fill(in))
		;
	return slice_sub((slice){in->ptr + in->start, in->end - in->start}, 0, want);
}

/* Takes bytes up to the end of a line that does not fit. */
static void skip_line(struct text_input *in)
{
	int c;

	do
		c = text_input_get(in);
	while (c != '\n' && c != TEXT_INPUT_END);
}

int text_input_line(struct text_input *in, slice *ret, struct err *err)
{
	const char *lf = NULL;
	size_t seen = 0, len;

	while (!(lf = memchr(in->ptr + in->start + seen, '\n', in->end - in->start - seen))) {
		seen = in->end - in->start;
		if (text_input_fill(in))
			continue;
		if (seen < TEXT_INPUT_WINDOW)
			break;
		in->start = in->end;
		skip_line(in);
		in->lines++;
		*ret = (slice){0};
		return 0;
	}
	if (!lf && in->start == in->end) {
		int rc = text_input_check(in, err);

		return rc ? rc : ERR_END;
	}
	len = lf ? (size_t)(lf - in->ptr) - in->start : in->end - in->start;
	*ret = (slice){in->ptr + in->start, len};
	in->start += len + (lf != NULL);
	in->lines++;
	if (len > 0 && ret->ptr[len - 1] == '\r')
		ret->len--;
	return 0;
}
