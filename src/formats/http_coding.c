#include "formats/http_coding.h"

#include "base/err.h"
#include "base/word.h"

static int add_name(struct buf *names, slice name)
{
	int rc = names->len > 0 ? buf_add_char(names, ',') : 0;

	for (size_t i = 0; rc == 0 && i < name.len; i++)
		rc = buf_add_char(names, word_lower(name.ptr[i]));
	return rc;
}

static int add_names(struct buf *names, slice value)
{
	slice name;
	int rc = 0;

	while (rc == 0 && word_next(&value, ',', &name))
		if (!word_is(name, SLICE("identity")))
			rc = add_name(names, name);
	return rc;
}

int coding_names(const struct fields *head, slice name, struct buf *names)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, name))
			rc = add_names(names, head->items.ptr[i].value);
	return rc;
}

static int choose_state(struct coding *c, bool opaque)
{
	int rc;

	c->state = CODING_PLAIN;
	c->end = CODING_ENDED;
	c->as_sent = false;
	if (c->names.len == 0)
		return 0;
	rc = opaque ? ERR_UNSUPPORTED : decode_open(&c->decode, buf_slice(&c->names), NULL);
	if (rc == ERR_NOMEM)
		return rc;
	c->as_sent = rc || c->decode.unknown;
	if (rc) {
		c->state = CODING_OPAQUE;
		c->end = CODING_UNSEEN;
	} else if (c->decode.count > 0) {
		c->state = CODING_DECODES;
	}
	return c->state == CODING_DECODES ? digester_start(&c->clean, DIGEST_SHA256) : 0;
}

int coding_start(struct coding *c, const struct fields *head, bool opaque)
{
	int rc;

	decode_close(&c->decode);
	buf_reset(&c->names);
	c->names.max = CODING_NAME_MAX;
	c->out.max = CODING_OUT_MAX;
	c->block_len = 0;
	c->sent = 0;
	rc = coding_names(head, SLICE("Content-Encoding"), &c->names);
	if (rc == 0 && opaque)
		rc = coding_names(head, SLICE("Transfer-Encoding"), &c->names);
	if (rc == ERR_LIMIT) { /* names without end: what there is of them stands for all */
		opaque = true;
		rc = 0;
	}
	if (rc == 0)
		rc = choose_state(c, opaque);
	return rc ? rc : digester_start(&c->plain, DIGEST_SHA256);
}

static int pass_on(struct coding *c, slice decoded)
{
	return c->sink && decoded.len > 0 ? c->sink(c->context, decoded) : 0;
}

/* The body is not what its label says: it is read as it was sent. */
static int take_as_sent(struct coding *c, slice block)
{
	c->state = CODING_PLAIN;
	c->end = CODING_UNSEEN;
	c->as_sent = true;
	return pass_on(c, block);
}

static void give_up(struct coding *c, int rc_decode)
{
	c->state = CODING_OPAQUE;
	c->end = rc_decode == ERR_LIMIT ? CODING_UNSEEN : CODING_CUT;
	c->as_sent = true;
}

/* What was decoded before an error goes to the sink as well: there may be links in it. */
static int decode_block(struct coding *c)
{
	slice block = {c->block, c->block_len};
	bool is_first = c->decode.in == 0;
	enum decode_start start = is_first ? decode_start(&c->decode, block) : DECODE_START_SIGNED;
	int rc_decode;

	c->block_len = 0;
	if (start == DECODE_START_OTHER)
		return take_as_sent(c, block);
	buf_reset(&c->out);
	rc_decode = decode_feed(&c->decode, block, &c->out, NULL);
	if (rc_decode == ERR_NOMEM)
		return rc_decode;
	if (rc_decode == ERR_SYNTAX && start == DECODE_START_POSSIBLE && c->out.len == 0)
		return take_as_sent(c, block);
	if (rc_decode)
		give_up(c, rc_decode);
	digester_feed(&c->clean, buf_slice(&c->out));
	return pass_on(c, buf_slice(&c->out));
}

static int feed_decoder(struct coding *c, slice body)
{
	int rc = 0;

	while (rc == 0 && body.len > 0 && c->state == CODING_DECODES) {
		slice part = slice_sub(body, 0, CODING_BLOCK - c->block_len);

		memcpy(c->block + c->block_len, part.ptr, part.len);
		c->block_len += part.len;
		body = slice_sub(body, part.len, body.len);
		if (c->block_len == CODING_BLOCK)
			rc = decode_block(c);
	}
	return rc == 0 && c->state == CODING_PLAIN && body.len > 0 ? pass_on(c, body) : rc;
}

int coding_feed(struct coding *c, slice body)
{
	if (body.len == 0)
		return 0;
	digester_feed(&c->plain, body);
	c->sent += body.len;
	return c->state == CODING_PLAIN ? pass_on(c, body) : feed_decoder(c, body);
}

/*
 * No bytes are a body without coding, whatever the head says (many a redirect); but where there is
 * a coding, they may as well be all that is left of one.
 */
static int end_decoding(struct coding *c)
{
	int rc = 0;

	if (c->sent == 0) {
		c->end = c->state == CODING_PLAIN ? CODING_ENDED : CODING_UNSEEN;
		c->state = CODING_PLAIN;
		c->as_sent = false;
		return 0;
	}
	if (c->state == CODING_DECODES && c->block_len > 0)
		rc = decode_block(c);
	if (rc == 0 && c->state == CODING_DECODES && decode_finish(&c->decode, NULL))
		give_up(c, ERR_SYNTAX);
	return rc;
}

int coding_finish(struct coding *c, struct coding_result *ret)
{
	struct coding_result r = {0};
	int rc = end_decoding(c);

	if (rc == 0)
		digester_finish(&c->plain, &r.payload);
	r.body = r.payload;
	if (rc == 0 && c->state == CODING_DECODES && !c->as_sent)
		digester_finish(&c->clean, &r.body);
	decode_close(&c->decode);
	if (c->out.cap > CODING_OUT_KEEP)
		buf_release(&c->out);
	if (rc)
		return rc;
	r.decoded = !c->as_sent;
	r.readable = c->state != CODING_OPAQUE;
	r.end = c->end;
	r.payload_size = c->sent;
	*ret = r;
	return 0;
}

void coding_release(struct coding *c)
{
	decode_close(&c->decode);
	buf_release(&c->names);
	buf_release(&c->out);
	digester_release(&c->plain);
	digester_release(&c->clean);
}
