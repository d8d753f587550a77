#include "extract/noise_email.h"

#include "base/word.h"

slice noise_email_in_url(slice ref)
{
	static const slice PATH = SLICE_INIT("/cdn-cgi/l/email-protection#");
	const char *at = ref.len ? memmem(ref.ptr, ref.len, PATH.ptr, PATH.len) : NULL;

	if (!at)
		return (slice){0};
	return slice_sub(ref, (size_t)(at - ref.ptr) + PATH.len, ref.len);
}

bool noise_email_decode(slice hex, struct buf *out)
{
	size_t before = out->len;
	int key;

	if (hex.len < 4 || hex.len % 2 || hex.len > 2 * NOISE_EMAIL_MAX)
		return false;
	for (size_t i = 0; i < hex.len; i++)
		if (word_hex(hex.ptr[i]) < 0)
			return false;
	key = word_hex(hex.ptr[0]) << 4 | word_hex(hex.ptr[1]);
	for (size_t i = 2; i < hex.len; i += 2) {
		int byte = word_hex(hex.ptr[i]) << 4 | word_hex(hex.ptr[i + 1]);

		if (buf_add_char(out, (char)(byte ^ key))) {
			buf_truncate(out, before);
			return false;
		}
	}
	return true;
}
