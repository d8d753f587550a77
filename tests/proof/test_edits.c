/*
 * Single random edits of pages: each must be found, whatever it is. An edit that is judged the same
 * is printed with the rule that hid it; only edits within a comment may be. The pages are those of
 * tests/proof/pages, and where the labelled set of real pages lies beside the repository
 * (../shared/data/noise, or STILLPOINT_NOISE), those too. STILLPOINT_TEST_SCALE makes more edits,
 * STILLPOINT_TEST_SEED others.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/word.h"
#include "proof/proof.h"
#include "tap.h"

enum { PAGE_MAX = 4 << 20, EDITS = 60, LOOK = 1700000000, APART = 600, BLOCK = 64 << 10 };

static uint64_t state;

static size_t draw(size_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return below ? (size_t)(state >> 33) % below : 0;
}

/* Bytes [from, to) of the page become `with`. */
struct edit {
	size_t from, to;
	char with[512];
	size_t len;
};

static bool is_word_byte(char c)
{
	return word_is_alnum(c) || c == '_';
}

/* Looks from a random place on for a byte of a kind, and around it for the whole run. */
static bool find_run(slice page, bool (*is_one)(char), size_t min, size_t *ret_from, size_t *ret_to)
{
	size_t start = draw(page.len);

	for (size_t n = 0; n < page.len; n++) {
		size_t at = (start + n) % page.len, from = at, to = at;

		if (!is_one(page.ptr[at]))
			continue;
		while (from > 0 && is_one(page.ptr[from - 1]))
			from--;
		while (to < page.len && is_one(page.ptr[to]))
			to++;
		if (to - from >= min && to - from < 200) {
			*ret_from = from;
			*ret_to = to;
			return true;
		}
		n += to - at;
	}
	return false;
}

static void put(struct edit *e, slice text)
{
	e->len = text.len < sizeof e->with ? text.len : sizeof e->with;
	memcpy(e->with, text.ptr, e->len);
}

/* --- kinds of edits; each says whether it found a place --- */

static bool edit_digit(slice page, struct edit *e)
{
	if (!find_run(page, word_is_digit, 1, &e->from, &e->to))
		return false;
	e->from += draw(e->to - e->from);
	e->to = e->from + 1;
	e->with[0] = (char)('0' + (page.ptr[e->from] - '0' + 1 + (int)draw(9)) % 10);
	e->len = 1;
	return true;
}

static bool edit_number(slice page, struct edit *e)
{
	unsigned long long n = 0;

	if (!find_run(page, word_is_digit, 1, &e->from, &e->to) || e->to - e->from > 15)
		return false;
	for (size_t i = e->from; i < e->to; i++)
		n = n * 10 + (unsigned)(page.ptr[i] - '0');
	e->len = (size_t)snprintf(e->with, sizeof e->with, "%llu", n + 1 + draw(60));
	return true;
}

static bool edit_letter(slice page, struct edit *e)
{
	if (!find_run(page, word_is_alpha, 1, &e->from, &e->to))
		return false;
	e->from += draw(e->to - e->from);
	e->to = e->from + 1;
	e->with[0] = (char)('a' + (word_lower(page.ptr[e->from]) - 'a' + 1 + (int)draw(25)) % 26);
	e->len = 1;
	return true;
}

static bool edit_delete_byte(slice page, struct edit *e)
{
	if (!find_run(page, is_word_byte, 2, &e->from, &e->to))
		return false;
	e->from += draw(e->to - e->from);
	e->to = e->from + 1;
	e->len = 0;
	return true;
}

static bool edit_word(slice page, struct edit *e)
{
	size_t from, to;

	if (!find_run(page, word_is_alpha, 3, &e->from, &e->to) ||
		!find_run(page, word_is_alpha, 3, &from, &to))
		return false;
	put(e, slice_sub(page, from, to));
	return true;
}

static bool edit_token(slice page, struct edit *e)
{
	size_t from, to;

	if (!find_run(page, is_word_byte, 4, &e->from, &e->to) ||
		!find_run(page, is_word_byte, 4, &from, &to))
		return false;
	put(e, slice_sub(page, from, to));
	return true;
}

static bool edit_delete_word(slice page, struct edit *e)
{
	e->len = 0;
	return find_run(page, word_is_alpha, 2, &e->from, &e->to);
}

/* A tag from a random place on. */
static bool find_tag(slice page, size_t *ret_from, size_t *ret_to)
{
	size_t start = draw(page.len);

	for (size_t n = 0; n < page.len; n++) {
		size_t at = (start + n) % page.len, to = at + 1;

		if (page.ptr[at] != '<' || at + 2 >= page.len ||
			!(word_is_alpha(page.ptr[at + 1]) || page.ptr[at + 1] == '/'))
			continue;
		while (to < page.len && page.ptr[to] != '>' && page.ptr[to] != '<')
			to++;
		if (to >= page.len || page.ptr[to] != '>' || to - at > 300)
			continue;
		*ret_from = at;
		*ret_to = to + 1;
		return true;
	}
	return false;
}

static bool edit_delete_tag(slice page, struct edit *e)
{
	e->len = 0;
	return find_tag(page, &e->from, &e->to);
}

static bool edit_double_tag(slice page, struct edit *e)
{
	size_t from, to;

	if (!find_tag(page, &from, &to))
		return false;
	e->from = e->to = to;
	put(e, slice_sub(page, from, to));
	return true;
}

static bool edit_rename_tag(slice page, struct edit *e)
{
	static const char *const NAMES[] = {
		"b", "p", "div", "span", "li", "td", "h4", "section", "s", "sup", "x-box", "ul"};
	size_t from, to;

	if (!find_tag(page, &from, &to))
		return false;
	from += page.ptr[from + 1] == '/' ? 2 : 1;
	e->from = e->to = from;
	while (word_is_alnum(page.ptr[e->to]) || page.ptr[e->to] == '-')
		e->to++;
	put(e, slice_str(NAMES[draw(sizeof NAMES / sizeof *NAMES)]));
	return true;
}

/* ="…" from a random place on: the value. */
static bool find_value(slice page, size_t *ret_from, size_t *ret_to)
{
	size_t start = draw(page.len);

	for (size_t n = 0; n < page.len; n++) {
		size_t at = (start + n) % page.len, to;

		if (at + 2 >= page.len || page.ptr[at] != '=' || page.ptr[at + 1] != '"')
			continue;
		to = at + 2;
		while (to < page.len && page.ptr[to] != '"')
			to++;
		if (to >= page.len || to - at > 200 || to == at + 2)
			continue;
		*ret_from = at + 2;
		*ret_to = to;
		return true;
	}
	return false;
}

static bool edit_value(slice page, struct edit *e)
{
	size_t from, to;

	if (!find_value(page, &e->from, &e->to) || !find_value(page, &from, &to))
		return false;
	put(e, slice_sub(page, from, to));
	return true;
}

static bool edit_delete_attr(slice page, struct edit *e)
{
	if (!find_value(page, &e->from, &e->to))
		return false;
	e->to++;
	e->from -= 2;
	while (e->from > 0 && !word_is_space(page.ptr[e->from - 1]))
		e->from--;
	e->len = 0;
	return true;
}

/* The value of a JSON or script key becomes another. */
static bool edit_literal(slice page, struct edit *e)
{
	static const char *const VALUES[] = {"true", "null", "0", "\"x\"", "17", "[]"};

	if (!find_run(page, is_word_byte, 1, &e->from, &e->to))
		return false;
	put(e, slice_str(VALUES[draw(sizeof VALUES / sizeof *VALUES)]));
	return true;
}

static bool edit_add_text(slice page, struct edit *e)
{
	size_t from, to;

	if (!find_tag(page, &from, &to))
		return false;
	e->from = e->to = to;
	put(e, SLICE("new words"));
	return true;
}

static const struct {
	const char *name;
	bool (*make)(slice page, struct edit *e);
} KINDS[] = {
	{"digit", edit_digit},
	{"number", edit_number},
	{"letter", edit_letter},
	{"byte deleted", edit_delete_byte},
	{"word", edit_word},
	{"token", edit_token},
	{"word deleted", edit_delete_word},
	{"tag deleted", edit_delete_tag},
	{"tag doubled", edit_double_tag},
	{"tag renamed", edit_rename_tag},
	{"value", edit_value},
	{"attribute deleted", edit_delete_attr},
	{"literal", edit_literal},
	{"text added", edit_add_text},
};

/* --- what may be hidden --- */

static size_t last_before(slice page, size_t at, slice what)
{
	while (at > 0) {
		at--;
		if (slice_starts_with(slice_sub(page, at, page.len), what))
			return at + 1;
	}
	return 0;
}

static bool is_within(slice page, const struct edit *e, slice open, slice close)
{
	size_t from = last_before(page, e->from, open);

	return from > 0 && from > last_before(page, e->from, close) &&
	       from - 1 + open.len <= e->from;
}

static bool is_in_comment(slice page, const struct edit *e)
{
	slice line = SLICE("//"), end = SLICE("\n");

	return is_within(page, e, SLICE("<!--"), SLICE("-->")) ||
	       is_within(page, e, SLICE("/*"), SLICE("*/")) || is_within(page, e, line, end);
}

static bool is_comment_rule(slice rule)
{
	return slice_eq(rule, SLICE("comment")) || slice_eq(rule, SLICE("script-comment")) ||
	       slice_eq(rule, SLICE("css-comment"));
}

static bool may_be_hidden(slice page, const struct edit *e, const struct proof *c)
{
	for (size_t i = 0; i < c->rules.len; i++)
		if (!is_comment_rule(c->rules.ptr[i].name))
			return false;
	return is_in_comment(page, e);
}

/* --- the rounds --- */

static void show(
	const char *name, const char *kind, slice page, const struct edit *e, const struct proof *c)
{
	char before[90], after[90];
	size_t from = e->from > 50 ? e->from - 50 : 0, n = 0;

	for (size_t i = from; i < page.len && n < sizeof before - 1; i++)
		before[n++] = (char)(page.ptr[i] == '\n' ? ' ' : page.ptr[i]);
	before[n] = '\0';
	n = 0;
	for (size_t i = 0; i < e->len && n < sizeof after - 1; i++)
		after[n++] = e->with[i];
	after[n] = '\0';
	for (size_t i = 0; i < c->rules.len; i++)
		tap_note("hidden by %.*s: %s: %s at %zu: %s | %s", (int)c->rules.ptr[i].name.len,
			c->rules.ptr[i].name.ptr, name, kind, e->from, before, after);
}

struct rounds {
	unsigned edits, in_comments, hidden;
};

static void try_edit(const char *name, slice page, slice type, struct buf *out, struct rounds *r)
{
	size_t kind = draw(sizeof KINDS / sizeof *KINDS);
	struct edit e = {0};
	struct proof c, d;

	if (!KINDS[kind].make(page, &e))
		return;
	if (word_is(slice_sub(page, e.from, e.to), (slice){e.with, e.len}))
		return; /* nothing, or the case of a tag */
	buf_reset(out);
	if (!CHECK(buf_add(out, slice_sub(page, 0, e.from)) == 0 &&
		    buf_add(out, (slice){e.with, e.len}) == 0 &&
		    buf_add(out, slice_sub(page, e.to, page.len)) == 0))
		return;
	CHECK_INT(proof_compare(
			  &(struct proof_params){.a = {page, type, (int64_t)LOOK * 1000000000},
				  .b = {buf_slice(out), type, (LOOK + (int64_t)APART) * 1000000000},
				  .url = SLICE("https://www.example.org/")},
			  &c),
		0);
	r->edits++;
	if (c.same == PROOF_NORMALISED && c.duties.len == 0) {
		CHECK(c.rules.len > 0);
		if (may_be_hidden(page, &e, &c)) {
			r->in_comments++;
		} else {
			r->hidden++;
			show(name, KINDS[kind].name, page, &e, &c);
		}
		CHECK_INT(proof_compare(&(struct proof_params){.a = {buf_slice(out), type,
								       (LOOK + (int64_t)APART) *
									       1000000000},
						.b = {page, type, (int64_t)LOOK * 1000000000},
						.url = SLICE("https://www.example.org/")},
				  &d),
			0);
		CHECK_INT(d.same, c.same);
		proof_release(&d);
	}
	proof_release(&c);
}

static bool read_file(const char *path, struct buf *out)
{
	gzFile file = gzopen(path, "rb"); /* plain files too */
	int n;

	buf_reset(out);
	if (!file)
		return false;
	while (buf_reserve(out, BLOCK) == 0 && (n = gzread(file, out->ptr + out->len, BLOCK)) > 0)
		buf_truncate(out, out->len + (size_t)n);
	return gzclose_r(file) == Z_OK;
}

static slice type_of(const char *name)
{
	static const char *const TYPES[][2] = {{".html", "text/html"}, {".xml", "application/xml"},
		{".js", "text/javascript"}, {".json", "application/json"}, {".css", "text/css"},
		{".svg", "image/svg+xml"}, {".txt", "text/plain"}};

	for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
		if (strstr(name, TYPES[i][0]))
			return slice_str(TYPES[i][1]);
	return SLICE("text/html");
}

static unsigned scale(void)
{
	const char *given = getenv("STILLPOINT_TEST_SCALE");
	long n = given ? strtol(given, NULL, 10) : 1;

	return n > 0 ? (unsigned)n : 1;
}

static void try_page(const char *path, const char *name, unsigned count, struct rounds *r)
{
	struct buf page, out;

	buf_init(&page, PAGE_MAX);
	buf_init(&out, PAGE_MAX + 4096);
	if (CHECK(read_file(path, &page)) && page.len > 100)
		for (unsigned i = 0; i < count; i++)
			try_edit(name, buf_slice(&page), type_of(name), &out, r);
	buf_release(&page);
	buf_release(&out);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void try_own_pages(struct rounds *r)
{
	struct dirent **list;
	char dir[512], path[1024];
	int n;

	(void)snprintf(dir, sizeof dir, "%s/tests/proof/pages", tap_srcdir());
	n = scandir(dir, &list, NULL, by_name);
	if (!CHECK(n > 2))
		return;
	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", dir, list[i]->d_name);
		if (list[i]->d_name[0] != '.')
			try_page(path, list[i]->d_name, EDITS * scale(), r);
		free(list[i]);
	}
	free(list);
}

static bool try_real_pages(struct rounds *r)
{
	const char *given = getenv("STILLPOINT_NOISE");
	char root[600], path[1400], line[8192], last[256] = "";
	FILE *meta;

	if (given)
		(void)snprintf(root, sizeof root, "%s", given);
	else
		(void)snprintf(root, sizeof root, "%s/../shared/data/noise", tap_srcdir());
	(void)snprintf(path, sizeof path, "%s/meta.tsv", root);
	meta = fopen(path, "r");
	if (!meta) {
		tap_skip("%s is not there", path);
		return false;
	}
	while (fgets(line, sizeof line, meta)) {
		char *rest = line, *site = strsep(&rest, "\t"), *page = strsep(&rest, "\t");
		char *version = strsep(&rest, "\t");

		if (!version || strcmp(site, "site") == 0 || strcmp(site, last) == 0)
			continue;
		(void)snprintf(last, sizeof last, "%s", site);
		(void)snprintf(
			path, sizeof path, "%s/pages/%s/%s/%s.html.gz", root, site, page, version);
		try_page(path, site, 4 * scale(), r);
	}
	(void)fclose(meta);
	return true;
}

int main(int argc, char **argv)
{
	const char *seed = getenv("STILLPOINT_TEST_SEED");
	struct rounds own = {0}, real = {0};

	state = seed ? strtoull(seed, NULL, 10) : 25;
	tap_init(argc, argv);
	tap_case("random edits of made pages are found");
	try_own_pages(&own);
	tap_note("%u edits, %u within comments, %u hidden", own.edits, own.in_comments, own.hidden);
	CHECK(own.edits > 100);
	CHECK_INT(own.hidden, 0);
	tap_case("random edits of real pages are found");
	if (try_real_pages(&real)) {
		tap_note("%u edits, %u within comments, %u hidden", real.edits, real.in_comments,
			real.hidden);
		CHECK(real.edits > 100);
	}
	return tap_done();
}
