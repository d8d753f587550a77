#include "catalog/catalog_packed.h"

#include <stddef.h>
#include <string.h>

#include "warc/attempt.h"

/*
 * Which fields differ is a number, of which each bit stands for one of these; those that differ
 * often have the low bits. The order is part of the form.
 */
enum {
	BIT_CLOCK,
	BIT_RECORD_ID, /* it does not follow from the look */
	BIT_FIELDS,    /* and from here on FIELDS */
};

enum field_kind {
	COUNT, /* unsigned */
	FLAG,  /* bool */
	TIME,  /* int64_t */
	HASH,  /* uint64_t */
	AGE,   /* struct attempt_age */
	TEXT,  /* slice */
	RULES, /* the same, of which the beginning is often that of the look before */
	WORD,  /* slice, in the table word */
	DIGEST,
};

struct field_form {
	enum field_kind kind;
	size_t member, flag; /* offsets */
};

#define FIELD(kind, member)                                 \
	{                                                   \
		(kind), offsetof(struct attempt, member), 0 \
	}
#define DIGEST_FIELD(member)                                                                     \
	{                                                                                        \
		DIGEST, offsetof(struct attempt, member), offsetof(struct attempt, has_##member) \
	}

static const struct field_form FIELDS[] = {
	FIELD(AGE, age),
	FIELD(WORD, address),
	FIELD(WORD, caches),
	FIELD(RULES, rules),
	DIGEST_FIELD(state),
	DIGEST_FIELD(payload),
	FIELD(TEXT, etag),
	FIELD(TIME, modified),
	FIELD(FLAG, is_revisit),
	DIGEST_FIELD(class),
	FIELD(COUNT, masked),
	FIELD(COUNT, rule_set),
	FIELD(TEXT, links),
	FIELD(HASH, coding),
	FIELD(COUNT, status),
	FIELD(WORD, media_type),
	FIELD(FLAG, close_delimited),
	FIELD(FLAG, truncated),
	FIELD(TEXT, failure),
	FIELD(WORD, purpose),
	FIELD(WORD, stand_in),
	FIELD(WORD, warc),
	FIELD(TIME, retired),
	FIELD(FLAG, is_compact),
	FIELD(TEXT, deceit),
};

/* Their places in FIELDS. */
enum { FIELD_STATE = 4, FIELD_PAYLOAD };

enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0], BITS = BIT_FIELDS + FIELD_COUNT };

/* Besides FIELDS: leg, attempt, six times, place, length and record_id. */
_Static_assert(CATALOG_OBSERVATION_COLUMNS == FIELD_COUNT + 11,
	"a new column of observation has to be added to FIELDS, at the end");

enum {
	NO_DIGEST = 0, /* else its kind + 1 */
	WORD_NONE = 0,
	WORD_TEXT = 1, /* and from 2 on numbers of words, from 1 */
};

/* Differences wrap around: whatever the values are, adding gives them back. */
static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

void packed_looks_begin(const struct attempt *base, struct attempt *ret)
{
	*ret = base ? *base : (struct attempt){0};
	/* What a look has that is not a response, and what is never the same. */
	ret->is_compact = ret->is_revisit = true;
	ret->links = ret->warc = (slice){0};
	ret->offset = ret->length = 0;
	ret->number = 0;
	ret->retired = 0;
	ret->clock.sent = minus(ret->clock.sent, ret->wall.sent);
	ret->wall = (struct attempt_times){0};
}

int packed_looks_start(struct buf *rows, const struct attempt *base)
{
	int rc = pack_number(rows, base ? base->number : 0);

	return rc || !base ? rc : pack_number(rows, base->leg);
}

/* ---- writing ---- */

static bool same_text(slice a, slice b)
{
	return !a.ptr == !b.ptr && slice_eq(a, b);
}

static bool same_field(const struct field_form *f, const struct attempt *a, const struct attempt *b)
{
	const char *x = (const char *)a + f->member, *y = (const char *)b + f->member;
	bool has_x, has_y;

	switch (f->kind) {
	case COUNT:
		return *(const unsigned *)x == *(const unsigned *)y;
	case FLAG:
		return *(const bool *)x == *(const bool *)y;
	case TIME:
	case HASH:
		return *(const uint64_t *)x == *(const uint64_t *)y;
	case AGE:
		has_x = ((const struct attempt_age *)x)->known;
		has_y = ((const struct attempt_age *)y)->known;
		return has_x == has_y &&
		       (!has_x || ((const struct attempt_age *)x)->seconds ==
					  ((const struct attempt_age *)y)->seconds);
	case TEXT:
	case RULES:
	case WORD:
		return same_text(*(const slice *)x, *(const slice *)y);
	case DIGEST:
		has_x = *((const char *)a + f->flag);
		has_y = *((const char *)b + f->flag);
		return has_x == has_y &&
		       (!has_x || digest_eq((const struct digest *)x, (const struct digest *)y));
	}
	return false;
}

/* Then the digest of its payload comes behind that of its state. */
static bool is_short(const struct attempt *look)
{
	return look->has_state && look->state.kind == DIGEST_SHORT && look->has_payload &&
	       look->payload.kind == DIGEST_SHORT;
}

static unsigned char first_byte(slice text)
{
	return text.len ? (unsigned char)text.ptr[0] : ' ';
}

/*
 * A text that begins with a control character, which rules never do: that is how many bytes of the
 * one before come in its place.
 */
static int add_rules(struct buf *rows, slice before, slice text)
{
	bool may_share = text.len < PACKED_JOINED_MAX;
	unsigned char shared = 0;

	while (may_share && shared < before.len && shared < text.len && shared < ' ' - 1 &&
		text.ptr[shared] == before.ptr[shared])
		shared++;
	if (shared == 0 && first_byte(text) >= ' ')
		return pack_optional(rows, text);
	text = slice_sub(text, shared, text.len);
	TRY(pack_number(rows, (uint64_t)text.len + 2));
	TRY(buf_add_char(rows, (char)shared));
	return buf_add(rows, text);
}

static int add_word(struct catalog *c, struct buf *rows, slice text, struct err *err)
{
	int64_t number = 0;
	int rc = text.ptr ? catalog_word_number(c, text, &number, err) : 0;

	if (rc)
		return rc;
	if (number)
		return err_code(err, pack_number(rows, (uint64_t)number + WORD_TEXT));
	rc = pack_number(rows, text.ptr ? WORD_TEXT : WORD_NONE);
	return err_code(err, rc || !text.ptr ? rc : pack_text(rows, text));
}

static int add_digest(struct buf *rows, bool has, const struct digest *d)
{
	int rc = pack_number(rows, has ? (uint64_t)d->kind + 1 : NO_DIGEST);

	return rc || !has ? rc
			  : buf_add(rows, (slice){(const char *)d->bytes, digest_size(d->kind)});
}

static int add_field(struct catalog *c, struct buf *rows, const struct field_form *f,
	const struct attempt *before, const struct attempt *a, struct err *err)
{
	const void *x = (const char *)a + f->member;
	const struct attempt_age *age = x;
	int rc;

	switch (f->kind) {
	case COUNT:
		return err_code(err, pack_number(rows, *(const unsigned *)x));
	case FLAG:
		return 0; /* the other one */
	case TIME:
		return err_code(err, pack_signed(rows, *(const int64_t *)x));
	case HASH:
		return err_code(err, pack_big(rows, *(const int64_t *)x));
	case AGE:
		return err_code(
			err, pack_number(rows, age->known ? (uint64_t)age->seconds + 1 : 0));
	case TEXT:
		return err_code(err, pack_optional(rows, *(const slice *)x));
	case RULES:
		return err_code(err, add_rules(rows, before->rules, a->rules));
	case WORD:
		return add_word(c, rows, *(const slice *)x, err);
	case DIGEST:
		rc = add_digest(rows, *((const char *)a + f->flag), x);
		if (rc == 0 && f == &FIELDS[FIELD_STATE] && is_short(a))
			rc = buf_add(rows,
				(slice){(const char *)a->payload.bytes, digest_size(DIGEST_SHORT)});
		return err_code(err, rc);
	}
	return err_code(err, ERR_USAGE);
}

/* Number, times by the wall's clock, batch and length: of every look. */
static int add_place(struct buf *rows, const struct attempt *before, const struct attempt *look)
{
	const struct attempt_times *w = &look->wall;

	TRY(pack_number(rows, look->number - before->number));
	TRY(pack_signed(rows, minus(w->sent, before->wall.sent)));
	TRY(pack_signed(rows, minus(w->first_byte, w->sent)));
	TRY(pack_signed(rows, minus(w->last_byte, w->first_byte)));
	TRY(pack_signed(rows, minus((int64_t)look->offset, (int64_t)before->offset)));
	return pack_signed(rows, minus((int64_t)look->length, (int64_t)before->length));
}

/* How far the monotonic clock is ahead of the wall's; the same throughout a process. */
static int64_t ahead(const struct attempt *a)
{
	return minus(a->clock.sent, a->wall.sent);
}

static bool same_clock(const struct attempt *before, const struct attempt *look)
{
	const struct attempt_times *w = &look->wall, *k = &look->clock;

	return ahead(look) == ahead(before) &&
	       minus(k->first_byte, k->sent) == minus(w->first_byte, w->sent) &&
	       minus(k->last_byte, k->sent) == minus(w->last_byte, w->sent);
}

static int add_clock(struct buf *rows, const struct attempt *before, const struct attempt *look)
{
	const struct attempt_times *k = &look->clock;

	TRY(pack_signed(rows, minus(ahead(look), ahead(before))));
	TRY(pack_signed(rows, minus(k->first_byte, k->sent)));
	return pack_signed(rows, minus(k->last_byte, k->first_byte));
}

static bool has_bit(uint64_t bits, unsigned bit)
{
	return bits >> bit & 1;
}

static uint64_t differences(
	const struct attempt *before, const struct attempt *look, bool is_derived)
{
	uint64_t bits = 0;

	if (!same_clock(before, look))
		bits |= UINT64_C(1) << BIT_CLOCK;
	if (!is_derived)
		bits |= UINT64_C(1) << BIT_RECORD_ID;
	for (unsigned i = 0; i < FIELD_COUNT; i++)
		if (!same_field(&FIELDS[i], before, look))
			bits |= UINT64_C(1) << (BIT_FIELDS + i);
	if (has_bit(bits, BIT_FIELDS + FIELD_STATE) && is_short(look))
		bits &= ~(UINT64_C(1) << (BIT_FIELDS + FIELD_PAYLOAD));
	return bits;
}

/*
 * A body that differs by noise has digests of its own, which nothing else has. The WARC file has
 * them in full; here it counts only whether two looks have the same, and that they show the same
 * is said by their class. A state that is that of the look before stays as it is: equal bytes prove
 * more.
 */
static struct attempt shorten(const struct attempt *before, const struct attempt *look)
{
	struct same_key x = same_key_of(before), y = same_key_of(look);
	struct attempt a = *look;

	if (a.is_compact && !a.is_revisit && a.has_payload && a.rule_set > 0 && y.has_class &&
		a.state.kind == DIGEST_SHA256 && a.payload.kind == DIGEST_SHA256 &&
		same_compare(&x, &y) == SAME_RULES) {
		digest_shorten(&a.payload);
		digest_shorten(&a.state);
	}
	return a;
}

int packed_looks_add(struct catalog *c, struct buf *rows, const struct attempt *before,
	const struct attempt *added, bool is_derived, struct err *err)
{
	const struct attempt stored = shorten(before, added), *look = &stored;
	uint64_t bits = differences(before, look, is_derived);

	TRY(err_code(err, add_place(rows, before, look)));
	TRY(err_code(err, pack_number(rows, bits)));
	if (has_bit(bits, BIT_CLOCK))
		TRY(err_code(err, add_clock(rows, before, look)));
	if (has_bit(bits, BIT_RECORD_ID))
		TRY(err_code(err, pack_optional(rows, look->record_id)));
	for (unsigned i = 0; i < FIELD_COUNT; i++)
		if (has_bit(bits, BIT_FIELDS + i))
			TRY(add_field(c, rows, &FIELDS[i], before, look, err));
	return 0;
}

/* ---- reading ---- */

static int read_word(struct catalog *c, struct unpack *u, slice *ret, struct err *err)
{
	uint64_t number = unpack_up_to(u, INT64_MAX);

	*ret = (slice){0};
	if (number > WORD_TEXT)
		return catalog_word_text(c, (int64_t)number - WORD_TEXT, ret, err);
	if (number == WORD_TEXT) {
		*ret = unpack_text(u);
		if (!ret->ptr)
			*ret = SLICE("");
	}
	return 0;
}

static void read_bytes(struct unpack *u, enum digest_kind kind, struct digest *ret)
{
	slice bytes = unpack_bytes(u, digest_size(kind));

	*ret = (struct digest){.kind = kind};
	if (bytes.len)
		memcpy(ret->bytes, bytes.ptr, bytes.len);
}

static bool read_digest(struct unpack *u, struct digest *ret)
{
	uint64_t kind = unpack_up_to(u, DIGEST_SHORT + 1);

	if (kind == NO_DIGEST)
		return false;
	read_bytes(u, (enum digest_kind)(kind - 1), ret);
	return true;
}

static slice read_rules(struct packed_looks *p)
{
	slice before = p->look.rules, rest = unpack_optional(&p->left);
	size_t shared = first_byte(rest);

	if (shared >= ' ')
		return rest;
	rest = slice_sub(rest, 1, rest.len);
	if (shared == 0)
		return rest;
	if (shared > before.len) /* looks may be counted without their base */
		shared = before.len;
	if (shared + rest.len > sizeof p->rules) {
		p->left.bad = true;
		return (slice){0};
	}
	(void)memmove(p->rules, before.ptr ? before.ptr : "", shared);
	(void)memcpy(p->rules + shared, rest.ptr, rest.len);
	return (slice){p->rules, shared + rest.len};
}

static int read_field(
	struct catalog *c, struct packed_looks *p, const struct field_form *f, struct err *err)
{
	struct attempt *a = &p->look;
	struct unpack *u = &p->left;
	void *x = (char *)a + f->member;
	uint64_t number;

	switch (f->kind) {
	case COUNT:
		*(unsigned *)x = (unsigned)unpack_up_to(u, UINT32_MAX);
		break;
	case FLAG:
		*(bool *)x = !*(bool *)x;
		break;
	case TIME:
		*(int64_t *)x = unpack_signed(u);
		break;
	case HASH:
		*(int64_t *)x = unpack_big(u);
		break;
	case AGE:
		number = unpack_up_to(u, UINT64_C(1) + UINT32_MAX);
		*(struct attempt_age *)x =
			(struct attempt_age){number > 0, number ? (unsigned)(number - 1) : 0};
		break;
	case TEXT:
		*(slice *)x = unpack_optional(u);
		break;
	case RULES:
		a->rules = read_rules(p);
		break;
	case WORD:
		return read_word(c, u, x, err);
	case DIGEST:
		*((bool *)((char *)a + f->flag)) = read_digest(u, x);
		if (f == &FIELDS[FIELD_STATE] && a->has_state && a->state.kind == DIGEST_SHORT) {
			a->has_payload = true;
			read_bytes(u, DIGEST_SHORT, &a->payload);
		}
		break;
	}
	return 0;
}

static void read_place(struct unpack *u, struct attempt *a)
{
	struct attempt_times *w = &a->wall;

	a->number += (unsigned)unpack_up_to(u, CATALOG_ATTEMPT_MAX);
	w->sent = plus(w->sent, unpack_signed(u));
	w->first_byte = plus(w->sent, unpack_signed(u));
	w->last_byte = plus(w->first_byte, unpack_signed(u));
	a->offset = (uint64_t)plus((int64_t)a->offset, unpack_signed(u));
	a->length = (uint64_t)plus((int64_t)a->length, unpack_signed(u));
	if (a->number > CATALOG_ATTEMPT_MAX || a->offset > INT64_MAX || a->length > INT64_MAX)
		u->bad = true;
}

/* before: how far the clock was ahead. */
static void read_clock(struct unpack *u, struct attempt *a, int64_t before, bool differs)
{
	struct attempt_times *k = &a->clock, *w = &a->wall;

	if (differs) {
		k->sent = plus(plus(w->sent, before), unpack_signed(u));
		k->first_byte = plus(k->sent, unpack_signed(u));
		k->last_byte = plus(k->first_byte, unpack_signed(u));
		return;
	}
	k->sent = plus(w->sent, before);
	k->first_byte = plus(w->first_byte, before);
	k->last_byte = plus(w->last_byte, before);
}

int packed_looks_open(struct packed_looks *p, slice rows, unsigned *ret_leg, unsigned *ret_number)
{
	*p = (struct packed_looks){.left.left = rows};
	*ret_number = (unsigned)unpack_up_to(&p->left, CATALOG_ATTEMPT_MAX);
	*ret_leg = *ret_number ? (unsigned)unpack_up_to(&p->left, CATALOG_LEG_MAX) : 0;
	return p->left.bad ? ERR_IO : 0;
}

/* A short state has a short payload behind it: shorten makes both, or none. */
static bool is_half_short(const struct attempt *look)
{
	return look->has_state && look->state.kind == DIGEST_SHORT && !is_short(look);
}

int packed_looks_next(struct catalog *c, struct packed_looks *p, struct err *err)
{
	int64_t before = ahead(&p->look);
	struct unpack *u = &p->left;
	uint64_t bits;

	if (u->left.len == 0)
		return ERR_END;
	read_place(u, &p->look);
	bits = unpack_number(u);
	read_clock(u, &p->look, before, has_bit(bits, BIT_CLOCK));
	p->is_derived = !has_bit(bits, BIT_RECORD_ID);
	p->look.record_id = !p->is_derived ? unpack_optional(u) : (slice){0};
	for (unsigned i = 0; !u->bad && i < FIELD_COUNT; i++)
		if (has_bit(bits, BIT_FIELDS + i))
			TRY(read_field(c, p, &FIELDS[i], err));
	if ((u->bad || bits >> BITS || is_half_short(&p->look)))
		TRY(catalog_damaged(c, "a compact look cannot be read", err));
	return 0;
}
