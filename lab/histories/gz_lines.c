#include "histories/gz_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"

enum { FILE_BUFFER = 128 << 10 };

/* One line as gzgets left it. */
static int take_line(
	const char *line, bool last, gz_lines_visit *visit, void *context, struct err *err)
{
	slice text = slice_str(line);

	if (text.len > 0 && text.ptr[text.len - 1] == '\n')
		text.len--;
	else if (!last)
		return err_set(err, ERR_LIMIT, "the line is too long, or holds a NUL");
	return err_code(err, visit(context, text, err));
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

static int read_lines(gzFile gz, const char *file, char *room, gz_lines_visit *visit, void *context,
	struct err *err)
{
	unsigned long long number = 0;
	int rc = 0;

	while (rc == 0 && gzgets(gz, room, GZ_LINE_MAX)) {
		number++;
		rc = take_line(room, gzeof(gz), visit, context, err);
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

int gz_lines_read(const char *file, gz_lines_visit *visit, void *context, struct err *err)
{
	int fd = file_open_stream(file);
	gzFile gz = fd < 0 ? NULL : gzdopen(fd, "rb");
	char *room = malloc(GZ_LINE_MAX);
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
