#include "rates/model_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"

enum { READ_SIZE = 64 << 10 };

static int read_all(FILE *file, struct buf *out, struct err *err)
{
	size_t n;

	do {
		int rc = buf_reserve(out, READ_SIZE);

		if (rc == ERR_LIMIT)
			return err_set(err, rc, "the model is too large");
		if (rc)
			return err_code(err, rc);
		n = fread(out->ptr + out->len, 1, READ_SIZE, file);
		buf_truncate(out, out->len + n);
	} while (n > 0);
	return ferror(file) ? err_set(err, ERR_IO, "%s", strerror(errno)) : 0;
}

/* Closes the file, unless it is standard input. */
static int read_model(FILE *file, const char *path, struct predict_model *ret, struct err *err)
{
	uint64_t line = 0;
	struct buf text;
	int rc;

	if (!file)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%.200s: %s", path,
			file_problem(errno));
	buf_init(&text, PREDICT_MODEL_MAX);
	rc = read_all(file, &text, err);
	if (file != stdin)
		(void)fclose(file);
	if (rc == 0)
		rc = predict_model_parse(buf_slice(&text), ret, &line, err);
	buf_release(&text);
	if (rc && line)
		err_prefix(err, "%.200s:%llu", path, (unsigned long long)line);
	else if (rc)
		err_prefix(err, "%.200s", path);
	return rc;
}

int rates_model_file_read(const char *path, struct predict_model *ret, struct err *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : file_stream(path, "re");

	return read_model(file, path, ret, err);
}

int rates_model_file_inside(const char *path, struct predict_model *ret, struct err *err)
{
	int fd = file_open_inside(AT_FDCWD, path);

	return read_model(fd < 0 ? NULL : fdopen(fd, "r"), path, ret, err);
}
