#include "quality/learned.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "quality/learnable.h"
#include "quality/place.h"

enum { ARENA_MAX = 16 << 20 };

/* Constant: marks are compared by other processes. */
static const struct hash_key MARK_KEY = {0x5354494c4c504f49, 0x4e542d4c4541524e};

static const slice WHATS[] = {
	[LEARNED_NONE] = SLICE_INIT(""),
	[LEARNED_FIELD] = SLICE_INIT("field"),
	[LEARNED_DATA] = SLICE_INIT("data"),
	[LEARNED_META] = SLICE_INIT("meta"),
	[LEARNED_IMAGE] = SLICE_INIT("image"),
	[LEARNED_FRAME] = SLICE_INIT("frame"),
	[LEARNED_MEDIA] = SLICE_INIT("media"),
	[LEARNED_TEXT] = SLICE_INIT("text"),
};

/* ---- spots ---- */

static enum learned_what what_of(enum view_kind kind)
{
	switch (kind) {
	case VIEW_FIELD:
		return LEARNED_FIELD;
	case VIEW_DATA:
		return LEARNED_DATA;
	case VIEW_META:
		return LEARNED_META;
	case VIEW_IMAGE:
		return LEARNED_IMAGE;
	case VIEW_FRAME:
		return LEARNED_FRAME;
	case VIEW_MEDIA:
		return LEARNED_MEDIA;
	case VIEW_TEXT:
		return LEARNED_TEXT;
	default:
		return LEARNED_NONE;
	}
}

struct learned_spot learned_spot_of(const struct view *v, const struct view_item *item,
	const struct url *page, struct url *scratch)
{
	struct learned_spot spot = {.what = what_of(item->kind), .value = view_item_text(v, item)};
	slice host;

	if (learned_is_embedded(spot.what)) {
		spot.name = slice_str(item->attr ? item->attr : "");
		if (!place_is_foreign(page, spot.value, scratch, &host))
			spot.what = LEARNED_NONE;
	} else if (spot.what != LEARNED_TEXT && spot.what != LEARNED_NONE) {
		spot.name = slice_take(&spot.value, '=');
		if (!item->learnable || spot.name.len == 0 || slice_eq(spot.name, SLICE("*")))
			spot.what = LEARNED_NONE;
	}
	return spot;
}

/* ---- keys ---- */

static bool is_plain(char c)
{
	return c > ' ' && c < 0x7f && c != '%';
}

static int add_encoded(slice text, struct buf *out)
{
	int rc = text.len ? 0 : buf_add_char(out, '-');

	for (size_t i = 0; rc == 0 && i < text.len; i++)
		rc = is_plain(text.ptr[i]) && !(text.len == 1 && text.ptr[0] == '-')
			     ? buf_add_char(out, text.ptr[i])
			     : buf_printf(out, "%%%02X", (unsigned char)text.ptr[i]);
	return rc;
}

int learned_key(const struct view *v, uint32_t node, slice kind, enum learned_what what, slice name,
	struct buf *out)
{
	struct buf place;
	size_t from;
	int rc = buf_add(out, kind);

	buf_init(&place, PLACE_TEXT_MAX);
	if (rc == 0)
		rc = buf_printf(out, " %s ", WHATS[what].ptr);
	from = out->len;
	if (rc == 0)
		rc = add_encoded(name, out);
	if (rc == 0 && out->len - from > LEARNED_NAME_MAX)
		rc = ERR_LIMIT;
	if (rc == 0)
		rc = buf_add_char(out, ' ');
	if (rc == 0)
		rc = place_of(v, node, &place);
	if (rc == 0)
		rc = place.len ? add_encoded(buf_slice(&place), out) : ERR_LIMIT;
	buf_release(&place);
	return rc;
}

/* A key in its parts: "http://h/d/ 5f3a9c11", "field", "zq7", "html>body". */
struct parts {
	slice directory, kind, what, name, place;
};

static bool split(slice key, struct parts *ret)
{
	slice left = key, directory = slice_take(&left, ' '), shape = slice_take(&left, ' ');

	ret->directory = directory;
	ret->kind = slice_sub(key, 0, directory.len + 1 + shape.len);
	ret->what = slice_take(&left, ' ');
	ret->name = slice_take(&left, ' ');
	ret->place = left;
	return directory.len && shape.len && ret->what.len && ret->name.len && left.len &&
	       !memchr(left.ptr, ' ', left.len);
}

static int decode(slice text, struct buf *out)
{
	int rc = 0;

	if (slice_eq(text, SLICE("-")))
		return 0;
	for (size_t i = 0; rc == 0 && i < text.len; i++) {
		int high = -1, low = -1;

		if (text.ptr[i] == '%' && i + 2 < text.len) {
			high = word_hex(text.ptr[i + 1]);
			low = word_hex(text.ptr[i + 2]);
		}
		if (high >= 0 && low >= 0) {
			rc = buf_add_char(out, (char)(high * 16 + low));
			i += 2;
		} else {
			rc = buf_add_char(out, text.ptr[i]);
		}
	}
	return rc;
}

/* ---- the set ---- */

void learned_init(struct learned *l)
{
	*l = (struct learned){0};
	arena_init(&l->arena, ARENA_MAX);
	strmap_init(&l->index, hash_key_random(), NULL);
	strmap_init(&l->kinds, hash_key_random(), NULL);
}

void learned_release(struct learned *l)
{
	learned_rules_release(&l->rules);
	strmap_release(&l->index);
	strmap_release(&l->kinds);
	arena_release(&l->arena);
	*l = (struct learned){0};
}

static int keep(struct learned *l, slice text, slice *ret)
{
	char *copy = arena_strdup(&l->arena, text);

	*ret = (slice){copy, text.len};
	return copy ? 0 : ERR_NOMEM;
}

static enum learned_what find_what(slice word)
{
	for (size_t i = LEARNED_NONE + 1; i < sizeof WHATS / sizeof WHATS[0]; i++)
		if (slice_eq(word, WHATS[i]))
			return (enum learned_what)i;
	return LEARNED_NONE;
}

static int describe(struct learned *l, const struct parts *p, struct learned_rule *rule)
{
	struct buf text;
	int rc;

	buf_init(&text, LEARNED_LINE_MAX);
	rc = buf_printf(&text, "learned:%.*s:%.*s", (int)p->what.len, p->what.ptr, (int)p->name.len,
		p->name.ptr);
	if (rc == 0)
		rc = keep(l, buf_slice(&text), &rule->label);
	buf_reset(&text);
	if (rc == 0 && rule->what == LEARNED_TEXT)
		rc = decode(p->name, &text);
	if (rc == 0 && rule->what == LEARNED_TEXT)
		rc = text.len ? keep(l, buf_slice(&text), &rule->start) : ERR_SYNTAX;
	buf_release(&text);
	return rc;
}

bool learned_knows(const struct learned *l, slice kind)
{
	return strmap_get(&l->kinds, kind, NULL);
}

static int know(struct learned *l, slice kind)
{
	int rc = strmap_put(&l->kinds, kind, 0);

	return rc == ERR_EXISTS ? 0 : rc;
}

int learned_add(struct learned *l, slice key, uint32_t pages)
{
	struct learned_rule rule = {.pages = pages};
	struct parts p;
	int rc;

	if (key.len > LEARNED_LINE_MAX || l->rules.len >= LEARNED_RULES_MAX)
		return ERR_LIMIT;
	if (!split(key, &p) || p.name.len > LEARNED_NAME_MAX)
		return ERR_SYNTAX;
	rule.what = find_what(p.what);
	if (rule.what == LEARNED_NONE)
		return ERR_SYNTAX;
	if (strmap_get(&l->index, key, NULL))
		return ERR_EXISTS;
	rc = keep(l, key, &rule.key);
	if (rc == 0)
		rc = describe(l, &p, &rule);
	if (rc == 0)
		rc = learned_rules_push(&l->rules, rule);
	if (rc == 0)
		rc = strmap_put(&l->index, rule.key, (uint32_t)l->rules.len - 1);
	if (rc == 0)
		rc = know(l, slice_sub(rule.key, 0, p.kind.len));
	if (rc == 0)
		rc = know(l, slice_sub(rule.key, 0, p.directory.len));
	return rc;
}

static int by_key(const void *a, const void *b)
{
	const struct learned_rule *x = a, *y = b;
	size_t n = x->key.len < y->key.len ? x->key.len : y->key.len;
	int order = memcmp(x->key.ptr, y->key.ptr, n);

	return order ? order : (x->key.len > y->key.len) - (x->key.len < y->key.len);
}

int learned_finish(struct learned *l)
{
	int rc = 0;

	if (l->rules.len > 1)
		qsort(l->rules.ptr, l->rules.len, sizeof *l->rules.ptr, by_key);
	strmap_reset(&l->index);
	for (uint32_t i = 0; rc == 0 && i < l->rules.len; i++)
		rc = strmap_put(&l->index, l->rules.ptr[i].key, i);
	return rc;
}

int learned_parse(struct learned *l, slice line)
{
	size_t end = line.len;
	uint64_t pages;

	while (end && line.ptr[end - 1] != ' ')
		end--;
	if (end == 0 || parse_u64(slice_sub(line, end, line.len), &pages) || pages > UINT32_MAX)
		return ERR_SYNTAX;
	return learned_add(l, slice_sub(line, 0, end - 1), (uint32_t)pages);
}

int learned_format(const struct learned_rule *rule, struct buf *out)
{
	return buf_printf(out, "%.*s %u", (int)rule->key.len, rule->key.ptr, rule->pages);
}

/* ---- masking ---- */

#define NO_RULE UINT32_MAX

struct masking {
	const struct learned *l;
	const struct url *page;
	struct view *v;
	struct learned_tally *tally;
	struct url scratch;
	struct buf kind, key;
	uint32_t *found; /* by item: its rule, or NO_RULE */
	uint32_t counts[LEARNED_RULES_MAX];
};

static int find_key(
	struct masking *m, uint32_t node, enum learned_what what, slice name, uint32_t *ret)
{
	int rc;

	buf_reset(&m->key);
	rc = learned_key(m->v, node, buf_slice(&m->kind), what, name, &m->key);
	if (rc == ERR_LIMIT || (rc == 0 && !strmap_get(&m->l->index, buf_slice(&m->key), ret)))
		return 0;
	return rc;
}

static bool begins_line(slice line, slice start)
{
	return slice_starts_with(line, start) && line.len > start.len && line.ptr[start.len] == ' ';
}

static int find_text(struct masking *m, const struct view_item *item, slice line, uint32_t *ret)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && *ret == NO_RULE && i < m->l->rules.len; i++) {
		const struct learned_rule *r = &m->l->rules.ptr[i];

		if (r->what == LEARNED_TEXT && begins_line(line, r->start) &&
			!learnable_text_is_content(slice_sub(line, r->start.len, line.len)))
			rc = find_key(m, item->node, LEARNED_TEXT, r->start, ret);
	}
	return rc;
}

static int find(struct masking *m, const struct view_item *item, uint32_t *ret)
{
	struct learned_spot spot = learned_spot_of(m->v, item, m->page, &m->scratch);

	*ret = NO_RULE;
	if (spot.what == LEARNED_NONE)
		return 0;
	if (spot.what == LEARNED_TEXT)
		return find_text(m, item, spot.value, ret);
	if (!learned_is_embedded(spot.what) && learnable_value_is_content(spot.name, spot.value))
		return 0;
	return find_key(m, item->node, spot.what, spot.name, ret);
}

static size_t characters(slice text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += (text.ptr[i] & 0xc0) != 0x80;
	return count;
}

/* "name=*", "*", "Advertisement: *" */
static int mask_item(struct masking *m, struct view_item *item, uint32_t number)
{
	const struct learned_rule *r = &m->l->rules.ptr[number];
	slice text = view_item_text(m->v, item), value = text;
	size_t from = m->v->text.len, kept = 0;
	int rc;

	if (r->what == LEARNED_TEXT)
		kept = r->start.len + 1;
	else if (!learned_is_embedded(r->what))
		kept = slice_take(&value, '=').len + 1;
	value = slice_sub(text, kept, text.len);
	m->tally->rules[number].count++;
	m->tally->rules[number].mark =
		m->tally->rules[number].mark * 31 + hash_bytes(MARK_KEY, value);
	if (r->what == LEARNED_TEXT)
		m->v->noise.tally.masked += characters(value);
	rc = buf_reserve(&m->v->text, kept + 2);
	if (rc == 0)
		rc = buf_add(&m->v->text, slice_sub(view_item_text(m->v, item), 0, kept));
	if (rc == 0)
		rc = buf_add_char(&m->v->text, '*');
	if (rc == ERR_LIMIT) {
		m->v->cut = true;
		return 0;
	}
	item->from = from;
	item->len = kept + 1;
	return rc;
}

static int mask_all(struct masking *m)
{
	struct view_item_vec *items = &m->v->items;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < items->len; i++) {
		rc = find(m, &items->ptr[i], &m->found[i]);
		if (rc == 0 && m->found[i] != NO_RULE)
			m->counts[m->found[i]]++;
	}
	for (size_t i = 0; rc == 0 && i < items->len; i++) {
		uint32_t rule = m->found[i];

		if (rule == NO_RULE || rule + 1 == m->l->off ||
			(learned_is_embedded(m->l->rules.ptr[rule].what) && m->counts[rule] > 1))
			continue;
		rc = mask_item(m, &items->ptr[i], rule);
	}
	return rc;
}

int learned_mask(const struct learned *l, const struct url *page, struct view *v,
	struct learned_tally *tally)
{
	struct masking m = {.l = l, .page = page, .v = v, .tally = tally};
	int rc;

	if (l->rules.len == 0)
		return 0;
	buf_init(&m.kind, LEARNED_LINE_MAX);
	buf_init(&m.key, LEARNED_LINE_MAX);
	url_init(&m.scratch);
	rc = place_kind(page, v, &m.kind);
	if (rc == 0 && learned_knows(l, buf_slice(&m.kind))) {
		m.found = calloc(v->items.len + 1, sizeof *m.found);
		rc = m.found ? mask_all(&m) : ERR_NOMEM;
	}
	free(m.found);
	url_release(&m.scratch);
	buf_release(&m.kind);
	buf_release(&m.key);
	return rc == ERR_LIMIT ? 0 : rc;
}
