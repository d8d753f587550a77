#include "formats/scope.h"

#include <assert.h>

#include "formats/percent.h"
#include "formats/url.h"
#include "formats/url_canonical.h"

void scope_init(struct scope *s, unsigned requisite_hops)
{
	*s = (struct scope){.requisite_hops = requisite_hops};
	arena_init_small(&s->arena, SCOPE_TEXT_MAX);
	strmap_init(&s->pages, hash_key_random(), &s->arena);
}

static void release_patterns(struct scope_pattern_vec *patterns)
{
	for (size_t i = 0; i < patterns->len; i++)
		pattern_free(patterns->ptr[i]);
	scope_pattern_vec_release(patterns);
}

void scope_release(struct scope *s)
{
	release_patterns(&s->includes);
	release_patterns(&s->excludes);
	scope_area_vec_release(&s->areas);
	strmap_release(&s->pages);
	arena_release(&s->arena);
}

static int add_page(struct scope *s, const struct url *u, struct err *err)
{
	int rc;

	if (!url_is_http(u))
		return err_set(err, ERR_SYNTAX, "neither http nor https: %s", buf_str(&u->text));
	rc = strmap_put(&s->pages, url_page(u), 0);
	if (rc == ERR_EXISTS)
		rc = 0;
	return rc ? err_set(err, rc, "no room for another URL in the scope") : 0;
}

/* Whether it is there already: a seed may redirect to the same place with every look at it. */
static bool has_area(const struct scope *s, const struct scope_area *area)
{
	for (size_t i = 0; i < s->areas.len; i++) {
		const struct scope_area *a = &s->areas.ptr[i];

		if (a->rule == area->rule && a->port == area->port &&
			slice_eq(a->text, area->text) && slice_eq(a->host, area->host) &&
			slice_eq(a->path, area->path))
			return true;
	}
	return false;
}

/* Copies the area's strings and adds it. */
static int add_area(struct scope *s, struct scope_area area, struct err *err)
{
	char *host, *text, *path;

	assert(area.text.ptr);
	if (has_area(s, &area))
		return 0;
	if (s->areas.len >= SCOPE_AREAS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d areas in a scope", SCOPE_AREAS_MAX);
	host = arena_strdup(&s->arena, area.host);
	text = arena_strdup(&s->arena, area.text);
	path = arena_strdup(&s->arena, area.path);
	if (!host || !text || !path)
		return err_set(err, ERR_NOMEM, "no memory for a scope");
	area.host.ptr = host;
	area.text.ptr = text;
	area.path.ptr = path;
	scope_area_vec_push(&s->areas, area);
	s->has_surt = s->has_surt || area.rule == SCOPE_RULE_SURT;
	return 0;
}

/* The path up to its last slash. A path of http always has one. */
static slice directory(const struct url *u)
{
	slice path = url_part(u, u->path);

	while (path.len > 0 && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

static struct scope_area make_area(const struct url *u, enum scope_kind kind)
{
	slice domain = url_domain(u);
	slice path = directory(u);
	size_t path_end = u->path.at + path.len;
	struct scope_area area = {
		.rule = SCOPE_RULE_HOST,
		.port = u->port,
		.host = url_part(u, u->host),
		.text = slice_sub(url_text(u), u->host.at, u->authority_end),
		.path = path,
	};

	if (kind == SCOPE_PREFIX) {
		area.rule = SCOPE_RULE_PREFIX;
		area.text = slice_sub(url_text(u), u->host.at, path_end);
	} else if (kind == SCOPE_DOMAIN && domain.len > 0) {
		area.rule = SCOPE_RULE_DOMAIN;
		area.text = area.host = domain;
	}
	return area;
}

int scope_add_seed(struct scope *s, const struct url *seed, enum scope_kind kind, struct err *err)
{
	if (kind == SCOPE_PAGE || !url_is_http(seed))
		return add_page(s, seed, err);
	return add_area(s, make_area(seed, kind), err);
}

/* What stands behind "scheme://(" or "(", or all of it. */
static slice without_scheme(slice prefix)
{
	const char *open = prefix.len ? memchr(prefix.ptr, '(', prefix.len) : NULL;
	size_t at = open ? (size_t)(open - prefix.ptr) : 0;
	slice before = slice_sub(prefix, 0, at);

	/* In the middle of a path it is none. */
	if (!open || (at > 0 && (before.ptr[at - 1] != '/' || memchr(before.ptr, ')', at))))
		return prefix;
	return slice_sub(prefix, at + 1, prefix.len);
}

/* Heritrix ends every host with a comma; our keys, like the Wayback Machine's, do not. */
static int add_without_last_comma(struct buf *out, slice prefix)
{
	const char *close = prefix.len ? memchr(prefix.ptr, ')', prefix.len) : NULL;
	size_t at = close ? (size_t)(close - prefix.ptr) : prefix.len;
	bool comma = close && at > 0 && prefix.ptr[at - 1] == ',';

	url_add_lower(out, slice_sub(prefix, 0, at - comma));
	return url_add_lower(out, slice_sub(prefix, at, prefix.len));
}

int scope_add_surt(struct scope *s, slice prefix, struct err *err)
{
	struct scope_area area = {.rule = SCOPE_RULE_SURT, .port = URL_NO_PORT};
	struct buf text;
	int rc;

	buf_init(&text, URL_MAX);
	rc = add_without_last_comma(&text, without_scheme(prefix));
	if (rc)
		(void)err_set(err, rc, "SURT prefix over %d bytes", (int)URL_MAX);
	if (rc == 0 && text.len == 0)
		rc = err_set(err, ERR_SYNTAX, "empty SURT prefix");
	area.text = buf_slice(&text);
	if (rc == 0)
		rc = add_area(s, area, err);
	buf_release(&text);
	return rc;
}

static int add_pattern(struct scope_pattern_vec *patterns, slice expression, struct err *err)
{
	struct pattern *p;

	if (patterns->len >= SCOPE_PATTERNS_MAX)
		return err_set(
			err, ERR_LIMIT, "more than %d expressions in a scope", SCOPE_PATTERNS_MAX);
	TRY(pattern_compile(expression, &p, err));
	scope_pattern_vec_push(patterns, p);
	return 0;
}

int scope_add_include(struct scope *s, slice expression, struct err *err)
{
	return add_pattern(&s->includes, expression, err);
}

int scope_add_exclude(struct scope *s, slice expression, struct err *err)
{
	return add_pattern(&s->excludes, expression, err);
}

/* "org,example," is the host itself, on any port, and all hosts below it. */
static bool surt_matches(slice key, slice prefix)
{
	slice host = slice_sub(prefix, 0, prefix.len - 1);

	if (slice_starts_with(key, prefix))
		return true;
	return prefix.ptr[prefix.len - 1] == ',' && slice_starts_with(key, host) &&
	       key.len > host.len && (key.ptr[host.len] == ')' || key.ptr[host.len] == ':');
}

static bool area_has(const struct scope_area *a, const struct url *u, slice surt)
{
	slice host = url_part(u, u->host);

	switch (a->rule) {
	case SCOPE_RULE_PREFIX:
		return u->port == a->port && slice_eq(host, a->host) &&
		       slice_starts_with(url_part(u, u->path), a->path);
	case SCOPE_RULE_HOST:
		return u->port == a->port && slice_eq(host, a->host);
	case SCOPE_RULE_DOMAIN:
		return url_host_within(host, a->host);
	case SCOPE_RULE_SURT:
		return surt_matches(surt, a->text);
	default:
		return false;
	}
}

static struct scope_decision decide(bool in, enum scope_rule rule, slice text)
{
	return (struct scope_decision){.in = in, .rule = rule, .text = text};
}

/* Rule 2; whether it decided. */
static bool excluded(const struct scope *s, slice page, struct scope_decision *ret)
{
	for (size_t i = 0; i < s->excludes.len; i++) {
		const struct pattern *p = s->excludes.ptr[i];
		enum pattern_result result = pattern_match(p, page);

		if (result == PATTERN_NO)
			continue;
		*ret = decide(false,
			result == PATTERN_YES ? SCOPE_RULE_EXCLUDE : SCOPE_RULE_GAVE_UP,
			pattern_text(p));
		return true;
	}
	return false;
}

/* Rule 3. Without memory for a SURT its areas hold nothing. */
static bool in_area(const struct scope *s, const struct url *u, struct scope_decision *ret)
{
	struct buf surt;
	bool found = strmap_get(&s->pages, url_page(u), NULL);

	if (found)
		*ret = decide(true, SCOPE_RULE_PAGE, SLICE(""));
	buf_init(&surt, URL_CANONICAL_MAX);
	if (!found && s->has_surt && url_surt(&surt, u))
		buf_reset(&surt);
	for (size_t i = 0; i < s->areas.len && !found; i++) {
		found = area_has(&s->areas.ptr[i], u, buf_slice(&surt));
		if (found)
			*ret = decide(true, s->areas.ptr[i].rule, s->areas.ptr[i].text);
	}
	buf_release(&surt);
	return found;
}

/* Rule 4. */
static bool included(const struct scope *s, slice page, struct scope_decision *ret)
{
	for (size_t i = 0; i < s->includes.len; i++) {
		if (pattern_match(s->includes.ptr[i], page) == PATTERN_YES) {
			*ret = decide(true, SCOPE_RULE_INCLUDE, pattern_text(s->includes.ptr[i]));
			return true;
		}
	}
	return false;
}

bool scope_names(const struct scope *s, const struct url *u)
{
	struct scope_decision ignored;

	return included(s, url_page(u), &ignored);
}

struct scope_decision scope_decide(
	const struct scope *s, const struct url *u, struct scope_link link)
{
	struct scope_decision d;

	if (!url_is_http(u))
		return decide(false, SCOPE_RULE_SCHEME, SLICE(""));
	if (excluded(s, url_page(u), &d) || in_area(s, u, &d) || included(s, url_page(u), &d))
		return d;
	d = decide(false, SCOPE_RULE_OUTSIDE, SLICE(""));
	if (link.requisite) {
		d.hops_out = scope_link_hops(link);
		d.in = d.hops_out <= s->requisite_hops;
		d.rule = d.in ? SCOPE_RULE_REQUISITE : SCOPE_RULE_OUTSIDE;
	}
	return d;
}

/* The rule's name in reports: "exclude", "host", …; never NULL. */
static const char *scope_rule_name(enum scope_rule rule)
{
	static const char *const names[] = {
		[SCOPE_RULE_SCHEME] = "scheme",
		[SCOPE_RULE_EXCLUDE] = "exclude",
		[SCOPE_RULE_GAVE_UP] = "exclude, gave up",
		[SCOPE_RULE_PAGE] = "page",
		[SCOPE_RULE_PREFIX] = "prefix",
		[SCOPE_RULE_HOST] = "host",
		[SCOPE_RULE_DOMAIN] = "domain",
		[SCOPE_RULE_SURT] = "surt",
		[SCOPE_RULE_INCLUDE] = "include",
		[SCOPE_RULE_REQUISITE] = "requisite",
		[SCOPE_RULE_OUTSIDE] = "outside",
	};

	return names[rule];
}

int scope_explain(struct buf *out, const struct scope_decision *d)
{
	size_t start = out->len;
	int rc = buf_add_str(out, d->in ? "in: " : "out: ");

	if (rc == 0)
		rc = buf_add_str(out, scope_rule_name(d->rule));
	if (rc == 0 && d->text.len > 0)
		rc = buf_add_char(out, ' ');
	if (rc == 0)
		rc = buf_add(out, d->text);
	if (rc)
		buf_truncate(out, start);
	return rc;
}
