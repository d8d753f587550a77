/*
 * Digests as WARC names them (ISO 28500 §5.8, "algorithm:value"), computed by OpenSSL's EVP. Values
 * are read in base32 (RFC 4648 §6, with or without padding) and hexadecimal, in either case; the
 * length tells which.
 */
#ifndef FORMATS_HTTP_DIGEST_H
#define FORMATS_HTTP_DIGEST_H

#include "base/api.h"
#include "base/slice.h"

enum digest_kind {
	DIGEST_MD5,
	DIGEST_SHA1,
	DIGEST_SHA256,
	/*
	 * The first 5 bytes of a SHA-256: what the catalog keeps of a look that differs by noise
	 * (catalog/catalog_packed.h). It is no digest of a whole thing, and equals none.
	 */
	DIGEST_SHORT,
};

enum {
	DIGEST_SIZE_MAX = 32,
	DIGEST_TEXT_SIZE = sizeof("sha256:") + 2 * DIGEST_SIZE_MAX, /* with the NUL */
};

struct digest {
	enum digest_kind kind;
	unsigned char bytes[DIGEST_SIZE_MAX]; /* the kind says how many count */
};

/* How many bytes count. */
size_t digest_size(enum digest_kind kind);

/* "sha1:…", "SHA-256:…", "md5:…": 0, ERR_UNSUPPORTED for another algorithm, ERR_SYNTAX. */
int digest_parse(slice text, struct digest *ret) SP_MUST_CHECK;

/* "sha256:" and lower case hexadecimal; returns the length without the NUL. */
size_t digest_format(const struct digest *d, char out[DIGEST_TEXT_SIZE]);

bool digest_eq(const struct digest *a, const struct digest *b);

/* Whether a digest, perhaps a short one, is what is kept of the whole one. */
bool digest_fits(const struct digest *kept, const struct digest *whole);

/* Makes a SHA-256 a short one; others stay as they are. */
void digest_shorten(struct digest *d);

struct evp_md_ctx_st; /* OpenSSL's EVP_MD_CTX */

/* A digest being computed; its memory is reused from one to the next. Zero-initialise. */
struct digester {
	struct evp_md_ctx_st *ctx;
	enum digest_kind kind;
};

/* Begins a digest, whatever was under way: 0 or ERR_UNSUPPORTED (by this OpenSSL). */
int digester_start(struct digester *d, enum digest_kind kind) SP_MUST_CHECK;

/* OpenSSL says that they may fail: the program ends then (base/mem.h). */
void digester_feed(struct digester *d, slice bytes);
void digester_finish(struct digester *d, struct digest *ret);

void digester_release(struct digester *d);

#endif
