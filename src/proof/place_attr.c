/*
 * Attributes: which part compares the two values of one, and those of known platforms.
 */
#include "base/word.h"
#include "proof/names.h"
#include "proof/proof_judge.h"

static bool has(slice s, const char *what)
{
	return s.len && memmem(s.ptr, s.len, what, strlen(what)) != NULL;
}

/* 24 hex digits and a dash before an equal rest: Cloudflare's loader. */
static bool has_loader_mark(slice s)
{
	return s.len >= 25 && value_is_hex(slice_sub(s, 0, 24)) && s.ptr[24] == '-';
}

static bool is_loader_pair(slice a, slice b)
{
	return has_loader_mark(a) && has_loader_mark(b) &&
	       value_is_fresh(slice_sub(a, 0, 24), slice_sub(b, 0, 24)) &&
	       slice_eq(slice_sub(a, 24, a.len), slice_sub(b, 24, b.len));
}

static bool is_digits_of(slice s, size_t min, size_t max)
{
	return s.len >= min && s.len <= max && value_is_digits(s);
}

static bool is_beacon(const struct proof_element *e)
{
	return has(proof_attr(e, SLICE("src")), "static.cloudflareinsights.com/beacon");
}

/* {"rayId":"8e3f9a1c7e52d1b0",…}: of another request, or it would be the same. */
static slice ray_of(slice data)
{
	static const slice KEY = SLICE_INIT("\"rayId\":\"");
	const char *at = data.len ? memmem(data.ptr, data.len, KEY.ptr, KEY.len) : NULL;
	slice rest;

	if (!at)
		return SLICE("");
	rest = slice_sub(data, (size_t)(at - data.ptr) + KEY.len, data.len);
	return slice_take(&rest, '"');
}

/* The name that says what an element holds. */
static slice name_of(const struct proof_element *e)
{
	static const slice NAMES[] = {SLICE_INIT("name"), SLICE_INIT("property"),
		SLICE_INIT("itemprop"), SLICE_INIT("http-equiv"), SLICE_INIT("id")};

	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
		slice value = proof_attr(e, NAMES[i]);

		if (value.len)
			return value;
	}
	/* Jira's fields without a name */
	return word_is(proof_attr(e, SLICE("type")), SLICE("hidden"))
		       ? proof_attr(e, SLICE("title"))
		       : SLICE("");
}

static enum url_use use_of(const struct proof_element *e)
{
	slice rel = proof_attr(e, SLICE("rel")), as = proof_attr(e, SLICE("as"));

	if (slice_eq(e->name, SLICE("script")))
		return URL_ASSET;
	if (slice_eq(e->name, SLICE("link"))) {
		if (slice_eq(as, SLICE("image")))
			return URL_IMAGE;
		if (has(rel, "stylesheet") || has(rel, "icon") || has(rel, "manifest") ||
			has(rel, "modulepreload") || (has(rel, "pre") && as.len))
			return URL_ASSET;
		return has(rel, "pre") ? URL_DATA : URL_LINK;
	}
	return value_is_listed(e->name, "|img|source|image|use|input|") ? URL_IMAGE : URL_LINK;
}

/* DokuWiki's pixel, and others of that kind: an invisible picture with a time in its query. */
static bool is_pixel_pair(const struct judge *j, slice a, slice b)
{
	size_t i = 0;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	while (i && word_is_digit(a.ptr[i - 1]))
		i--;
	return has(slice_sub(a, 0, i), "/lib/exe/") && i &&
	       (a.ptr[i - 1] == '&' || a.ptr[i - 1] == '?') &&
	       value_times_fit(&j->looks, TIME_NOW, slice_sub(a, i, a.len), slice_sub(b, i, b.len));
}

static bool compare_address(
	struct judge *j, const struct proof_element *e, slice a, slice b, const struct place *p)
{
	if (slice_starts_with(a, SLICE("#")) && slice_starts_with(b, SLICE("#")))
		return compare_reference(j, slice_sub(a, 1, a.len), slice_sub(b, 1, b.len), p);
	if (word_starts(a, SLICE("javascript:")) && word_starts(b, SLICE("javascript:")))
		return compare_documents(j, FORMAT_SCRIPT, a, b, p);
	if (word_starts(a, SLICE("data:")) || word_starts(b, SLICE("data:")))
		return unexplained(j, p, a, b);
	if (slice_eq(e->name, SLICE("img")) && is_pixel_pair(j, a, b) &&
		explain(j, RULE_TRACKING_PIXEL, p, a, b))
		return true;
	return compare_urls(j, use_of(e), a, b, p);
}

/* Lists of names: those that are only on one side, in their order. */
static bool compare_name_lists(struct judge *j, slice a, slice b, const struct place *p)
{
	slice x, y, rest_a = a, rest_b = b;
	bool good = true;

	for (;;) {
		bool more_a = word_next(&rest_a, ' ', &x), more_b = word_next(&rest_b, ' ', &y);

		if (more_a != more_b)
			return unexplained(j, p, a, b);
		if (!more_a)
			return good;
		good &= slice_eq(p->attr, SLICE("id")) || slice_eq(p->attr, SLICE("name"))
				? compare_names(j, x, y, p)
				: compare_reference(j, x, y, p);
	}
}

static bool has_word(slice list, slice word)
{
	slice each;

	while (word_next(&list, ' ', &each))
		if (slice_eq(each, word))
			return true;
	return false;
}

/* The next word of a list that is not in the other. */
static bool next_lone(slice *rest, slice other, slice *ret)
{
	while (word_next(rest, ' ', ret))
		if (!has_word(other, *ret))
			return true;
	return false;
}

/* cgit and gitweb give ages a class, one for minutes, one for hours and so on: which it is. */
static int age_class(slice s)
{
	static const char *const NAMES[] = {"age-mins", "age-hours", "age-days", "age-weeks",
		"age-months", "age-years", "", "age0", "age1", "age2"};

	for (int i = 0; i < (int)(sizeof NAMES / sizeof *NAMES); i++)
		if (s.len && slice_eq(s, slice_str(NAMES[i])))
			return i;
	return -2;
}

/* The next class, at the later look. */
static bool is_older(const struct judge *j, slice a, slice b)
{
	int step = age_class(b) - age_class(a);

	return age_class(a) >= 0 && age_class(b) >= 0 && value_looks_known(&j->looks) &&
	       step == (j->looks.b > j->looks.a ? 1 : -1);
}

static bool compare_classes(struct judge *j, slice a, slice b, const struct place *p)
{
	slice x, y, rest_a = a, rest_b = b;
	size_t lone_a = 0, lone_b = 0;
	bool good = true;

	while (next_lone(&rest_a, b, &x))
		lone_a++;
	while (next_lone(&rest_b, a, &y))
		lone_b++;
	if (lone_a != lone_b)
		return unexplained(j, p, a, b);
	rest_a = a;
	rest_b = b;
	while (next_lone(&rest_a, b, &x) && next_lone(&rest_b, a, &y)) {
		if (is_older(j, x, y) && explain(j, RULE_RELATIVE_TIME, p, x, y))
			continue;
		good &= compare_names(j, x, y, p);
	}
	return good;
}

/* url(#name) of SVG's presentation attributes. */
static bool compare_references(struct judge *j, slice a, slice b, const struct place *p)
{
	static const slice HEAD = SLICE_INIT("url(#");

	if (slice_starts_with(a, HEAD) && slice_starts_with(b, HEAD) && a.ptr[a.len - 1] == ')' &&
		b.ptr[b.len - 1] == ')')
		return compare_reference(
			j, slice_sub(a, HEAD.len, a.len - 1), slice_sub(b, HEAD.len, b.len - 1), p);
	return unexplained(j, p, a, b);
}

static bool are_nonces(slice a, slice b)
{
	return value_are_draws(a, b, 8) ||
	       (a.len == b.len && a.len >= 8 && value_are_drawn_apart(a, b)) ||
	       (a.len >= 16 && b.len >= 16 && value_are_apart(a, b) &&
		       (value_is_secret(a) || value_is_secret(b)));
}

static bool compare_secrets(struct judge *j, const struct proof_element *x,
	const struct proof_element *y, slice name, slice a, slice b, const struct place *p)
{
	slice src = proof_attr(x, SLICE("src")), other = proof_attr(y, SLICE("src"));

	if (!are_nonces(a, b))
		return unexplained(j, p, a, b);
	if (!slice_eq(name, SLICE("integrity")))
		return explain(j, RULE_NONCE, p, a, b) || unexplained(j, p, a, b);
	if (!src.len || !other.len) {
		src = proof_attr(x, SLICE("href"));
		other = proof_attr(y, SLICE("href"));
	}
	if (!src.len || !other.len || !explain(j, RULE_INTEGRITY, p, a, b))
		return unexplained(j, p, a, b);
	add_duty(j, src, other);
	return true;
}

/* A Content-Security-Policy: the same but for its nonces. */
static bool compare_policies(struct judge *j, slice a, slice b, const struct place *p)
{
	static const slice NONCE = SLICE_INIT("'nonce-");
	slice x, y, rest_a = a, rest_b = b;

	for (;;) {
		bool more_a = word_next(&rest_a, ' ', &x), more_b = word_next(&rest_b, ' ', &y);

		if (more_a != more_b)
			return unexplained(j, p, a, b);
		if (!more_a)
			return explain(j, RULE_NONCE, p, a, b) || unexplained(j, p, a, b);
		if (slice_eq(x, y))
			continue;
		if (slice_ends_with(x, SLICE(";")) && slice_ends_with(y, SLICE(";"))) {
			x.len--;
			y.len--;
		}
		if (!slice_starts_with(x, NONCE) || !slice_starts_with(y, NONCE) ||
			!are_nonces(slice_sub(x, NONCE.len, x.len - 1),
				slice_sub(y, NONCE.len, y.len - 1)))
			return unexplained(j, p, a, b);
	}
}

/* "sentry-trace_id=…,sentry-environment=production": by names. */
static bool compare_baggage(struct judge *j, slice a, slice b, const struct place *p)
{
	bool good = true;

	while ((a.len || b.len) && good) {
		slice x = slice_take(&a, ','), y = slice_take(&b, ',');
		slice name = slice_take(&x, '='), other = slice_take(&y, '=');

		size_t places = j->out->places.len;

		if (slice_eq(x, y) && slice_eq(name, other))
			continue;
		if (!slice_eq(name, other))
			return unexplained(j, p, name, other);
		good = compare_named(j, name, x, y, p);
		good = must_tell(j, places, good, p, x, y);
	}
	return good;
}

/* rid=RID_-1234|rpid=567|…: what Dynatrace draws for each request, and its settings. */
static bool is_trace_number(slice s)
{
	if (slice_starts_with(s, SLICE("RID_")))
		s = slice_sub(s, 4, s.len);
	if (slice_starts_with(s, SLICE("-")))
		s = slice_sub(s, 1, s.len);
	return s.len <= 12 && value_is_digits(s);
}

static bool are_dynatrace(slice a, slice b)
{
	while (a.len || b.len) {
		slice x = slice_take(&a, '|'), y = slice_take(&b, '|');
		slice name = slice_take(&x, '='), other = slice_take(&y, '=');

		if (!slice_eq(name, other) ||
			(!slice_eq(x, y) && !(value_is_listed(name, "|rid|rpid|") &&
						    is_trace_number(x) && is_trace_number(y))))
			return false;
	}
	return true;
}

/* A post of WordPress in another page: the frame and the quotation know each other by a secret. */
static bool is_embedded(const struct proof_element *e)
{
	return has_word(proof_attr(e, SLICE("class")), SLICE("wp-embedded-content"));
}

/* A hidden field whose name is drawn as well as its value: SMF, Phalcon. */
static bool is_drawn_field(struct judge *j, const struct proof_element *x,
	const struct proof_element *y, slice a, slice b)
{
	slice name = proof_attr(x, SLICE("name")), other = proof_attr(y, SLICE("name"));

	return !slice_eq(name, other) && name.len == other.len &&
	       is_generated_name(j, name, other, false) && a.len >= 20 && b.len >= 20 &&
	       value_are_secrets(a, b);
}

/* Letters and digits of both are the same, in any case of letters. */
static bool are_folded_alike(slice a, slice b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a.len && !word_is_alnum(a.ptr[i]))
			i++;
		while (k < b.len && !word_is_alnum(b.ptr[k]))
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (word_lower(a.ptr[i]) != word_lower(b.ptr[k]))
			return false;
	}
}

/* Drupal names the field of a form's id by its value. */
static bool is_named_by_value(const struct proof_element *e, slice name)
{
	return slice_eq(proof_attr(e, SLICE("name")), SLICE("form_build_id")) &&
	       are_folded_alike(name, proof_attr(e, SLICE("value")));
}

/* What platforms put into attributes; RULE_COUNT: nothing known. */
static enum proof_rule_id platform_rule(struct judge *j, const struct proof_element *e,
	const struct proof_element *other, slice name, slice a, slice b)
{
	if (slice_eq(name, SLICE("data-drupal-selector")) && is_named_by_value(e, a) &&
		is_named_by_value(other, b))
		return RULE_TOKEN;
	if (slice_eq(e->name, SLICE("script"))) {
		if (slice_eq(name, SLICE("type")) && is_loader_pair(a, b))
			return RULE_CDN_LOADER;
		if (slice_eq(name, SLICE("data-cf-settings")) && is_loader_pair(a, b))
			return RULE_CDN_LOADER;
		if (slice_eq(name, SLICE("data-cf-beacon")) && is_beacon(e) &&
			value_are_draws(ray_of(a), ray_of(b), 12))
			return RULE_CDN_BEACON;
		if (slice_eq(name, SLICE("data-dtconfig")) && are_dynatrace(a, b))
			return RULE_REQUEST_ID;
	}
	if (slice_eq(name, SLICE("data-secret")) && is_embedded(e) && is_embedded(other) &&
		value_are_embed_secrets(a, b))
		return RULE_TOKEN;
	if (slice_eq(name, SLICE("value")) && slice_eq(e->name, SLICE("input")) &&
		word_is(proof_attr(e, SLICE("type")), SLICE("hidden")) &&
		is_drawn_field(j, e, other, a, b))
		return RULE_TOKEN;
	if (slice_eq(name, SLICE("i-amphtml-version")) && is_digits_of(a, 13, 16) &&
		is_digits_of(b, 13, 16))
		return RULE_AMP_VERSION;
	return RULE_COUNT;
}

/* What differs in: for the list that people read. */
static void classify(struct place *p, const struct proof_element *e, slice name)
{
	p->in = PROOF_IN_ATTRIBUTES;
	if (value_is_listed(
		    name, "|alt|title|placeholder|aria-label|label|summary|abbr|content-title|")) {
		p->in = PROOF_IN_TEXT;
		p->is_visible = p->is_prose = true;
	} else if (value_is_listed(name,
			   "|href|src|action|srcset|formaction|poster|cite|background|data|"
			   "data-src|data-href|data-url|longdesc|ping|xlink:href|imagesrcset|")) {
		p->in = PROOF_IN_LINKS;
		p->is_address = true;
	} else if (word_starts(name, SLICE("on"))) {
		p->in = PROOF_IN_CODE;
	} else if (value_is_listed(name, "|style|class|width|height|align|bgcolor|color|border|")) {
		p->in = PROOF_IN_STYLE;
	} else if (word_starts(name, SLICE("data-")) || word_starts(name, SLICE("item")) ||
		   slice_eq(name, SLICE("content")) || slice_eq(name, SLICE("datetime"))) {
		p->in = PROOF_IN_DATA;
	}
	if (slice_eq(name, SLICE("value"))) {
		bool is_hidden = word_is(proof_attr(e, SLICE("type")), SLICE("hidden"));

		p->in = is_hidden ? PROOF_IN_DATA : PROOF_IN_TEXT;
		p->is_visible = !is_hidden;
	}
}

static bool compare_values(struct judge *j, const struct proof_element *x,
	const struct proof_element *y, slice name, slice a, slice b, struct place *p)
{
	enum proof_rule_id rule = platform_rule(j, x, y, name, a, b);

	if (rule != RULE_COUNT && explain(j, rule, p, a, b))
		return true;
	if (slice_eq(name, SLICE("nonce")) || slice_eq(name, SLICE("ngcspnonce")) ||
		(slice_eq(name, SLICE("integrity")) && value_is_listed(x->name, "|script|link|")))
		return compare_secrets(j, x, y, name, a, b, p);
	if (slice_eq(name, SLICE("value")) && slice_eq(x->name, SLICE("input")))
		return p->is_visible && !slice_starts_with(a, SLICE("eyJpdiI6I"))
			       ? unexplained(j, p, a, b)
			       : compare_named(j, name_of(x), a, b, p);
	if (slice_eq(name, SLICE("content")) && slice_eq(x->name, SLICE("meta")) &&
		word_is(proof_attr(x, SLICE("http-equiv")), SLICE("Content-Security-Policy")))
		return compare_policies(j, a, b, p);
	if (slice_eq(name, SLICE("content")) && slice_eq(name_of(x), SLICE("baggage")))
		return compare_baggage(j, a, b, p);
	if (slice_eq(name, SLICE("content")) && slice_eq(x->name, SLICE("meta")))
		return compare_named(j, name_of(x), a, b, p);
	if (slice_eq(name, SLICE("class")))
		return compare_classes(j, a, b, p);
	if (value_is_listed(name,
		    "|id|for|aria-labelledby|aria-describedby|aria-controls|aria-owns|"
		    "aria-activedescendant|aria-details|headers|list|form|itemref|"
		    "popovertarget|data-drupal-selector|data-view-breakpoint-pointer|") ||
		(slice_eq(name, SLICE("name")) &&
			value_is_listed(x->name, "|a|input|map|iframe|form|img|")))
		return compare_name_lists(j, a, b, p);
	if (value_is_listed(name, "|data-target|data-bs-target|data-parent|usemap|") &&
		slice_starts_with(a, SLICE("#")) && slice_starts_with(b, SLICE("#")))
		return compare_reference(j, slice_sub(a, 1, a.len), slice_sub(b, 1, b.len), p);
	if (value_is_listed(
		    name, "|clip-path|mask|fill|stroke|filter|marker-end|marker-start|marker-mid|"))
		return compare_references(j, a, b, p);
	if (p->is_address && !value_is_listed(name, "|srcset|imagesrcset|") && a.len &&
		a.ptr[0] != '{')
		return compare_address(j, x, a, b, p);
	if (slice_eq(name, SLICE("style")))
		return compare_documents(j, FORMAT_DECLARATIONS, a, b, p);
	if (word_starts(name, SLICE("on")))
		return compare_documents(j, FORMAT_SCRIPT, a, b, p);
	if (slice_eq(name, SLICE("srcdoc")))
		return compare_documents(j, FORMAT_HTML, a, b, p);
	if (slice_starts_with(name, SLICE("hx-")) && slice_starts_with(a, SLICE("{")) &&
		slice_starts_with(b, SLICE("{")))
		return compare_documents(j, FORMAT_JSON, a, b, p);
	if (word_starts(name, SLICE("data-")) || word_starts(name, SLICE("wire:")) ||
		slice_eq(name, SLICE("q:instance")))
		return compare_named(
			j, slice_sub(name, name.ptr[0] == 'd' ? 5 : 0, name.len), a, b, p);
	if (memchr(x->name.ptr, '-', x->name.len) || p->tokens->format == FORMAT_XML)
		return compare_named(j, name, a, b, p); /* custom elements, and data */
	return unexplained(j, p, a, b);
}

bool compare_attr(struct judge *j, const struct proof_element *x, const struct proof_element *y,
	slice name, slice a, slice b, const struct place *outer)
{
	size_t places = j->out->places.len;
	struct place place = *outer;
	bool good;

	place.attr = name;
	classify(&place, x, name);
	good = compare_values(j, x, y, name, a, b, &place);
	return must_tell(j, places, good, &place, a, b);
}
