#include "rates/model_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"

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

int rates_model_file_read(const char *path, struct predict_model *ret, struct err *err)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *file = is_input ? stdin : fopen(path, "re");
	uint64_t line = 0;
	struct buf text;
	int rc;

	if (!file)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%.200s: %s", path,
			strerror(errno));
	buf_init(&text, PREDICT_MODEL_MAX);
	rc = read_all(file, &text, err);
	if (!is_input)
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
