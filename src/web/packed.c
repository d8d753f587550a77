#include "web/packed.h"

#include <stdint.h>
#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/err.h"

enum {
	CHUNK = 48 << 10,   /* compressed bytes that become base64 at a time: a multiple of 3 */
	WINDOW = 15 + 16,   /* zlib's largest window, with a gzip header */
	MEMORY = 8,         /* zlib's default */
	LEVEL = 4,          /* half the time of the default, and on columns of digests no larger */
	BUFFER = 256 << 10, /* of the FILE */
};

struct packed {
	FILE *page;
	z_stream z;
	unsigned char out[CHUNK];
	char text[CHUNK / 3 * 4];
};

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

enum { PADDING = 64 };

/* Three bytes are four digits; only the last group may be shorter. */
static void put_base64(struct packed *p, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i += 3) {
		unsigned char *b = p->out + i;
		unsigned left = (unsigned)(count - i);
		uint32_t group = (uint32_t)b[0] << 16 | (uint32_t)(left > 1 ? b[1] : 0) << 8 |
				 (left > 2 ? b[2] : 0);

		p->text[len++] = DIGITS[group >> 18];
		p->text[len++] = DIGITS[group >> 12 & 63];
		p->text[len++] = DIGITS[left > 1 ? group >> 6 & 63 : PADDING];
		p->text[len++] = DIGITS[left > 2 ? group & 63 : PADDING];
	}
	(void)fwrite(p->text, 1, len, p->page);
}

/* Whole chunks go out; what is left stays in out unless this is the end. */
static void deflate_all(struct packed *p, int flush)
{
	int rc;

	do {
		rc = deflate(&p->z, flush);
		if (p->z.avail_out > 0)
			continue;
		put_base64(p, CHUNK);
		p->z.next_out = p->out;
		p->z.avail_out = CHUNK;
	} while (p->z.avail_in > 0 || (flush == Z_FINISH && rc == Z_OK));
}

static ssize_t write_packed(void *cookie, const char *bytes, size_t count)
{
	struct packed *p = cookie;

	p->z.next_in = (const Bytef *)bytes;
	p->z.avail_in = (uInt)count;
	deflate_all(p, Z_NO_FLUSH);
	return (ssize_t)count;
}

static int close_packed(void *cookie)
{
	struct packed *p = cookie;

	p->z.avail_in = 0;
	deflate_all(p, Z_FINISH);
	put_base64(p, CHUNK - p->z.avail_out);
	(void)deflateEnd(&p->z);
	(void)fputs("</script>\n", p->page);
	free(p);
	return 0;
}

static const cookie_io_functions_t FUNCTIONS = {.write = write_packed, .close = close_packed};

FILE *packed_begin(FILE *page, const char *id)
{
	struct packed *p = malloc(sizeof *p);
	FILE *data;

	if (!p)
		return NULL;
	p->page = page;
	p->z = (z_stream){.next_out = p->out, .avail_out = CHUNK};
	if (deflateInit2(&p->z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return NULL;
	}
	data = fopencookie(p, "w", FUNCTIONS);
	if (!data) {
		(void)deflateEnd(&p->z);
		free(p);
		return NULL;
	}
	(void)setvbuf(data, NULL, _IOFBF, BUFFER);
	(void)fprintf(page, "<script type=\"application/gzip\" id=\"%s\">", id);
	return data;
}

int packed_end(FILE *data)
{
	return fclose(data) ? ERR_NOMEM : 0;
}
