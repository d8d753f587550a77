/*
 * States of pages: a response gives the same state in whatever pieces it comes, and the same
 * payload as the WARC's reader computes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "formats/http_message.h"
#include "formats/http_payload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int read_in_pieces(struct message *m, slice block, size_t piece, struct state_result *ret)
{
	message_start(m);
	for (size_t at = 0; at < block.len; at += piece)
		require(message_feed(m, slice_sub(block, at, at + piece)) == 0);
	return message_finish(m, ret);
}

static void check_payload(slice block, const struct state_result *r)
{
	struct payload p = {0};
	struct payload_digests d;

	require(payload_start(&p, PAYLOAD_HTTP, DIGEST_SHA256) == 0);
	require(payload_feed(&p, block) == 0);
	require(payload_finish(&p, &d) == 0);
	require(p.status == r->status && digest_eq(&d.decoded, &r->payload));
	payload_release(&p);
}

static void check_combined(slice block, const struct state_result *r)
{
	struct message *again = message_new(NULL, NULL);
	struct state_result c;

	require(again != NULL);
	message_start(again);
	require(message_feed(again, block) == 0);
	require(message_combine(again, r, &c) == 0);
	require(digest_eq(&c.state, &r->state) && c.whole == r->whole);
	message_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = {1, 7, 4096};
	slice block = {(const char *)data, size};
	struct message *m = message_new(NULL, NULL), *other = message_new(NULL, NULL);
	struct state_result want, got;
	int rc;

	require(m && other);
	rc = read_in_pieces(m, block, size + 1, &want);
	require(rc == 0 || rc == ERR_SYNTAX);
	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		require(read_in_pieces(other, block, pieces[i], &got) == rc);
		require(rc ||
			(digest_eq(&got.state, &want.state) && digest_eq(&got.body, &want.body) &&
				got.whole == want.whole && got.decoded == want.decoded));
	}
	if (rc == 0) {
		check_payload(block, &want);
		check_combined(block, &want);
	}
	message_free(m);
	message_free(other);
	return 0;
}
