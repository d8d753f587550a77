#include "crawl/traps.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/word.h"
#include "base/word_scan.h"
#include "formats/percent.h"

/* ---- the gist of a document ---- */

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_STEP  UINT64_C(0x9e3779b97f4a7c15)

enum { URL_BYTES_MAX = 4 << 10 }; /* of a URL, from its end, that words are looked for in */

void gist_reset(struct gist *g)
{
	g->lines.len = 0;
	g->weight = 0;
}

void gist_release(struct gist *g)
{
	gist_lines_release(&g->lines);
	g->weight = 0;
}

/* Nobody gains by a collision but whoever wants pages of his own to be left out. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_STEP;
	return hash ^ hash >> 32;
}

struct url_words {
	uint64_t list[GIST_WORDS_MAX];
	size_t count;
};

/* The byte at a place of a URL, an escape undone; the place is moved behind it. */
static char next_byte(slice url, size_t *at)
{
	char c = url.ptr[(*at)++];
	int high, low;

	if (c != '%' || *at + 2 > url.len)
		return c;
	high = word_hex(url.ptr[*at]);
	low = word_hex(url.ptr[*at + 1]);
	if (high < 0 || low < 0)
		return c;
	*at += 2;
	return (char)(unsigned char)(high << 4 | low);
}

/* The URL without escapes; it, or what is written to out. */
static slice unescape(slice url, char out[URL_BYTES_MAX])
{
	size_t len = 0;

	if (url.len == 0 || !memchr(url.ptr, '%', url.len))
		return url;
	for (size_t at = 0; at < url.len;)
		out[len++] = next_byte(url, &at);
	return (slice){out, len};
}

/* Of too many the last ones: they are what a search or a wrong link is about. */
static void read_url(slice url, struct url_words *w)
{
	char text[URL_BYTES_MAX];
	slice end =
		slice_sub(url, url.len - (url.len < sizeof text ? url.len : sizeof text), url.len);
	struct word_scan scan = {.text = unescape(end, text)};
	slice word;

	w->count = 0;
	while (word_scan_next(&scan, &word))
		if (word.len >= GIST_WORD_MIN)
			w->list[w->count++ % GIST_WORDS_MAX] = word_scan_hash(&scan, word);
	if (w->count > GIST_WORDS_MAX)
		w->count = GIST_WORDS_MAX;
}

static bool is_of_url(const struct url_words *w, uint64_t hash)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->list[i] == hash)
			return true;
	return false;
}

/* Whether a line ends in what stands between two words, most often a single byte. */
static bool has_line_end(const char *from, const char *to)
{
	while (from < to && *from != '\n')
		from++;
	return from < to;
}

/* What is known of a line by its words so far. */
struct line {
	uint64_t hash;
	size_t weight;
};

static const struct line NO_LINE = {.hash = HASH_START};

static int add_line(struct gist *g, const struct line *line)
{
	return line->weight ? gist_add_hash(g, line->hash, (uint32_t)line->weight) : 0;
}

int gist_add_text(struct gist *g, slice text, slice url)
{
	struct word_scan scan = {.text = text};
	struct line line = NO_LINE;
	const char *last = text.ptr; /* end of the word before */
	struct url_words words;
	slice word;

	read_url(url, &words);
	while (word_scan_next(&scan, &word)) {
		uint64_t hash = word_scan_hash(&scan, word);

		if (has_line_end(last, word.ptr)) {
			TRY(add_line(g, &line));
			line = NO_LINE;
		}
		last = word.ptr + word.len;
		if (is_of_url(&words, hash))
			continue;
		line.hash = mix(line.hash, hash);
		line.weight += word.len;
	}
	return add_line(g, &line);
}

int gist_add_hash(struct gist *g, uint64_t hash, uint32_t weight)
{
	if (g->lines.len < GIST_LINES_MAX)
		gist_lines_push(&g->lines, (struct gist_line){hash, weight});
	g->weight += weight;
	return 0;
}

/* ---- shapes ---- */

enum {
	TOKEN_MIN = 16,      /* letters and digits, mixed */
	HEX_MIN = 8,         /* hexadecimal digits, mixed */
	TOKEN_TURNS_MIN = 3, /* from letter to digit or back */
	UUID_LEN = 36,
	SESSION_MIN = 16,  /* bytes of an id */
	SESSION_MAX = 128, /* of name and id in a path that are looked at */
	YEAR_LEN = 4,
};

static bool is_digit(char c)
{
	return url_byte_is(c, URL_DIGIT);
}

static bool is_alnum(char c)
{
	return url_byte_is(c, URL_ALPHA | URL_DIGIT);
}

/* ---- session ids ---- */

/* Names of fields that carry one, in lower case. */
static bool is_session_name(slice name)
{
	static const char *const NAMES[] = {"jsessionid", "phpsessid", "sessionid", "session_id",
		"sessid", "sid", "cfid", "cftoken", "zenid", "oscsid"};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (url_equal_nocase(name, slice_str(NAMES[i])))
			return true;
	return name.len > sizeof "aspsessionid" - 1 &&
	       url_equal_nocase(
		       slice_sub(name, 0, sizeof "aspsessionid" - 1), SLICE("aspsessionid"));
}

/* Long, and of letters and digits: a story's number is not. ColdFusion's are short. */
static bool is_session_value(slice name, slice value)
{
	bool is_coldfusion = name.len > 1 && (name.ptr[0] | 0x20) == 'c';
	size_t digits = 0;

	if (is_coldfusion && value.len > 0)
		return true;
	for (size_t i = 0; i < value.len; i++) {
		if (!is_alnum(value.ptr[i]) && !strchr("-_.!", value.ptr[i]))
			return false;
		digits += is_digit(value.ptr[i]);
	}
	return value.len >= SESSION_MIN && digits > 0;
}

/* "name=value" */
static bool is_session_field(slice field)
{
	const char *equals = field.len ? memchr(field.ptr, '=', field.len) : NULL;
	size_t len = equals ? (size_t)(equals - field.ptr) : field.len;
	slice name = slice_sub(field, 0, len);

	return equals && is_session_name(name) &&
	       is_session_value(name, slice_sub(field, len + 1, field.len));
}

/* Up to the next separator, which is stepped over. */
static slice next_field(slice *rest)
{
	size_t len = 0;
	slice field;

	while (len < rest->len && rest->ptr[len] != '&')
		len++;
	field = slice_sub(*rest, 0, len);
	*rest = slice_sub(*rest, len + 1, rest->len);
	return field;
}

/* Behind a segment: ";jsessionid=…". Where it begins, or the end of the path. */
static size_t find_path_session(slice path)
{
	for (size_t i = 0; i < path.len; i++) {
		slice rest = slice_sub(path, i + 1, i + 1 + SESSION_MAX);

		if (path.ptr[i] == ';' && is_session_field(rest))
			return i;
	}
	return path.len;
}

/* The URL without its session id; false when it has none, and out is as it was. */
static bool strip_session(struct buf *out, const struct url *u, int *rc)
{
	slice path = url_part(u, u->path), rest = url_part(u, u->query);
	size_t cut = find_path_session(path), start = out->len;
	bool found = cut < path.len;
	char before = '?';

	*rc = buf_add(out, slice_sub(path, 0, cut));
	while (*rc == 0 && rest.len > 0) {
		slice field = next_field(&rest);

		if (is_session_field(field)) {
			found = true;
			continue;
		}
		*rc = buf_add_char(out, before);
		if (*rc == 0)
			*rc = buf_add(out, field);
		before = '&';
	}
	if (!found)
		buf_truncate(out, start);
	return found;
}

/* ---- segments that repeat themselves ---- */

struct segments {
	slice list[TRAP_SEGMENTS_MAX];
	size_t count;
};

static bool has_letter(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]))
			return true;
	return false;
}

/* Segments [at, at + period) come again right behind themselves, often enough. */
static bool repeats_at(const struct segments *s, size_t at, size_t period)
{
	bool has_name = false;

	if (at + period * TRAP_REPEATS > s->count)
		return false;
	for (size_t i = at; i < at + period * (TRAP_REPEATS - 1); i++)
		if (!slice_eq(s->list[i], s->list[i + period]))
			return false;
	/* Tiles of maps are at /0/0/0. */
	for (size_t i = at; i < at + period; i++)
		has_name = has_name || has_letter(s->list[i]);
	return has_name;
}

/* Anywhere in the path: what leads now here, now there, need not do so in turns. */
static bool occurs_often(const struct segments *s, size_t at)
{
	size_t count = 0;

	for (size_t i = at; i < s->count; i++)
		count += slice_eq(s->list[i], s->list[at]);
	return count >= TRAP_OCCURRENCES && has_letter(s->list[at]);
}

static bool has_repeats(slice path)
{
	struct segments s;
	size_t from = 1;

	s.count = 0;
	for (size_t i = 1; i <= path.len && s.count < TRAP_SEGMENTS_MAX; i++)
		if (i == path.len || path.ptr[i] == '/') {
			if (i > from)
				s.list[s.count++] = slice_sub(path, from, i);
			from = i + 1;
		}
	for (size_t at = 0; at < s.count; at++)
		if (occurs_often(&s, at))
			return true;
	for (size_t period = 1; period <= TRAP_PERIOD_MAX; period++)
		for (size_t at = 0; at + period * TRAP_REPEATS <= s.count; at++)
			if (repeats_at(&s, at, period))
				return true;
	return false;
}

/* ---- masking ---- */

struct masks {
	size_t numbers, years, tokens;
};

static bool is_uuid(slice s)
{
	if (s.len < UUID_LEN)
		return false;
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.ptr[i] != '-' : word_hex(s.ptr[i]) < 0)
			return false;
	}
	return s.len == UUID_LEN || !is_alnum(s.ptr[UUID_LEN]);
}

/* A run of letters and digits that nobody made up: a digest, a key, an id. */
static bool is_token(slice run)
{
	size_t turns = 0, hex = 0, digits = 0;

	for (size_t i = 0; i < run.len; i++) {
		turns += i > 0 && is_digit(run.ptr[i]) != is_digit(run.ptr[i - 1]);
		hex += word_hex(run.ptr[i]) >= 0;
		digits += is_digit(run.ptr[i]);
	}
	if (run.len >= HEX_MIN && hex == run.len && digits > 0 && digits < run.len)
		return true;
	return run.len >= TOKEN_MIN && turns >= TOKEN_TURNS_MIN;
}

/* A run of letters and digits, its digits masked. */
static int add_run(struct buf *out, slice run, struct masks *m)
{
	if (is_token(run)) {
		m->tokens++;
		return buf_add_char(out, '*');
	}
	for (size_t i = 0, end; i < run.len; i = end) {
		for (end = i + 1; end < run.len && is_digit(run.ptr[end]) == is_digit(run.ptr[i]);)
			end++;
		if (is_digit(run.ptr[i])) {
			slice digits = slice_sub(run, i, end);

			m->numbers++;
			m->years += digits.len == YEAR_LEN &&
				    (digits.ptr[0] == '1' || digits.ptr[0] == '2');
			TRY(buf_add_char(out, '#'));
		} else {
			TRY(buf_add(out, slice_sub(run, i, end)));
		}
	}
	return 0;
}

static size_t run_length(slice s)
{
	size_t len = 0;

	while (len < s.len && is_alnum(s.ptr[len]))
		len++;
	return len;
}

static int add_masked(struct buf *out, slice s, struct masks *m)
{
	while (s.len > 0) {
		size_t len = run_length(s);

		if (is_uuid(s)) {
			len = UUID_LEN;
			m->tokens++;
			TRY(buf_add_char(out, '*'));
		} else if (s.ptr[0] == '%') {
			len = s.len < 3 ? s.len : 3; /* an escape is no number */
			TRY(buf_add(out, slice_sub(s, 0, len)));
		} else if (len > 0) {
			TRY(add_run(out, slice_sub(s, 0, len), m));
			/* "2031-05-12", "12.5.2031" and "1,2" are one number. */
			while (out->len >= 3 && out->ptr[out->len - 1] == '#' &&
				strchr("-.,_:", out->ptr[out->len - 2]) &&
				out->ptr[out->len - 3] == '#')
				buf_truncate(out, out->len - 2);
		} else {
			len = 1;
			TRY(buf_add_char(out, s.ptr[0]));
		}
		s = slice_sub(s, len, s.len);
	}
	return 0;
}

/* ---- queries ---- */

static int by_name(const void *a, const void *b)
{
	const slice *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = len ? memcmp(x->ptr, y->ptr, len) : 0;

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static bool is_date_name(slice name)
{
	static const char *const NAMES[] = {"year", "month", "day", "week", "date", "yr", "mon",
		"y", "m", "d", "cal", "calendar"};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (url_equal_nocase(name, slice_str(NAMES[i])))
			return true;
	return false;
}

/* The names of the fields, sorted, each once; ret_dated when one of them speaks of a date. */
static int add_query(struct buf *out, slice query, bool *ret_dated, struct masks *m)
{
	slice names[TRAP_FIELDS_MAX] = {{0}};
	size_t count = 0;
	char before = '?';

	while (query.len > 0 && count < TRAP_FIELDS_MAX) {
		slice field = next_field(&query);
		const char *equals = field.len ? memchr(field.ptr, '=', field.len) : NULL;

		names[count] =
			slice_sub(field, 0, equals ? (size_t)(equals - field.ptr) : field.len);
		count += names[count].len > 0;
	}
	qsort(names, count, sizeof names[0], by_name);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && slice_eq(names[i], names[i - 1]))
			continue;
		*ret_dated = *ret_dated || is_date_name(names[i]);
		TRY(buf_add_char(out, before));
		TRY(add_masked(out, names[i], m));
		before = '&';
	}
	return 0;
}

/* ---- all of it ---- */

static int mask(struct buf *out, const struct url *u, struct trap_shape *ret)
{
	struct masks m = {0}, names = {0};
	bool dated = false;

	TRY(add_masked(out, url_part(u, u->path), &m));
	ret->path = out->len;
	if (u->query.len > 0)
		TRY(add_query(out, url_part(u, u->query), &dated, &names));
	if (u->query.len > 0)
		ret->kind = dated ? TRAP_CALENDAR : TRAP_PARAMETERS;
	else if (m.numbers >= 2 && m.years > 0)
		ret->kind = TRAP_CALENDAR;
	else
		ret->kind = m.numbers + m.tokens > 0 ? TRAP_COUNTER : TRAP_PLAIN;
	return 0;
}

/* Up to the end of the first directory, or of the root. */
static size_t find_section(slice text, size_t origin, size_t path)
{
	for (size_t i = origin + 1; text.ptr && i < path; i++)
		if (text.ptr[i] == '/')
			return i + 1;
	return origin < path ? origin + 1 : origin;
}

int trap_shape(struct buf *out, const struct url *u, struct trap_shape *ret)
{
	size_t origin;
	int rc;

	buf_reset(out);
	rc = buf_add(out, slice_sub(url_text(u), 0, u->authority_end));
	origin = out->len;
	*ret = (struct trap_shape){.kind = TRAP_SEGMENTS, .path = origin};
	if (rc == 0 && strip_session(out, u, &rc))
		ret->kind = TRAP_SESSION;
	else if (rc == 0 && !has_repeats(url_part(u, u->path)))
		rc = mask(out, u, ret);
	if (ret->kind == TRAP_SESSION)
		ret->path = out->len;
	ret->text = buf_slice(out);
	ret->section = find_section(ret->text, origin, ret->path);
	return rc;
}

/* ---- traps ---- */

enum {
	SESSION_FIRST = 3,
	SMALL = 100, /* a budget of which every page is looked at */
	WINDOW_BITS = 64 * 1024,
	WINDOW_SET_MAX = WINDOW_BITS / 4, /* then it begins anew: rather too new than too old */
	SESSION_WINDOWS_MAX = TRAPS_WINDOWS_MAX / 4,
	/* What a page must show at least: so many bytes, and one in so many of its own. */
	NEW_MIN = 12,
	NEW_SHARE = 200,
};

#define ARENA_MAX ((size_t)64 << 20)

void traps_init(struct traps *t, uint32_t budget, struct hash_key key)
{
	*t = (struct traps){.key = key, .budget = budget, .first_section = TRAPS_NO_LEVEL};
	arena_init_small(&t->arena, ARENA_MAX);
	strmap_init(&t->numbers, key, &t->arena);
}

void traps_release(struct traps *t)
{
	for (size_t i = 0; i < t->windows.len; i++)
		free(t->windows.ptr[i]);
	trap_window_vec_release(&t->windows);
	trap_level_vec_release(&t->levels);
	trap_deferred_vec_release(&t->deferred);
	strmap_release(&t->numbers);
	arena_release(&t->arena);
	*t = (struct traps){0};
}

/* ---- levels ---- */

/* Shapes of which a normal site has few pages that are all the same have the smaller budgets. */
static uint32_t first_budget(const struct traps *t, enum trap_kind kind)
{
	switch (kind) {
	case TRAP_SESSION:
		return SESSION_FIRST;
	case TRAP_SEGMENTS:
		return t->budget / 10 + 1;
	case TRAP_CALENDAR:
		return t->budget / 4 + 1;
	default:
		return t->budget;
	}
}

static int find_level(struct traps *t, unsigned place, const struct trap_shape *s, slice name,
	uint32_t first, uint32_t *ret)
{
	/* The same name means something else at each place, and as a shape of each kind. */
	uint64_t hash = hash_bytes(t->key, name) + place * (uint64_t)TRAP_KIND_COUNT + s->kind;
	slice key = {(const char *)&hash, sizeof hash};

	*ret = TRAPS_NO_LEVEL;
	if (place != TRAP_LEVEL_SHAPE)
		hash -= s->kind;
	if (strmap_get(&t->numbers, key, ret))
		return 0;
	/* Sections that come too late share the level of the first one. */
	if (t->levels.len >= TRAPS_LEVELS_MAX) {
		*ret = place == TRAP_LEVEL_SECTION ? t->first_section : TRAPS_NO_LEVEL;
		return 0;
	}
	trap_level_vec_reserve(&t->levels, 1);
	TRY(strmap_put(&t->numbers, key, (uint32_t)t->levels.len));
	*ret = (uint32_t)t->levels.len;
	if (place == TRAP_LEVEL_SECTION && t->first_section == TRAPS_NO_LEVEL)
		t->first_section = *ret;
	t->levels.ptr[t->levels.len++] = (struct trap_level){
		.first = first,
		.kind = place == TRAP_LEVEL_SHAPE ? (uint8_t)s->kind : TRAP_PLAIN,
		.was_new = true,
	};
	return 0;
}

int traps_find(struct traps *t, const struct trap_shape *s, struct trap_levels *ret)
{
	slice path = slice_sub(s->text, 0, s->path), section = slice_sub(s->text, 0, s->section);

	*ret = (struct trap_levels){{TRAPS_NO_LEVEL, TRAPS_NO_LEVEL, TRAPS_NO_LEVEL}};
	if (s->kind != TRAP_PLAIN)
		TRY(find_level(t, TRAP_LEVEL_SHAPE, s, s->text, first_budget(t, s->kind),
			&ret->list[TRAP_LEVEL_SHAPE]));
	if (s->path < s->text.len)
		TRY(find_level(
			t, TRAP_LEVEL_PATH, s, path, 2 * t->budget, &ret->list[TRAP_LEVEL_PATH]));
	return find_level(
		t, TRAP_LEVEL_SECTION, s, section, 20 * t->budget, &ret->list[TRAP_LEVEL_SECTION]);
}

static struct trap_level *level_at(const struct traps *t, const struct trap_levels *l, unsigned i)
{
	return l->list[i] == TRAPS_NO_LEVEL ? NULL : &t->levels.ptr[l->list[i]];
}

static bool has_room(const struct trap_level *level)
{
	return level->charged < (uint64_t)level->first + level->earned;
}

bool traps_has_room(const struct traps *t, const struct trap_levels *l, unsigned *ret_full)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		const struct trap_level *level = level_at(t, l, i);

		if (level && !has_room(level)) {
			*ret_full = i;
			return false;
		}
	}
	return true;
}

void traps_take(struct traps *t, const struct trap_levels *l, bool is_free)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (!level)
			continue;
		level->pages++;
		level->charged += !is_free;
	}
}

void traps_refund(struct traps *t, const struct trap_levels *l)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (level && level->charged > 0)
			level->charged--;
	}
}

/* ---- what is put off ---- */

static void take_place(struct traps *t, uint32_t *ret)
{
	if (t->free_deferred) {
		*ret = t->free_deferred - 1;
		t->free_deferred = t->deferred.ptr[*ret].next;
		return;
	}
	*ret = (uint32_t)t->deferred.len;
	trap_deferred_vec_push(&t->deferred, (struct trap_deferred){0});
}

int traps_defer(struct traps *t, uint32_t number, uint32_t page)
{
	struct trap_level *level = &t->levels.ptr[number];
	uint32_t place;

	take_place(t, &place);
	t->deferred.ptr[place] = (struct trap_deferred){.page = page};
	if (level->tail)
		t->deferred.ptr[level->tail - 1].next = place + 1;
	else
		level->head = place + 1;
	level->tail = place + 1;
	return 0;
}

int traps_restore(struct traps *t, uint32_t number, uint32_t page)
{
	struct trap_level *level = &t->levels.ptr[number];

	level->charged = level->first + level->earned;
	return traps_defer(t, number, page);
}

bool traps_next(struct traps *t, const struct trap_levels *l, uint32_t *ret_page)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);
		struct trap_deferred *d;
		uint32_t place;

		if (!level || !level->head || !has_room(level))
			continue;
		place = level->head - 1;
		d = &t->deferred.ptr[place];
		*ret_page = d->page;
		level->head = d->next;
		if (!level->head)
			level->tail = 0;
		d->next = t->free_deferred;
		t->free_deferred = place + 1;
		return true;
	}
	return false;
}

/* ---- content ---- */

/* Few pages say nothing of their shape. */
static bool is_watched(const struct trap_level *level)
{
	return level->pages >= level->first / 4;
}

/* The more there is in hand, the fewer are looked at: reading text takes its time. */
static uint32_t step_of(const struct trap_level *level)
{
	uint64_t budget = (uint64_t)level->first + level->earned;

	if (level->first < SMALL)
		return 1;
	return budget > level->charged + 2 * (uint64_t)level->first ? TRAPS_STEP_RICH : TRAPS_STEP;
}

bool traps_wants_look(struct traps *t, const struct trap_levels *l)
{
	bool wanted = false;

	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (!level)
			continue;
		level->unseen++;
		wanted = wanted || (is_watched(level) && level->unseen >= step_of(level));
	}
	return wanted;
}

/* NULL when there are too many; *rc is then 0 or ERR_NOMEM. */
static struct trap_window *window_of(struct traps *t, struct trap_level *level, int *rc)
{
	size_t max = level->kind == TRAP_SESSION ? SESSION_WINDOWS_MAX : TRAPS_WINDOWS_MAX;
	struct trap_window *w;

	*rc = 0;
	if (level->window)
		return t->windows.ptr[level->window - 1];
	if (t->windows.len >= max)
		return NULL;
	w = calloc(1, sizeof *w);
	*rc = w ? trap_window_vec_push(&t->windows, w) : ERR_NOMEM;
	if (*rc) {
		free(w);
		return NULL;
	}
	level->window = (uint32_t)t->windows.len;
	return w;
}

/* The weight of the lines that the window has not; it has them then. */
static uint64_t add_lines(struct trap_window *w, const struct gist *gist)
{
	uint64_t weight = 0;

	if (w->set > WINDOW_SET_MAX)
		memset(w, 0, sizeof *w);
	for (size_t i = 0; i < gist->lines.len; i++) {
		uint64_t hash = gist->lines.ptr[i].hash;
		uint64_t *word = &w->bits[(hash >> 32) / 64 % (WINDOW_BITS / 64)];
		uint64_t bit = UINT64_C(1) << ((hash >> 32) % 64);

		if (*word & bit)
			continue;
		*word |= bit;
		w->set++;
		weight += gist->lines.ptr[i].weight;
	}
	return weight;
}

/* A look settles the pages that came since the last one, as many as a step has. */
static int look(struct traps *t, struct trap_level *level, const struct gist *gist)
{
	uint32_t step = step_of(level);
	uint32_t settled = level->unseen < step ? level->unseen : step;
	struct trap_window *w;
	int rc;

	level->unseen = 0;
	w = window_of(t, level, &rc);
	if (rc)
		return rc;
	if (w)
		level->was_new = add_lines(w, gist) >= NEW_MIN + gist->weight / NEW_SHARE;
	else
		level->was_new = level->kind != TRAP_SESSION;
	if (level->was_new && level->earned < UINT32_MAX / 2)
		level->earned += TRAPS_PAY * settled;
	return 0;
}

int traps_look(struct traps *t, const struct trap_levels *l, const struct gist *gist, bool *ret_new)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		struct trap_level *level = level_at(t, l, i);

		if (level && is_watched(level))
			TRY(look(t, level, gist));
	}
	*ret_new = traps_is_worthy(t, l);
	return 0;
}

bool traps_is_worthy(const struct traps *t, const struct trap_levels *l)
{
	for (unsigned i = 0; i < TRAPS_LEVELS; i++) {
		const struct trap_level *level = level_at(t, l, i);

		if (level && is_watched(level))
			return level->was_new;
	}
	return true;
}
