/*
 * The bytes of a sitemap, from memory or a file, unpacked when they are gzip (RFC 1952; many
 * sitemaps are, whatever their name and headers say). Bounded: what comes out is at most
 * SITEMAP_BYTES_MAX long and, beyond the first mebibyte, at most SITEMAP_RATIO_MAX times what went
 * in.
 */
#ifndef FORMATS_SITEMAP_INPUT_H
#define FORMATS_SITEMAP_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	SITEMAP_BYTES_MAX = 256 << 20,  /* unpacked; the protocol allows 50 MB */
	SITEMAP_RATIO_MAX = 200,        /* real ones stay below 50 */
	SITEMAP_RATIO_EXEMPT = 1 << 20, /* bytes before the ratio counts */
	SITEMAP_INPUT_BLOCK = 32 << 10,
};

/* Fields are the input's own. */
struct sitemap_input {
	FILE *file; /* borrowed; or */
	slice rest; /* borrowed */
	uint64_t read;
	uint64_t given;
	bool gzip;
	bool member_done; /* between two gzip members */
	bool ended;
	z_stream z;
	char block[SITEMAP_INPUT_BLOCK]; /* what z reads from */
};

/* Memory or file (from its present position) are borrowed until close. 0, ERR_NOMEM, ERR_IO. */
int sitemap_input_open(
	struct sitemap_input *in, FILE *file, slice memory, struct err *err) SP_MUST_CHECK;

void sitemap_input_close(struct sitemap_input *in);

/*
 * The next bytes, room (> 0) of them but at the end. 0, or ERR_END; ERR_IO; ERR_SYNTAX for damaged
 * gzip data; ERR_LIMIT; all of them with a text in err but ERR_END, and after all of them nothing
 * more comes.
 */
int sitemap_input_read(struct sitemap_input *in, char *to, size_t room, size_t *ret_len,
	struct err *err) SP_MUST_CHECK;

#endif
