#include "formats/http_digest.h"

/* OpenSSL has a type of the name of one of our error codes. */
#define ERR_STATE OPENSSL_ERR_STATE
#include <openssl/evp.h>
#undef ERR_STATE
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/http_fields.h"

static const struct {
	slice name; /* as we write it */
	slice alias;
	const char *openssl;
	size_t size;
} KINDS[] = {
	[DIGEST_MD5] = {SLICE_INIT("md5"), SLICE_INIT("md-5"), "MD5", 16},
	[DIGEST_SHA1] = {SLICE_INIT("sha1"), SLICE_INIT("sha-1"), "SHA1", 20},
	[DIGEST_SHA256] = {SLICE_INIT("sha256"), SLICE_INIT("sha-256"), "SHA256", 32},
	[DIGEST_SHORT] = {SLICE_INIT("sha256"), SLICE_INIT("sha256"), "SHA256", 5},
};

enum { KIND_COUNT = DIGEST_SHORT }; /* that texts have */

static int base32_value(char c)
{
	if (c >= '2' && c <= '7')
		return c - '2' + 26;
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z' ? c - 'a' : -1;
}

/* Reads digits of so many bits each into size bytes; bits left over at the end must be zero. */
static int decode(slice text, unsigned bits, int (*value)(char), unsigned char *out, size_t size)
{
	unsigned held = 0, acc = 0;
	size_t len = 0;

	for (size_t i = 0; i < text.len; i++) {
		int v = value(text.ptr[i]);

		if (v < 0)
			return ERR_SYNTAX;
		acc = (acc << bits | (unsigned)v) & 0xfff;
		held += bits;
		if (held < 8)
			continue;
		if (len == size)
			return ERR_SYNTAX;
		held -= 8;
		out[len++] = (unsigned char)(acc >> held);
	}
	return len == size && (acc & ((1U << held) - 1)) == 0 ? 0 : ERR_SYNTAX;
}

int digest_parse(slice text, struct digest *ret)
{
	const char *colon = text.len ? memchr(text.ptr, ':', text.len) : NULL;
	struct digest d = {0};
	slice name, value;
	unsigned kind = 0;
	size_t size;
	int rc;

	if (!colon)
		return ERR_SYNTAX;
	name = fields_trim(slice_sub(text, 0, (size_t)(colon - text.ptr)));
	value = fields_trim(slice_sub(text, (size_t)(colon - text.ptr) + 1, text.len));
	while (kind < KIND_COUNT && !word_is(name, KINDS[kind].name) &&
		!word_is(name, KINDS[kind].alias))
		kind++;
	if (kind == KIND_COUNT)
		return ERR_UNSUPPORTED;
	d.kind = (enum digest_kind)kind;
	size = KINDS[kind].size;
	if (value.len == 2 * size && value.ptr[value.len - 1] != '=') {
		rc = decode(value, 4, word_hex, d.bytes, size);
	} else {
		while (value.len > 0 && value.ptr[value.len - 1] == '=')
			value.len--;
		rc = decode(value, 5, base32_value, d.bytes, size);
	}
	if (rc == 0)
		*ret = d;
	return rc;
}

size_t digest_size(enum digest_kind kind)
{
	return KINDS[kind].size;
}

size_t digest_format(const struct digest *d, char out[DIGEST_TEXT_SIZE])
{
	static const char HEX[] = "0123456789abcdef";
	slice name = KINDS[d->kind].name;
	size_t len = name.len;

	memcpy(out, name.ptr, name.len);
	out[len++] = ':';
	for (size_t i = 0; i < KINDS[d->kind].size; i++) {
		out[len++] = HEX[d->bytes[i] >> 4];
		out[len++] = HEX[d->bytes[i] & 15];
	}
	out[len] = '\0';
	return len;
}

bool digest_eq(const struct digest *a, const struct digest *b)
{
	return a->kind == b->kind && memcmp(a->bytes, b->bytes, KINDS[a->kind].size) == 0;
}

bool digest_fits(const struct digest *kept, const struct digest *whole)
{
	if (kept->kind != DIGEST_SHORT)
		return digest_eq(kept, whole);
	return whole->kind == DIGEST_SHA256 &&
	       memcmp(kept->bytes, whole->bytes, KINDS[DIGEST_SHORT].size) == 0;
}

void digest_shorten(struct digest *d)
{
	size_t size = KINDS[DIGEST_SHORT].size;

	if (d->kind != DIGEST_SHA256)
		return;
	d->kind = DIGEST_SHORT;
	memset(d->bytes + size, 0, sizeof d->bytes - size);
}

/* The algorithm is fetched only when it changes: that costs more than a small digest. */
int digester_start(struct digester *d, enum digest_kind kind)
{
	const EVP_MD *same = d->ctx ? EVP_MD_CTX_get0_md(d->ctx) : NULL;
	EVP_MD *md;

	if (!d->ctx && !(d->ctx = EVP_MD_CTX_new()))
		mem_end();
	md = same && d->kind == kind ? NULL : EVP_MD_fetch(NULL, KINDS[kind].openssl, NULL);
	if (!md && !(same && d->kind == kind))
		return ERR_UNSUPPORTED;
	if (EVP_DigestInit_ex(d->ctx, md, NULL) != 1)
		mem_end();
	EVP_MD_free(md);
	d->kind = kind;
	return 0;
}

void digester_feed(struct digester *d, slice bytes)
{
	if (bytes.len > 0 && EVP_DigestUpdate(d->ctx, bytes.ptr, bytes.len) != 1)
		mem_end();
}

void digester_finish(struct digester *d, struct digest *ret)
{
	struct digest value = {.kind = d->kind};

	if (EVP_DigestFinal_ex(d->ctx, value.bytes, NULL) != 1)
		mem_end();
	*ret = value;
}

void digester_release(struct digester *d)
{
	EVP_MD_CTX_free(d->ctx);
	*d = (struct digester){0};
}
