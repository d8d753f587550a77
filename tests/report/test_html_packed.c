#include "report/html.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "written.h"

static const char BEGIN[] = "<script type=\"application/gzip\" id=\"data\">";
static const char END[] = "</script>\n";

/* Undoes base64 by OpenSSL and gzip by zlib; the number of bytes. */
static size_t unpack(const char *text, unsigned char *out, size_t size)
{
	size_t len = strlen(text) - strlen(BEGIN) - strlen(END);
	unsigned char *packed = malloc(len + 1);
	z_stream z = {.next_in = packed, .avail_in = (uInt)(len / 4 * 3), .next_out = out};

	z.avail_out = (uInt)size;
	CHECK(strncmp(text, BEGIN, strlen(BEGIN)) == 0);
	CHECK_INT(EVP_DecodeBlock(packed, (const unsigned char *)text + strlen(BEGIN), (int)len),
		len / 4 * 3);
	CHECK_INT(inflateInit2(&z, 15 + 16), Z_OK);
	CHECK_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	(void)inflateEnd(&z);
	free(packed);
	return z.total_out;
}

/* Bytes that hardly compress, so that they fill several chunks. */
static void fill(unsigned char *bytes, size_t size)
{
	uint32_t state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(state >> 24);
	}
}

/* What is packed comes out again, whatever its size: chunks end anywhere. */
static void test_sizes(void)
{
	static const size_t SIZES[] = {0, 1, 2, 3, 1000, 49152, 300001};

	for (size_t i = 0; i < ARRAY_LEN(SIZES); i++) {
		size_t size = SIZES[i];
		unsigned char *bytes = malloc(size + 1), *back = malloc(size + 1);
		struct written w;
		FILE *data;
		char *text;

		tap_case("%zu bytes", size);
		fill(bytes, size);
		written_begin(&w);
		data = packed_begin(w.file, "data");
		CHECK(data != NULL);
		CHECK_INT(fwrite(bytes, 1, size, data), size);
		CHECK_INT(packed_end(data), 0);
		text = written_end(&w);
		CHECK_INT(unpack(text, back, size + 1), size);
		CHECK(memcmp(bytes, back, size) == 0);
		free(text);
		free(bytes);
		free(back);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sizes();
	return tap_done();
}
