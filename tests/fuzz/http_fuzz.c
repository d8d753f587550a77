/* HTTP messages in WARC blocks: taken apart in the same way, whatever pieces they come in. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "formats/http_payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static struct payload_digests digests_of(slice block, size_t piece, struct payload *p)
{
	struct payload_digests d = {0};

	require(payload_start(p, PAYLOAD_HTTP, DIGEST_SHA1) == 0);
	for (size_t at = 0; at < block.len; at += piece)
		require(payload_feed(p, slice_sub(block, at, at + piece)) == 0);
	require(payload_finish(p, &d) == 0);
	return d;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = {1, 3, 61};
	slice block = {(const char *)data, size};
	struct payload whole = {0}, parts = {0};
	struct payload_digests want = digests_of(block, size + 1, &whole);

	require(whole.state != PAYLOAD_HEAD);
	require(whole.head.len + whole.body == size || whole.state == PAYLOAD_NO_HTTP);
	require(whole.body_clean <= whole.body);
	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		struct payload_digests got = digests_of(block, pieces[i], &parts);

		require(parts.state == whole.state && parts.status == whole.status);
		require(parts.body == whole.body && parts.body_clean == whole.body_clean);
		require(digest_eq(&got.as_sent, &want.as_sent));
		require(digest_eq(&got.decoded, &want.decoded));
	}
	payload_release(&whole);
	payload_release(&parts);
	return 0;
}
