#include "archive/warc_check.h"

#include "base/err.h"
#include "base/word.h"

/* What the field states; NONE with *ret_has when it can be checked. */
static enum warc_verdict read_stated(
	const struct warc_header *h, slice name, struct digest *ret, bool *ret_has)
{
	slice text = warc_header_get(h, name);

	*ret_has = text.ptr && digest_parse(text, ret) == 0;
	return text.ptr && !*ret_has ? WARC_VERDICT_UNKNOWN : WARC_VERDICT_NONE;
}

static enum payload_form find_form(const struct warc_header *h)
{
	bool is_message = h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REQUEST ||
			  h->type == WARC_TYPE_REVISIT;

	if (h->content_type.ptr)
		return payload_is_http(h->content_type) ? PAYLOAD_HTTP : PAYLOAD_WHOLE;
	return is_message && word_starts(h->url, SLICE("http")) ? PAYLOAD_HTTP : PAYLOAD_WHOLE;
}

static bool has_own_payload(const struct warc_header *h)
{
	return h->type != WARC_TYPE_REVISIT && h->type != WARC_TYPE_CONTINUATION &&
	       !warc_header_get(h, SLICE("WARC-Segment-Number")).ptr;
}

/* An algorithm that this OpenSSL refuses (MD5, where it is forbidden) is one we do not know. */
static int start_digest(int rc, bool *has, enum warc_verdict *verdict)
{
	if (rc != ERR_UNSUPPORTED)
		return rc;
	*has = false;
	*verdict = WARC_VERDICT_UNKNOWN;
	return 0;
}

int warc_check_start(struct warc_check *c, const struct warc_header *h, bool with_digests)
{
	enum payload_form form = find_form(h);
	int rc = 0;

	c->has_block = c->has_payload = false;
	c->block_verdict = c->payload_verdict = WARC_VERDICT_NONE;
	if (with_digests) {
		c->block_verdict =
			read_stated(h, SLICE("WARC-Block-Digest"), &c->stated_block, &c->has_block);
		if (has_own_payload(h))
			c->payload_verdict = read_stated(h, SLICE("WARC-Payload-Digest"),
				&c->stated_payload, &c->has_payload);
	}
	if (c->has_payload)
		rc = start_digest(payload_start(&c->payload, form, c->stated_payload.kind),
			&c->has_payload, &c->payload_verdict);
	if (!c->has_payload)
		payload_start_unchecked(&c->payload, form);
	if (rc == 0 && c->has_block)
		rc = start_digest(digester_start(&c->block, c->stated_block.kind), &c->has_block,
			&c->block_verdict);
	return rc;
}

int warc_check_feed(struct warc_check *c, slice bytes)
{
	int rc = c->has_block ? digester_feed(&c->block, bytes) : 0;

	return rc ? rc : payload_feed(&c->payload, bytes);
}

static enum warc_verdict judge_payload(
	const struct digest *stated, const struct payload_digests *found)
{
	if (digest_eq(stated, &found->decoded))
		return WARC_VERDICT_OK;
	return digest_eq(stated, &found->as_sent) ? WARC_VERDICT_AS_SENT : WARC_VERDICT_BAD;
}

int warc_check_finish(struct warc_check *c)
{
	struct payload_digests payload;
	struct digest block;
	int rc = 0;

	if (c->has_block) {
		rc = digester_finish(&c->block, &block);
		if (rc == 0)
			c->block_verdict = digest_eq(&block, &c->stated_block) ? WARC_VERDICT_OK
									       : WARC_VERDICT_BAD;
	}
	if (rc == 0 && c->has_payload) {
		rc = payload_finish(&c->payload, &payload);
		if (rc == 0)
			c->payload_verdict = judge_payload(&c->stated_payload, &payload);
	}
	return rc;
}

void warc_check_release(struct warc_check *c)
{
	payload_release(&c->payload);
	digester_release(&c->block);
	*c = (struct warc_check){0};
}
