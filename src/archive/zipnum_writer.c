#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive/warc_compress.h"
#include "archive/zipnum.h"
#include "base/json.h"
#include "http/digest.h"

struct zipnum_writer {
	FILE *data;
	FILE *index;
	const char *name;
	unsigned lines_max;
	unsigned lines;  /* of the block */
	uint64_t offset; /* of the block in data */
	uint64_t length; /* of it, compressed, so far */
	struct buf text; /* of the block */
	struct warc_compress *gzip;
	struct digester digester;
};

static int write_all(FILE *file, slice bytes, struct err *err)
{
	if (bytes.len && fwrite(bytes.ptr, 1, bytes.len, file) != bytes.len)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return 0;
}

static int write_meta(struct zipnum_writer *w, struct err *err)
{
	struct json j;
	int rc = write_all(w->index, SLICE("!meta 0 "), err);

	json_init_file(&j, w->index, JSON_LINES);
	json_object_begin(&j);
	json_put_string(&j, "format", "cdxj-gzip-1.0");
	json_put_string(&j, "filename", w->name);
	json_object_end(&j);
	if (rc == 0 && json_finish(&j))
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	return rc;
}

int zipnum_writer_open(FILE *data, FILE *index, const char *name, unsigned lines,
	struct zipnum_writer **ret, struct err *err)
{
	struct zipnum_writer *w = calloc(1, sizeof *w);
	int rc;

	if (!w)
		return err_code(err, ERR_NOMEM);
	w->data = data;
	w->index = index;
	w->name = name;
	w->lines_max = lines ? lines : ZIPNUM_LINES;
	buf_init(&w->text, ZIPNUM_TEXT_MAX);
	rc = warc_compress_open(WARC_CODING_GZIP, 0, &w->gzip, err);
	if (rc == 0)
		rc = write_meta(w, err);
	if (rc)
		zipnum_writer_free(w);
	else
		*ret = w;
	return rc;
}

void zipnum_writer_free(struct zipnum_writer *w)
{
	if (!w)
		return;
	buf_release(&w->text);
	warc_compress_close(w->gzip);
	digester_release(&w->digester);
	free(w);
}

static int emit_gzip(void *context, slice bytes, struct err *err)
{
	struct zipnum_writer *w = context;
	int rc = digester_feed(&w->digester, bytes);

	w->length += bytes.len;
	return rc ? err_code(err, rc) : write_all(w->data, bytes, err);
}

/* Key and timestamp of the block's first line: what is before its second blank. */
static slice block_name(slice text)
{
	size_t blanks = 0, n = 0;

	while (n < text.len && text.ptr[n] != '\n' && (blanks += text.ptr[n] == ' ') < 2)
		n++;
	return slice_sub(text, 0, n);
}

static int write_index_line(struct zipnum_writer *w, struct err *err)
{
	char text[DIGEST_TEXT_SIZE];
	struct digest digest;
	struct json j;
	int rc = digester_finish(&w->digester, &digest);

	if (rc)
		return err_code(err, rc);
	(void)digest_format(&digest, text);
	rc = write_all(w->index, block_name(buf_slice(&w->text)), err);
	if (rc == 0)
		rc = write_all(w->index, SLICE(" "), err);
	json_init_file(&j, w->index, JSON_LINES);
	json_object_begin(&j);
	json_put_uint(&j, "offset", w->offset);
	json_put_uint(&j, "length", w->length);
	json_put_string(&j, "digest", text);
	json_put_string(&j, "filename", w->name);
	json_object_end(&j);
	if (rc == 0 && json_finish(&j))
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	return rc;
}

static int end_block(struct zipnum_writer *w, struct err *err)
{
	int rc;

	if (w->lines == 0)
		return 0;
	w->length = 0;
	rc = digester_start(&w->digester, DIGEST_SHA256);
	if (rc)
		return err_code(err, rc);
	rc = warc_compress_begin(w->gzip, w->text.len, emit_gzip, w, err);
	if (rc == 0)
		rc = warc_compress_feed(w->gzip, buf_slice(&w->text), err);
	if (rc == 0)
		rc = warc_compress_end(w->gzip, err);
	if (rc == 0)
		rc = write_index_line(w, err);
	w->offset += w->length;
	w->lines = 0;
	buf_reset(&w->text);
	return rc;
}

int zipnum_writer_add(void *writer, slice line, struct err *err)
{
	struct zipnum_writer *w = writer;
	int rc = 0;

	if (line.len > CDXJ_LINE_MAX)
		return err_set(err, ERR_LIMIT, "line is too long");
	if (w->lines == w->lines_max || line.len + 1 > ZIPNUM_TEXT_MAX - w->text.len)
		rc = end_block(w, err);
	if (rc)
		return rc;
	rc = buf_add(&w->text, line);
	if (rc == 0)
		rc = buf_add_char(&w->text, '\n');
	w->lines++;
	return err_code(err, rc);
}

int zipnum_writer_close(struct zipnum_writer *w, struct err *err)
{
	int rc = w ? end_block(w, err) : 0;

	zipnum_writer_free(w);
	return rc;
}
