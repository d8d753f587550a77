/* Members of gzip: what ISA-L takes for one, zlib reads in the same way. */
#include <stdint.h>
#include <stdlib.h>
#define ZLIB_CONST /* next_in is */
#include <zlib.h>

#include "base/buf.h"
#include "warc/warc_compress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_MAX = 1 << 20, GZIP = 15 + 16 };

static void must(bool so)
{
	if (!so)
		abort();
}

static void compare(slice member, slice got)
{
	z_stream z = {.next_in = (const Bytef *)member.ptr, .avail_in = (uInt)member.len};
	char *out = malloc(got.len + 1);

	must(out && inflateInit2(&z, GZIP) == Z_OK);
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)got.len + 1;
	must(inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0);
	must(slice_eq((slice){out, z.total_out}, got));
	(void)inflateEnd(&z);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice member = {(const char *)data, size};
	struct buf out;

	buf_init(&out, OUT_MAX);
	if (warc_gzip_unpack(member, &out) == 0)
		compare(member, buf_slice(&out));
	buf_release(&out);
	return 0;
}
