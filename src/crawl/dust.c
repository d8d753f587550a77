#include "crawl/dust.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/word.h"
#include "formats/percent.h"

/* ---- forms of URLs ---- */

/* Constant: traits are compared within one process only, but tests want the same ones. */
static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d4455535421};

enum {
	TOKEN_MIN = 8,       /* letters and digits of a session id */
	LONG_TOKEN_MIN = 16, /* of one that has no digits, or nothing else */
	DIRECTORY_MAX = 512, /* bytes of a path that tell directories apart */
};

static const char *const NAMES[DUST_KIND_COUNT] = {
#define X(id, name) [id] = name,
	DUST_KIND_LIST(X)
#undef X
};

static bool is_off(const struct dust_terms *t, enum dust_kind kind)
{
	return t->off >> kind & 1;
}

static uint64_t trait_of(slice text)
{
	return hash_bytes(KEY, text) | 1;
}

static void add_trait(struct dust_form *f, enum dust_kind kind, slice text)
{
	f->traits[kind] = f->traits[kind] * 3 + trait_of(text);
}

/* ---- host ---- */

static slice without_www(slice host)
{
	static const slice www = SLICE_INIT("www.");

	/* "www.org" is a name of its own. */
	return slice_starts_with(host, www) && memchr(host.ptr + www.len, '.', host.len - www.len)
		       ? slice_sub(host, www.len, host.len)
		       : host;
}

static int add_port(struct buf *out, const struct url *u)
{
	return u->port == URL_NO_PORT ? 0 : url_add_port(out, u->port);
}

bool dust_is_same_site(const struct url *a, const struct url *b)
{
	return a->port == b->port &&
	       slice_eq(without_www(url_part(a, a->host)), without_www(url_part(b, b->host)));
}

static int add_host(
	struct buf *out, const struct url *u, const struct dust_terms *t, struct dust_form *ret)
{
	slice host = url_part(u, u->host), bare = without_www(host);

	if (t->any_host) {
		ret->traits[DUST_MIRROR] = trait_of(slice_sub(url_text(u), 0, u->authority_end));
		return 0;
	}
	if (is_off(t, DUST_SCHEME) || u->port != URL_NO_PORT)
		TRY(buf_add(out, slice_sub(url_text(u), 0, u->scheme.len + 1)));
	else
		ret->traits[DUST_SCHEME] = u->scheme_id == URL_HTTPS;
	if (is_off(t, DUST_WWW))
		bare = host;
	ret->traits[DUST_WWW] = bare.len < host.len;
	TRY(buf_add(out, bare));
	return add_port(out, u);
}

/* ---- path ---- */

static bool is_unreserved(int c)
{
	return url_byte_is((char)c, URL_ALPHA | URL_DIGIT) || c == '-' || c == '.' || c == '_' ||
	       c == '~';
}

/* The path with fewer escapes and slashes; counts what it changed. */
static int add_spelled(struct buf *out, slice path, uint64_t *ret_changes)
{
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (c == '%' && i + 2 < path.len) {
			int high = word_hex(path.ptr[i + 1]), low = word_hex(path.ptr[i + 2]);

			if (high >= 0 && low >= 0 && is_unreserved(high << 4 | low)) {
				c = (char)(high << 4 | low);
				i += 2;
				++*ret_changes;
			}
		} else if (c == '/' && i > 0 && path.ptr[i - 1] == '/') {
			++*ret_changes;
			continue;
		}
		TRY(buf_add(out, (slice){&c, 1}));
	}
	return 0;
}

static void cut(struct buf *b, size_t from, size_t to)
{
	memmove(b->ptr + from, b->ptr + to, b->len - to + 1);
	b->len -= to - from;
}

bool dust_is_token(slice value)
{
	size_t digits = 0;

	for (size_t i = 0; i < value.len; i++) {
		if (!url_byte_is(value.ptr[i], URL_ALPHA | URL_DIGIT))
			return false;
		digits += url_byte_is(value.ptr[i], URL_DIGIT) != 0;
	}
	return value.len >= LONG_TOKEN_MIN ||
	       (value.len >= TOKEN_MIN && digits > 0 && digits < value.len);
}

/* Java's ";jsessionid=…" behind a segment. */
static void strip_path_session(struct buf *b, size_t path, struct dust_form *ret)
{
	static const slice name = SLICE_INIT(";jsessionid=");

	for (size_t i = path; i + name.len < b->len; i++) {
		size_t end = i + name.len;

		if (!url_equal_nocase(slice_sub(buf_slice(b), i, end), name))
			continue;
		while (end < b->len && b->ptr[end] != '/' && b->ptr[end] != ';')
			end++;
		add_trait(ret, DUST_SESSION, slice_sub(buf_slice(b), i + name.len, end));
		cut(b, i, end);
		return;
	}
}

/* "/print/a", "/a/print", "/a-print.html", "/a_print" */
static void strip_print(struct buf *b, size_t path, struct dust_form *ret)
{
	static const slice segment = SLICE_INIT("/print");
	slice all = slice_sub(buf_slice(b), path, b->len);

	for (size_t i = 0; i + segment.len <= all.len; i++) {
		size_t end = i + segment.len;
		bool is_suffix = all.ptr[i] == '-' || all.ptr[i] == '_' || all.ptr[i] == '.';
		char next = '\0';

		if (end < all.len)
			next = all.ptr[end];
		if (!url_equal_nocase(slice_sub(all, i + 1, end), SLICE("print")))
			continue;
		if ((all.ptr[i] == '/' && (next == '/' || (next == '\0' && i > 0))) ||
			(is_suffix && (next == '\0' || (next == '.' && all.ptr[i] != '.')))) {
			add_trait(ret, DUST_PRINT, slice_sub(all, i, end));
			cut(b, path + i, path + end);
			return;
		}
	}
}

static bool is_any(slice name, const slice *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (url_equal_nocase(name, list[i]))
			return true;
	return false;
}

/* Takes off the last segment if it is the name of a directory's page. */
static void strip_index(
	struct buf *b, size_t path, const struct dust_terms *t, struct dust_form *ret)
{
	static const slice index[] = {
		SLICE_INIT("index.html"), SLICE_INIT("index.htm"), SLICE_INIT("index")};
	static const slice others[] = {SLICE_INIT("index.php"), SLICE_INIT("index.asp"),
		SLICE_INIT("index.aspx"), SLICE_INIT("index.jsp"), SLICE_INIT("index.cgi"),
		SLICE_INIT("index.pl"), SLICE_INIT("index.shtml"), SLICE_INIT("index.xhtml"),
		SLICE_INIT("default.html"), SLICE_INIT("default.htm"), SLICE_INIT("default.asp"),
		SLICE_INIT("default.aspx"), SLICE_INIT("default.php"), SLICE_INIT("home.html"),
		SLICE_INIT("home.htm"), SLICE_INIT("welcome.html"), SLICE_INIT("main.html")};
	size_t from = b->len;
	enum dust_kind kind;
	slice name;

	while (from > path && b->ptr[from - 1] != '/')
		from--;
	name = slice_sub(buf_slice(b), from, b->len);
	if (is_any(name, index, sizeof index / sizeof index[0]))
		kind = DUST_INDEX;
	else if (is_any(name, others, sizeof others / sizeof others[0]))
		kind = DUST_DEFAULT;
	else
		return;
	if (is_off(t, kind))
		return;
	add_trait(ret, kind, name);
	cut(b, from, b->len);
}

static int add_path(
	struct buf *out, const struct url *u, const struct dust_terms *t, struct dust_form *ret)
{
	size_t path = out->len;
	slice text = url_part(u, u->path);

	TRY(is_off(t, DUST_SPELLING) ? buf_add(out, text)
				     : add_spelled(out, text, &ret->traits[DUST_SPELLING]));
	if (!is_off(t, DUST_SESSION))
		strip_path_session(out, path, ret);
	if (!is_off(t, DUST_PRINT))
		strip_print(out, path, ret);
	strip_index(out, path, t, ret);
	if (!is_off(t, DUST_SLASH) && out->len > path + 1 && out->ptr[out->len - 1] == '/') {
		ret->traits[DUST_SLASH] = 1;
		cut(out, out->len - 1, out->len);
	}
	if (!is_off(t, DUST_CASE)) {
		bool has_upper = false;
		uint64_t before = trait_of(slice_sub(buf_slice(out), path, out->len));

		for (size_t i = path; i < out->len; i++)
			if (url_byte_is(out->ptr[i], URL_UPPER)) {
				has_upper = true;
				out->ptr[i] = (char)(out->ptr[i] | 0x20);
			}
		ret->traits[DUST_CASE] = has_upper ? before : 0;
	}
	return out->len > path ? 0 : buf_add_str(out, "/");
}

/* ---- query ---- */

static bool is_session(const struct dust_field *f)
{
	static const slice names[] = {SLICE_INIT("sid"), SLICE_INIT("phpsessid"),
		SLICE_INIT("jsessionid"), SLICE_INIT("sessionid"), SLICE_INIT("session_id"),
		SLICE_INIT("session"), SLICE_INIT("sessid"), SLICE_INIT("sess"),
		SLICE_INIT("zenid"), SLICE_INIT("oscsid"), SLICE_INIT("cfid"),
		SLICE_INIT("cftoken"), SLICE_INIT("s")};
	static const slice asp = SLICE_INIT("aspsessionid");

	return dust_is_token(f->value) &&
	       (is_any(f->name, names, sizeof names / sizeof names[0]) ||
		       (f->name.len >= asp.len &&
			       url_equal_nocase(slice_sub(f->name, 0, asp.len), asp)));
}

static bool is_tracking(const struct dust_field *f)
{
	static const slice names[] = {SLICE_INIT("gclid"), SLICE_INIT("fbclid"),
		SLICE_INIT("dclid"), SLICE_INIT("msclkid"), SLICE_INIT("yclid"),
		SLICE_INIT("twclid"), SLICE_INIT("ttclid"), SLICE_INIT("gbraid"),
		SLICE_INIT("wbraid"), SLICE_INIT("igshid"), SLICE_INIT("srsltid"),
		SLICE_INIT("mc_cid"), SLICE_INIT("mc_eid"), SLICE_INIT("_ga"), SLICE_INIT("_gl"),
		SLICE_INIT("_hsenc"), SLICE_INIT("_hsmi"), SLICE_INIT("wt_mc"),
		SLICE_INIT("wt.mc_id"), SLICE_INIT("li_fat_id"), SLICE_INIT("zanpid"),
		SLICE_INIT("oly_anon_id"), SLICE_INIT("oly_enc_id"), SLICE_INIT("vero_id")};
	static const slice starts[] = {SLICE_INIT("utm_"), SLICE_INIT("mtm_"), SLICE_INIT("pk_"),
		SLICE_INIT("piwik_"), SLICE_INIT("matomo_"), SLICE_INIT("hsa_")};

	if (is_any(f->name, names, sizeof names / sizeof names[0]))
		return true;
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		if (f->name.len > starts[i].len &&
			url_equal_nocase(slice_sub(f->name, 0, starts[i].len), starts[i]))
			return true;
	return false;
}

static bool is_print(const struct dust_field *f)
{
	static const slice names[] = {SLICE_INIT("print"), SLICE_INIT("printable"),
		SLICE_INIT("printer"), SLICE_INIT("printview"), SLICE_INIT("printversion"),
		SLICE_INIT("printerfriendly"), SLICE_INIT("printer_friendly")};
	static const slice ways[] = {SLICE_INIT("view"), SLICE_INIT("format"), SLICE_INIT("mode"),
		SLICE_INIT("layout"), SLICE_INIT("media"), SLICE_INIT("output"),
		SLICE_INIT("version"), SLICE_INIT("type"), SLICE_INIT("style")};
	static const slice noes[] = {SLICE_INIT("0"), SLICE_INIT("no"), SLICE_INIT("false")};

	if (is_any(f->name, names, sizeof names / sizeof names[0]))
		return !is_any(f->value, noes, sizeof noes / sizeof noes[0]);
	return is_any(f->name, ways, sizeof ways / sizeof ways[0]) && f->value.len >= 5 &&
	       url_equal_nocase(slice_sub(f->value, 0, 5), SLICE("print"));
}

/* What kind takes the field off; DUST_KIND_COUNT: none. */
static enum dust_kind kind_of(const struct dust_field *f, const struct dust_terms *t)
{
	if (f->text.len == 0)
		return is_off(t, DUST_SPELLING) ? DUST_KIND_COUNT : DUST_SPELLING;
	if (!is_off(t, DUST_SESSION) && is_session(f))
		return DUST_SESSION;
	if (!is_off(t, DUST_TRACKING) && is_tracking(f))
		return DUST_TRACKING;
	return !is_off(t, DUST_PRINT) && is_print(f) ? DUST_PRINT : DUST_KIND_COUNT;
}

static bool is_dropped(const struct dust_terms *t, slice name)
{
	for (size_t i = 0; t->parameters && i < t->parameters->len; i++)
		if (slice_eq(t->parameters->ptr[i], name))
			return true;
	return false;
}

static struct dust_field field_of(slice text)
{
	slice rest = text;
	slice name = slice_take(&rest, '=');

	return (struct dust_field){.name = name, .value = rest, .text = text};
}

/* Sorts the fields of the query; false if there are too many. */
static bool read_fields(const struct url *u, const struct dust_terms *t, struct dust_form *ret)
{
	slice query = url_part(u, u->query);

	ret->traits[DUST_SPELLING] += u->has_query && query.len == 0;
	while (query.len > 0) {
		struct dust_field f = field_of(slice_take(&query, '&'));
		enum dust_kind kind = kind_of(&f, t);

		if (kind != DUST_KIND_COUNT) {
			add_trait(ret, kind, f.text);
			continue;
		}
		if (ret->field_count == DUST_FIELDS_MAX)
			return false;
		f.dropped = is_dropped(t, f.name);
		ret->fields[ret->field_count++] = f;
	}
	return true;
}

static int by_text(const void *a, const void *b)
{
	slice x = ((const struct dust_field *)a)->text, y = ((const struct dust_field *)b)->text;
	int order = memcmp(x.ptr, y.ptr, x.len < y.len ? x.len : y.len);

	return order ? order : (x.len > y.len) - (x.len < y.len);
}

static void sort_fields(struct dust_form *ret)
{
	uint64_t before = 0, after = 0;

	for (size_t i = 0; i < ret->field_count; i++)
		if (!ret->fields[i].dropped)
			before = before * 3 + trait_of(ret->fields[i].text);
	if (ret->field_count > 1)
		qsort(ret->fields, ret->field_count, sizeof ret->fields[0], by_text);
	for (size_t i = 0; i < ret->field_count; i++)
		if (!ret->fields[i].dropped)
			after = after * 3 + trait_of(ret->fields[i].text);
	ret->traits[DUST_ORDER] = before == after ? 0 : before;
}

static int add_fields(struct buf *out, const struct dust_form *f, size_t without)
{
	char before = '?';

	for (size_t i = 0; i < f->field_count; i++) {
		if (f->fields[i].dropped || i == without)
			continue;
		TRY(buf_add(out, (slice){&before, 1}));
		TRY(buf_add(out, f->fields[i].text));
		before = '&';
	}
	return 0;
}

/* ---- all of it ---- */

int dust_form(struct buf *out, const struct url *u, const struct dust_terms *t,
	struct dust_form *ret, bool *ret_has)
{
	memset(ret->traits, 0, sizeof ret->traits);
	ret->field_count = 0;
	buf_reset(out);
	*ret_has = read_fields(u, t, ret);
	if (!*ret_has)
		return 0;
	if (!is_off(t, DUST_ORDER))
		sort_fields(ret);
	TRY(add_host(out, u, t, ret));
	TRY(add_path(out, u, t, ret));
	ret->head = out->len;
	if (is_off(t, DUST_SPELLING) && u->has_query && u->query.len == 0)
		TRY(buf_add_str(out, "?"));
	TRY(add_fields(out, ret, SIZE_MAX));
	ret->key = buf_slice(out);
	return 0;
}

int dust_directory(struct buf *out, const struct url *u)
{
	struct dust_terms all = {0};
	struct dust_form ignored = {0};
	size_t path;

	buf_reset(out);
	TRY(buf_add(out, without_www(url_part(u, u->host))));
	TRY(add_port(out, u));
	path = out->len;
	TRY(add_path(out, u, &all, &ignored));
	while (out->len > path + 1 && out->ptr[out->len - 1] != '/')
		out->len--;
	if (out->len > path + DIRECTORY_MAX)
		out->len = path + DIRECTORY_MAX;
	out->ptr[out->len] = '\0';
	return 0;
}

int dust_form_without(struct buf *out, const struct dust_form *form, size_t field)
{
	slice head = slice_sub(form->key, 0, form->head);

	buf_reset(out);
	TRY(buf_add(out, head));
	return add_fields(out, form, field);
}

slice dust_form_value(const struct dust_form *f, slice name)
{
	for (size_t i = 0; i < f->field_count; i++)
		if (f->fields[i].dropped && slice_eq(f->fields[i].name, name))
			return f->fields[i].text;
	return (slice){0};
}

/* Whether they differ in that parameter, of which the form knows nothing more. */
static bool dust_form_differs_in(const struct dust_form *a, const struct dust_form *b, slice name)
{
	return !slice_eq(dust_form_value(a, name), dust_form_value(b, name));
}

static bool has_other_dropped(const struct dust_form *a, const struct dust_form *b)
{
	for (size_t i = 0; i < a->field_count; i++)
		if (a->fields[i].dropped && dust_form_differs_in(a, b, a->fields[i].name))
			return true;
	return false;
}

unsigned dust_form_differences(const struct dust_form *a, const struct dust_form *b)
{
	unsigned kinds = 0;

	for (unsigned k = 0; k < DUST_KIND_COUNT; k++)
		if (k != DUST_PARAMETER && a->traits[k] != b->traits[k])
			kinds |= 1U << k;
	if (has_other_dropped(a, b) || has_other_dropped(b, a))
		kinds |= 1U << DUST_PARAMETER;
	return kinds;
}

/* ---- rules ---- */

enum {
	NAMES_MAX = 32 << 20, /* bytes of names of directories and parameters */
	DETAIL_MAX = 512, /* of the name of a parameter or a mirror: longer ones have no rules */
};

uint64_t dust_hash(const struct dust *d, slice text)
{
	return hash_bytes(d->key, text);
}

/* ---- sites and rules ---- */

void dust_init(struct dust *d, struct hash_key key, bool is_eager)
{
	*d = (struct dust){.key = key, .is_eager = is_eager};
	arena_init_small(&d->arena, NAMES_MAX);
	strmap_init(&d->site_numbers, key, NULL);
	strmap_init(&d->tally_numbers, key, NULL);
	buf_init(&d->name, URL_MAX);
}

void dust_release(struct dust *d)
{
	for (size_t i = 0; i < d->sites.len; i++)
		slice_vec_release(&d->sites.ptr[i].parameters);
	for (size_t i = 0; i < d->rules.len; i++)
		u32_vec_release(&d->rules.ptr[i].saved);
	dust_sites_release(&d->sites);
	dust_rules_release(&d->rules);
	strmap_release(&d->site_numbers);
	strmap_release(&d->tally_numbers);
	dust_tallies_release(&d->tallies);
	nummap_release(&d->classes);
	nummap_release(&d->siblings);
	buf_release(&d->name);
	arena_release(&d->arena);
}

int dust_site_of_name(struct dust *d, slice name, uint32_t *ret)
{
	struct dust_site site = {0};

	if (strmap_get(&d->site_numbers, name, ret))
		return 0;
	site.name = (slice){arena_strdup(&d->arena, name), name.len};
	if (!site.name.ptr)
		return ERR_NOMEM;
	dust_sites_push(&d->sites, site);
	*ret = (uint32_t)d->sites.len - 1;
	return strmap_put(&d->site_numbers, site.name, *ret);
}

int dust_site(struct dust *d, const struct url *url, uint32_t *ret)
{
	TRY(dust_directory(&d->name, url));
	if (d->sites.len >= DUST_SITES_MAX &&
		!strmap_get(&d->site_numbers, buf_slice(&d->name), ret)) {
		buf_reset(&d->name);
		TRY(buf_add_str(&d->name, "other directories"));
	}
	return dust_site_of_name(d, buf_slice(&d->name), ret);
}

int dust_form_of(struct dust *d, struct buf *out, const struct url *url, struct dust_form *ret,
	bool *ret_has)
{
	struct dust_terms terms = {0};
	uint32_t site;

	TRY(dust_site(d, url, &site));
	terms.off = d->sites.ptr[site].off;
	terms.parameters = &d->sites.ptr[site].parameters;
	return dust_form(out, url, &terms, ret, ret_has);
}

static uint32_t find_rule(const struct dust *d, uint32_t site, enum dust_kind kind, slice detail)
{
	uint32_t first = d->sites.ptr[site].rules[kind];

	for (size_t i = first ? first - 1 : d->rules.len; i < d->rules.len; i++) {
		const struct dust_rule *r = &d->rules.ptr[i];

		if (r->site == site && r->kind == kind && slice_eq(r->detail, detail))
			return (uint32_t)i;
	}
	return DUST_NONE;
}

bool dust_knows(const struct dust *d, uint32_t site, enum dust_kind kind, slice detail)
{
	return find_rule(d, site, kind, detail) != DUST_NONE;
}

int dust_rule_of(struct dust *d, uint32_t site, enum dust_kind kind, slice detail, uint32_t *ret)
{
	struct dust_site *s = &d->sites.ptr[site];
	bool is_tried = d->is_eager && kind != DUST_PARAMETER && kind != DUST_MIRROR;
	struct dust_rule rule = {.site = site,
		.kind = (uint8_t)kind,
		.state = is_tried ? DUST_TRIED : DUST_LEARNING};
	slice name;

	*ret = find_rule(d, site, kind, detail);
	if (*ret != DUST_NONE || d->rules.len >= DUST_RULES_MAX || detail.len > DETAIL_MAX ||
		(kind == DUST_PARAMETER && s->parameter_rules >= DUST_PARAMETERS_MAX))
		return 0;
	/* The tally of a kind, which is added if it is new. */
	buf_reset(&d->name);
	TRY(buf_printf(&d->name, "%d %.*s", (int)kind, (int)detail.len, detail.ptr));
	if (!strmap_get(&d->tally_numbers, buf_slice(&d->name), &rule.tally)) {
		name = (slice){arena_strdup(&d->arena, buf_slice(&d->name)), d->name.len};
		TRY(name.ptr ? dust_tallies_push(&d->tallies, (struct dust_tally){0}) : ERR_NOMEM);
		rule.tally = (uint32_t)d->tallies.len - 1;
		TRY(strmap_put(&d->tally_numbers, name, rule.tally));
	}
	rule.detail = (slice){arena_strdup(&d->arena, detail), detail.len};
	TRY(rule.detail.ptr ? dust_rules_push(&d->rules, rule) : ERR_NOMEM);
	*ret = (uint32_t)d->rules.len - 1;
	d->tallies.ptr[rule.tally].rules++;
	s->parameter_rules += kind == DUST_PARAMETER;
	if (!s->rules[kind])
		s->rules[kind] = *ret + 1;
	return 0;
}

int dust_rule_name(const struct dust *d, uint32_t rule, struct buf *out)
{
	const struct dust_rule *r = &d->rules.ptr[rule];
	slice site = d->sites.ptr[r->site].name;

	return buf_printf(out, "%s%s%.*s at %.*s", NAMES[r->kind], r->detail.len ? " " : "",
		(int)r->detail.len, r->detail.ptr, (int)site.len, site.ptr);
}

/* ---- differences ---- */

struct between {
	uint32_t *out;
	size_t max, count;
};

static int add_rule(
	struct dust *d, uint32_t site, enum dust_kind kind, slice detail, struct between *b)
{
	uint32_t rule;

	TRY(dust_rule_of(d, site, kind, detail, &rule));
	if (rule == DUST_NONE || b->count >= b->max)
		b->count = b->max + 1;
	else
		b->out[b->count++] = rule;
	return 0;
}

/* Parameters of a that b does not have, or not so; twice: only those that b lacks altogether. */
static int add_parameters(struct dust *d, uint32_t site, const struct dust_form *a,
	const struct dust_form *b, bool twice, struct between *ret)
{
	for (size_t i = 0; i < a->field_count; i++) {
		slice name = a->fields[i].name;
		bool has = false;

		for (size_t k = 0; k < b->field_count; k++)
			has = has || slice_eq(b->fields[k].name, name);
		if (a->fields[i].dropped && dust_form_differs_in(a, b, name) && !(twice && has))
			TRY(add_rule(d, site, DUST_PARAMETER, name, ret));
	}
	return 0;
}

int dust_rules_between(struct dust *d, uint32_t site, const struct dust_form *a,
	const struct dust_form *b, uint32_t *out, size_t max, size_t *ret_count)
{
	unsigned kinds = dust_form_differences(a, b);
	struct between ret = {out, max, 0};

	if (kinds == 0)
		kinds = 1U << DUST_SPELLING; /* of escapes in the same number */
	for (unsigned k = 0; k < DUST_KIND_COUNT && ret.count <= max; k++)
		if (kinds >> k & 1 && k != DUST_PARAMETER)
			TRY(add_rule(d, site, (enum dust_kind)k, SLICE(""), &ret));
	if (kinds >> DUST_PARAMETER & 1 && ret.count <= max)
		TRY(add_parameters(d, site, a, b, false, &ret));
	if (kinds >> DUST_PARAMETER & 1 && ret.count <= max)
		TRY(add_parameters(d, site, b, a, true, &ret));
	*ret_count = ret.count;
	return 0;
}

/* ---- states ---- */

static void forget_parameter(struct dust_site *s, slice name)
{
	for (size_t i = 0; i < s->parameters.len; i++)
		if (slice_eq(s->parameters.ptr[i], name)) {
			s->parameters.ptr[i] = s->parameters.ptr[--s->parameters.len];
			return;
		}
}

void dust_withdraw(struct dust *d, uint32_t rule)
{
	struct dust_rule *r = &d->rules.ptr[rule];

	r->state = DUST_WITHDRAWN;
	r->changed = true;
	d->terms++;
	if (r->kind == DUST_PARAMETER)
		forget_parameter(&d->sites.ptr[r->site], r->detail);
	else
		d->sites.ptr[r->site].off |= 1U << r->kind;
}

int dust_try(struct dust *d, uint32_t rule)
{
	struct dust_rule *r = &d->rules.ptr[rule];

	if (r->kind == DUST_PARAMETER)
		slice_vec_push(&d->sites.ptr[r->site].parameters, r->detail);
	r->state = DUST_TRIED;
	r->changed = true;
	d->terms++;
	return 0;
}

static struct dust_value *find_value(struct dust_tally *t, uint64_t hash)
{
	for (uint32_t i = 0; i < t->value_count; i++)
		if (t->values[i].hash == hash)
			return &t->values[i];
	return NULL;
}

void dust_note_value(struct dust_tally *t, uint64_t hash, uint32_t page, uint32_t rule)
{
	if (t->value_count < DUST_VALUES_MAX && !find_value(t, hash))
		t->values[t->value_count++] =
			(struct dust_value){.hash = hash, .page = page, .rule = rule};
}

void dust_confirm_value(struct dust_tally *t, uint64_t hash)
{
	struct dust_value *v;

	dust_note_value(t, hash, DUST_NONE, DUST_NONE);
	v = find_value(t, hash);
	if (v)
		v->is_confirmed = true;
}

bool dust_value_is_confirmed(const struct dust_tally *t, uint64_t hash)
{
	uint32_t confirmed = 0;

	for (uint32_t i = 0; i < t->value_count; i++) {
		if (t->values[i].hash == hash)
			return t->values[i].is_confirmed;
		confirmed += t->values[i].is_confirmed;
	}
	return confirmed == DUST_VALUES_MAX;
}
