#include "crawl/comparing.h"

#include "base/hash.h"
#include "base/word.h"
#include "crawl/capture.h"

/* Constant: compared within one process only. */
static const struct hash_key TYPE_KEY = {0x5354494c4c504f49, 0x4e542d5459504553};

static uint64_t comparing_type(const struct attempt *a)
{
	return hash_bytes(TYPE_KEY, a->media_type);
}

static bool is_whole_page(const struct attempt *a)
{
	return a->has_state && !a->truncated && !a->close_delimited && a->status >= 200 &&
	       a->status < 300 && !a->stand_in.ptr;
}

/* Whether the response that was read last can be compared with later ones. */
static bool may_compare(const struct capture *c, const struct attempt *a)
{
	const struct fields *head = state_fields(c->lane->reading.state);
	unsigned types = 0, locations = 0;

	for (size_t i = 0; i < head->items.len; i++) {
		types += word_is(head->items.ptr[i].name, SLICE("Content-Type"));
		locations += word_is(head->items.ptr[i].name, SLICE("Location"));
	}
	return is_whole_page(a) && types == 1 && locations == 0;
}

/* What is_plain says of the look's own head. */
static void set_head(const struct page_visit *before, struct look *look)
{
	look->status = before->status;
	look->types = 1;
	look->close_delimited = false;
	buf_reset(&look->location);
}

/* The earlier body may be in the record of another page, whose head is not that of the look. */
static int read_before(struct capture *c, const struct page_visit *before, struct attempt *of,
	struct look *ret, struct err *err)
{
	struct look_source from = {.warc_dir = c->lane->directory->warc};
	struct attempt_original place = {0};
	int rc;

	if (!store_place_of(&c->lane->store, &before->payload, before->coding, &place))
		return ERR_NOTFOUND;
	*of = (struct attempt){.warc = place.file,
		.offset = place.offset,
		.wall.sent = before->date,
		.record_id = slice_str(before->own.text)};
	rc = look_read(ret, &from, of, err);
	if (rc != ERR_SYNTAX || !before->is_plain)
		return rc;
	look_release(ret);
	*err = (struct err){0};
	of->record_id = (slice){0};
	rc = look_read(ret, &from, of, err);
	if (rc == 0)
		set_head(before, ret);
	return rc;
}

static int read_now(
	const struct net_fetch *f, const struct attempt *a, struct look *ret, struct err *err)
{
	return look_take(ret,
		&(struct look_message){.head = f->head,
			.body = f->body,
			.spool = f->spool,
			.size = f->body_size,
			.is_framed = slice_starts_with(slice_str(f->protocol), SLICE("h2"))},
		a, err);
}

static void record(const struct pair *p, const struct page_visit *before, struct attempt *a,
	struct comparing_room *room)
{
	room->compared = before->own;
	a->compared = slice_str(room->compared.text);
	a->rule_set = NOISE_RULES_VERSION;
	pair_describe(p, room->rules, &a->masked);
	a->rules = slice_str(room->rules);
	a->has_class = p->explained && p->proof.duties.len == 0;
	if (a->has_class)
		a->class = *same_class(&before->key);
	else
		a->masked = 0;
}

int comparing_look(struct capture *c, const struct page_visit *before, const struct net_fetch *f,
	struct attempt *a, struct comparing_room *room, struct err *err)
{
	struct same_key now = same_key_of(a);
	struct pair_terms terms = {.url = a->url, .book = &c->book};
	struct look then = {0}, look = {0};
	struct attempt of;
	struct pair pair = {0};
	int rc;

	if (c->settings->bytes_only || !before->own.text[0] || !may_compare(c, a) ||
		before->type != comparing_type(a) || same_compare(&before->key, &now) != SAME_NOT)
		return 0;
	rc = read_before(c, before, &of, &then, err);
	if (rc == 0)
		rc = read_now(f, a, &look, err);
	if (rc == 0)
		rc = err_code(err, pair_compare(&then, &look, &terms, &pair));
	if (rc == 0 && pair.same_heads && !pair.doubt)
		record(&pair, before, a, room);
	pair_release(&pair);
	look_release(&then);
	look_release(&look);
	if (rc && rc != ERR_NOMEM && rc != ERR_STOPPED) {
		*err = (struct err){0};
		return 0;
	}
	return rc;
}

struct page_visit comparing_as_visit(
	const struct capture *c, const struct attempt *a, const struct warc_id *record)
{
	struct page_visit v = {
		.key = same_key_of(a),
		.payload = a->payload,
		.coding = a->coding,
		.type = comparing_type(a),
		.status = (uint16_t)a->status,
		.is_plain = may_compare(c, a),
		.date = a->wall.sent,
		.own = *record,
		.end = capture_seconds(c, a->clock.last_byte),
	};

	if (!a->is_revisit) /* no record refers to a revisit record */
		v.record = *record;
	return v;
}

struct page_visit comparing_restored(const struct attempt *a, double end)
{
	struct page_visit v = {
		.key = same_key_of(a),
		.payload = a->payload,
		.type = comparing_type(a),
		.status = (uint16_t)a->status,
		.coding = a->coding,
		.date = a->wall.sent,
		.end = end,
	};

	if (a->record_id.ptr && a->record_id.len < sizeof v.own.text)
		memcpy(v.own.text, a->record_id.ptr, a->record_id.len);
	if (!a->is_revisit)
		v.record = v.own;
	return v;
}

int comparing_visit(struct capture *c, const struct net_fetch *f, struct attempt *a,
	struct comparing_room *room, struct err *err)
{
	struct page_visit before;
	int rc;

	if (!earlier_has_look(c, a->page))
		return 0;
	rc = pages_earlier(&c->pages, a->page, &before, err);
	if (rc == 0)
		rc = comparing_look(c, &before, f, a, room, err);
	if (rc == 0 && !a->has_class) {
		a->rule_set = 0;
		a->rules = a->compared = (slice){0};
	}
	return rc;
}
