/*
 * The WARC reader: any bytes are read to their end. Records and gaps come one behind another, and
 * each is found again at its spot, with the same header.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "warc/cdxj.h"
#include "warc/warc_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SPOTS_MAX = 8 };

struct seen {
	struct warc_spot spot;
	enum warc_type type;
	size_t url_len;
};

static void require(bool ok)
{
	if (!ok)
		abort();
}

static bool is_behind(struct warc_spot a, struct warc_spot b)
{
	return a.offset > b.offset || (a.offset == b.offset && a.inner > b.inner);
}

static void check_record(const struct warc_record *rec, size_t size)
{
	struct cdxj line;

	require(rec->is_gap ? rec->problem.code != 0 : rec->header.fields.first_line.len > 0);
	if (!rec->is_shared)
		require(rec->length > 0 && rec->length <= size - rec->spot.offset);
	(void)cdxj_from_record(rec, SLICE("file"), &line);
}

/* Reads all; the first records that are whole are noted. */
static size_t read_all(struct warc_reader *r, size_t size, struct seen seen[SPOTS_MAX])
{
	const struct warc_record *rec;
	struct warc_spot last = {0};
	struct err err = {0};
	size_t count = 0;
	bool first = true;
	int rc;

	while ((rc = warc_reader_next(r, &rec, &err)) == 0) {
		require(warc_reader_end(r, &err) == 0);
		check_record(rec, size);
		require(first || is_behind(rec->spot, last));
		first = false;
		last = rec->spot;
		if (!rec->is_gap && count < SPOTS_MAX)
			seen[count++] =
				(struct seen){rec->spot, rec->header.type, rec->header.url.len};
	}
	require(rc == ERR_END);
	return count;
}

static void find_again(struct warc_reader *r, const struct seen *seen)
{
	const struct warc_record *rec;
	struct err err = {0};

	require(warc_reader_seek(r, seen->spot, &err) == 0);
	require(warc_reader_next(r, &rec, &err) == 0 && !rec->is_gap);
	require(rec->spot.offset == seen->spot.offset && rec->spot.inner == seen->spot.inner);
	require(rec->header.type == seen->type && rec->header.url.len == seen->url_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct warc_source source = {.fd = -1, .memory = {(const char *)data, size}};
	struct seen seen[SPOTS_MAX];
	struct warc_reader *r;
	struct err err = {0};
	size_t count;

	if (warc_reader_open_source(&source, 0, &r, &err)) {
		require(err.text[0] != '\0');
		return 0;
	}
	count = read_all(r, size, seen);
	for (size_t i = count; i-- > 0;)
		find_again(r, &seen[i]);
	warc_reader_close(r);
	return 0;
}
