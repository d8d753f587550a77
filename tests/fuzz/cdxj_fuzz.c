/* CDXJ lines: any line is read or refused, and what was read comes back when written and read
 * again. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "warc/cdxj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static bool is_clean(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] <= ' ' || (unsigned char)s.ptr[i] >= 0x7f)
			return false;
	return true;
}

/* Bytes that are no UTF-8 are replaced on writing: those are compared by being there. */
static void require_same(slice a, slice b)
{
	require((a.ptr == NULL) == (b.ptr == NULL));
	require(!a.ptr || !is_clean(a) || slice_eq(a, b));
}

static void round_trip(const struct cdxj *line)
{
	struct buf out, scratch;
	struct cdxj again;
	int rc;

	buf_init(&out, 8 * CDXJ_LINE_MAX);
	buf_init(&scratch, CDXJ_LINE_MAX);
	rc = cdxj_write(&out, line);
	require(rc == 0 || rc == ERR_SYNTAX || rc == ERR_LIMIT);
	if (rc == 0) {
		require(cdxj_parse(slice_sub(buf_slice(&out), 0, out.len - 1), &scratch, &again) ==
			0);
		require_same(line->key, again.key);
		require_same(line->url, again.url);
		require_same(line->mime, again.mime);
		require_same(line->digest, again.digest);
		require_same(line->filename, again.filename);
		require(line->status == again.status && line->has_place == again.has_place);
		require(!line->has_place ||
			(line->offset == again.offset && line->length == again.length));
	}
	buf_release(&out);
	buf_release(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	struct buf scratch;
	struct cdxj line;

	buf_init(&scratch, CDXJ_LINE_MAX);
	if (cdxj_parse(input, &scratch, &line) == 0)
		round_trip(&line);
	buf_release(&scratch);
	return 0;
}
