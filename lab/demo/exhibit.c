#include "demo/exhibit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "catalog/catalog.h"
#include "proof/report.h"
#include "proof/why.h"
#include "warc/warc_reader.h"

static int read_block(struct exhibit *e, struct warc_reader *reader, struct err *err)
{
	const struct warc_record *record;
	slice bytes;
	int rc = warc_reader_next(reader, &record, err);

	while (rc == 0 && (rc = warc_reader_block(reader, &bytes, err)) == 0)
		rc = buf_add(&e->block, slice_sub(bytes, 0, e->block.max - e->block.len));
	return rc == ERR_END ? 0 : rc;
}

static int read_record(struct exhibit *e, struct err *err)
{
	struct warc_reader *reader;
	int rc = warc_reader_open(e->file, 0, &reader, err);

	if (rc)
		return rc;
	rc = warc_reader_seek(reader, (struct warc_spot){.offset = e->offset}, err);
	if (rc == 0)
		rc = read_block(e, reader, err);
	warc_reader_close(reader);
	return rc;
}

static int find_visit(struct exhibit *e, const char *archive, const struct why *w, struct err *err)
{
	const struct attempt *found = NULL;

	for (size_t i = 0; i < w->attempts.len; i++)
		if (w->attempts.ptr[i].leg == ATTEMPT_VISIT && w->attempts.ptr[i].warc.ptr)
			found = &w->attempts.ptr[i];
	if (!found)
		return err_set(err, ERR_NOTFOUND, "%s: the page was not visited", archive);
	(void)snprintf(e->file, sizeof e->file, "%s/warc/%.*s", archive, (int)found->warc.len,
		found->warc.ptr);
	e->offset = found->offset;
	e->length = found->length;
	return 0;
}

static int look_up(
	struct exhibit *e, const char *archive, struct catalog *catalog, slice url, struct err *err)
{
	struct report r;
	struct why w;
	int rc = report_load(&r, catalog, 0, err);

	if (rc) {
		report_release(&r);
		return rc;
	}
	rc = why_load(&w, catalog, r.capture.id, url, err);
	if (rc == 0)
		rc = find_visit(e, archive, &w, err);
	if (rc == 0)
		e->sharp = r.pages.ptr[w.page].verdict == VERDICT_SHARP;
	why_release(&w);
	report_release(&r);
	return rc;
}

int exhibit_load(struct exhibit *e, const char *archive, slice url, struct err *err)
{
	char path[sizeof e->file];
	struct catalog *catalog;
	int rc;

	*e = (struct exhibit){0};
	buf_init(&e->block, EXHIBIT_MAX);
	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", archive);
	rc = catalog_open(path, CATALOG_READ, &catalog, err);
	if (rc)
		return rc;
	rc = look_up(e, archive, catalog, url, err);
	catalog_close(catalog);
	return rc ? rc : read_record(e, err);
}

void exhibit_release(struct exhibit *e)
{
	buf_release(&e->block);
}

int exhibit_flip(const struct exhibit *e, struct err *err)
{
	int fd = file_open_own(AT_FDCWD, e->file, O_RDWR);
	off_t at = (off_t)(e->offset + e->length / 2);
	unsigned char byte = 0;
	bool good;

	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", e->file, strerror(errno));
	good = pread(fd, &byte, 1, at) == 1;
	byte ^= 1;
	good = good && pwrite(fd, &byte, 1, at) == 1;
	(void)close(fd);
	return good ? 0 : err_set(err, ERR_IO, "%s: %s", e->file, strerror(errno));
}
