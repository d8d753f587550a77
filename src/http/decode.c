#include "http/decode.h"

#include "base/word.h"
#include "http/decode_stage.h"

static int kind_of(slice name, enum decode_kind *ret_kind)
{
	if (word_is(name, SLICE("gzip")) || word_is(name, SLICE("x-gzip")))
		*ret_kind = DECODE_GZIP;
	else if (word_is(name, SLICE("deflate")))
		*ret_kind = DECODE_DEFLATE;
	else if (word_is(name, SLICE("br")))
		*ret_kind = DECODE_BROTLI;
	else if (word_is(name, SLICE("zstd")))
		*ret_kind = DECODE_ZSTD;
	else
		return ERR_UNSUPPORTED;
	return 0;
}

/* Codings are listed in the order in which they were applied: the last is undone first. */
static int add_stage(struct decode *d, slice name, struct err *err)
{
	struct decode_stage *stage;
	enum decode_kind kind;
	int rc;

	if (kind_of(name, &kind)) {
		d->unknown = true;
		return 0;
	}
	if (d->count == DECODE_STAGES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d content codings", DECODE_STAGES_MAX);
	rc = decode_stage_open(kind, &stage);
	if (rc)
		return err_code(err, rc);
	for (size_t i = d->count; i > 0; i--)
		d->stages[i] = d->stages[i - 1];
	d->stages[0] = stage;
	d->count++;
	return 0;
}

int decode_open(struct decode *d, slice content_encoding, struct err *err)
{
	slice name;
	int rc = 0;

	*d = (struct decode){0};
	while (rc == 0 && word_next(&content_encoding, ',', &name))
		if (!word_is(name, SLICE("identity")))
			rc = add_stage(d, name, err);
	if (rc)
		decode_close(d);
	return rc;
}

enum decode_start decode_start(const struct decode *d, slice first)
{
	return decode_stage_start(d->stages[0], first);
}

void decode_close(struct decode *d)
{
	for (size_t i = 0; i < d->count; i++)
		decode_stage_close(d->stages[i]);
	*d = (struct decode){0};
}

/* Asked of every stage, since what one makes of a bomb may be the next one's input. */
static bool is_bomb(const struct decode *d, size_t i)
{
	return d->out[i] > DECODE_RATIO_FREE && d->out[i] / DECODE_RATIO_MAX > d->in;
}

static int add_output(struct buf *out, slice bytes, struct err *err)
{
	size_t room = out->max - out->len;
	int rc = buf_add(out, slice_sub(bytes, 0, room));

	if (rc == 0 && bytes.len > room)
		rc = ERR_LIMIT;
	return rc ? err_set(err, rc, "decoded body: %s", err_name(rc)) : 0;
}

/* One step of a stage: 0 or an error, and how many bytes came out in either case. */
static int step(struct decode *d, size_t i, slice *in, char out[DECODE_STEP], size_t *ret_out,
	struct err *err)
{
	struct decode_stage *s = d->stages[i];
	size_t before = in->len;
	int rc = decode_stage_step(s, in, out, DECODE_STEP, ret_out);

	if (rc == 0 && before && in->len == before && *ret_out == 0)
		rc = ERR_SYNTAX; /* a library that does not move on would keep us for ever */
	if (rc)
		return err_set(err, rc, "%s body: %s", decode_stage_name(s), err_name(rc));
	d->out[i] += *ret_out;
	if (is_bomb(d, i))
		return err_set(err, ERR_LIMIT,
			"%s body: more than %d times as large as its coded form",
			decode_stage_name(s), DECODE_RATIO_MAX);
	return 0;
}

/* One stage's share of the way, and then the next one's; as deep as there are stages. */
static int pass(struct decode *d, size_t i, slice in, struct buf *out, struct err *err)
{
	size_t n;

	if (i == d->count)
		return add_output(out, in, err);
	do {
		char bytes[DECODE_STEP];
		int rc = step(d, i, &in, bytes, &n, err), next = 0;

		/* What came out before an error is as good as the rest. */
		if (n)
			next = pass(d, i + 1, (slice){bytes, n}, out, rc ? NULL : err);
		if (rc || next)
			return rc ? rc : next;
	} while (in.len || n == DECODE_STEP);
	return 0;
}

int decode_feed(struct decode *d, slice chunk, struct buf *out, struct err *err)
{
	d->in += chunk.len;
	return chunk.len ? pass(d, 0, chunk, out, err) : 0;
}

int decode_finish(const struct decode *d, struct err *err)
{
	for (size_t i = 0; i < d->count; i++)
		if (!decode_stage_ended(d->stages[i]))
			return err_set(err, ERR_SYNTAX, "%s body is truncated",
				decode_stage_name(d->stages[i]));
	return 0;
}
