#include "proof/email.h"

#include "base/word.h"

enum { EMAIL_MAX = 512 };

/* Hex digits: the first byte is what all others were combined with. */
static slice decode(struct arena *arena, slice head, slice hex, slice whole)
{
	static const slice MARK = SLICE_INIT("mailto:");
	size_t len = 0;
	char *out;
	int key;

	if (hex.len < 8 || hex.len % 2 || hex.len > EMAIL_MAX)
		return whole;
	for (size_t i = 0; i < hex.len; i++)
		if (word_hex(hex.ptr[i]) < 0)
			return whole;
	out = arena_alloc(arena, head.len + MARK.len + hex.len, 1);
	if (!out)
		return whole;
	if (head.len)
		memcpy(out, head.ptr, head.len);
	memcpy(out + head.len, MARK.ptr, MARK.len);
	len = head.len + MARK.len;
	key = word_hex(hex.ptr[0]) << 4 | word_hex(hex.ptr[1]);
	for (size_t i = 2; i < hex.len; i += 2)
		out[len++] = (char)((word_hex(hex.ptr[i]) << 4 | word_hex(hex.ptr[i + 1])) ^ key);
	return (slice){out, len};
}

slice email_decode(struct arena *arena, slice attr, slice value)
{
	static const slice PATH = SLICE_INIT("/cdn-cgi/l/email-protection#");
	const char *at;
	size_t head;

	if (slice_eq(attr, SLICE("data-cfemail")))
		return decode(arena, SLICE(""), value, value);
	if (!slice_eq(attr, SLICE("href")) || !value.len)
		return value;
	at = memmem(value.ptr, value.len, PATH.ptr, PATH.len);
	if (!at)
		return value;
	head = (size_t)(at - value.ptr) + PATH.len;
	return decode(arena, slice_sub(value, 0, head), slice_sub(value, head, value.len), value);
}
