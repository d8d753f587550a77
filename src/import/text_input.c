#include "import/text_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"

enum { GZIP_BUFFER = 128 << 10 };

int text_input_open_fd(struct text_input *in, int fd, struct err *err)
{
	*in = (struct text_input){.ptr = malloc(TEXT_INPUT_WINDOW), .file = gzdopen(fd, "rb")};
	if (!in->file)
		(void)close(fd);
	if (in->ptr && in->file && gzbuffer(in->file, GZIP_BUFFER) == 0)
		return 0;
	text_input_close(in);
	return err_code(err, ERR_NOMEM);
}

int text_input_open(struct text_input *in, const char *path, struct err *err)
{
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					: file_open_stream(path);

	*in = (struct text_input){0};
	if (fd < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return text_input_open_fd(in, fd, err);
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
		in->rc = ERR_NOMEM;
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
