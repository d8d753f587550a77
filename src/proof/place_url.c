/*
 * Addresses: of style sheets and scripts (their version may change, and they must be the same
 * themselves then), of pictures (only what is random or a date), and of links (only session ids
 * and tokens in parameters named so).
 */
#include "base/word.h"
#include "proof/names.h"
#include "proof/proof_judge.h"

struct parts {
	slice path, query, fragment; /* query with its question mark */
};

static struct parts split(slice url)
{
	struct parts p = {.path = url};
	const char *at = url.len ? memchr(url.ptr, '#', url.len) : NULL;

	if (at) {
		p.fragment = slice_sub(url, (size_t)(at - url.ptr) + 1, url.len);
		p.path = slice_sub(url, 0, (size_t)(at - url.ptr));
	}
	at = p.path.len ? memchr(p.path.ptr, '?', p.path.len) : NULL;
	if (at) {
		p.query = slice_sub(p.path, (size_t)(at - p.path.ptr), p.path.len);
		p.path = slice_sub(p.path, 0, (size_t)(at - p.path.ptr));
	}
	return p;
}

static bool ends_in(slice path, const char *const *list)
{
	for (; *list; list++)
		if (word_ends(path, slice_str(*list)))
			return true;
	return false;
}

static enum url_use use_of(slice path)
{
	static const char *const ASSETS[] = {".js", ".mjs", ".css", ".map", ".woff", ".woff2",
		".ttf", ".otf", ".eot", ".webmanifest", NULL};
	static const char *const IMAGES[] = {
		".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".avif", NULL};

	if (ends_in(path, ASSETS))
		return URL_ASSET;
	return ends_in(path, IMAGES) ? URL_IMAGE : URL_DATA;
}

static bool is_separator(char c)
{
	return c && strchr("._-~!@", c) != NULL;
}

static slice next_piece(slice *rest)
{
	size_t to = 0;
	slice piece;

	if (rest->len && is_separator(rest->ptr[0]))
		to = 1;
	else
		while (to < rest->len && !is_separator(rest->ptr[to]))
			to++;
	piece = slice_sub(*rest, 0, to);
	*rest = slice_sub(*rest, to, rest->len);
	return piece;
}

static bool is_hash_pair(slice a, slice b)
{
	struct value_time x, y;

	while (a.len && b.len && word_is_alpha(a.ptr[0]) && a.ptr[0] == b.ptr[0]) {
		a = slice_sub(a, 1, a.len); /* version1794947393 */
		b = slice_sub(b, 1, b.len);
	}
	if (value_are_draws(a, b, 6) || (a.len == 8 && b.len == 8 && value_are_drawn_apart(a, b)))
		return true;
	if (a.len == b.len && a.len >= 8 && value_is_hex(a) && value_is_hex(b) &&
		!(value_is_digits(a) && value_is_digits(b)) && value_is_fresh(a, b))
		return true;
	if (a.len == 8 && b.len == 8 && (value_is_mixed(a) || value_is_mixed(b)) &&
		value_is_fresh(a, b))
		return true;
	return value_time(a, &x) && value_time(b, &y) && x.is_number == y.is_number;
}

/* A part of a path: the same name but for hashes. */
static bool has_other_hash(slice a, slice b)
{
	slice x = a, y = b, last_a, last_b;
	bool good = true;
	size_t head = 0, tail_a, tail_b;

	while (good && (x.len || y.len)) {
		slice p = next_piece(&x), q = next_piece(&y);

		good = slice_eq(p, q) || is_hash_pair(p, q);
	}
	if (good)
		return true;
	if (a.len == b.len && a.len >= 16 && !memchr(a.ptr, '.', a.len) &&
		value_are_draws(a, b, 16))
		return true;
	/* name.HASH.ext, where the hash has - and _ in its alphabet */
	while (head < a.len && head < b.len && a.ptr[head] == b.ptr[head])
		head++;
	while (head && !is_separator(a.ptr[head - 1]))
		head--;
	tail_a = a.len;
	while (tail_a > head && a.ptr[tail_a - 1] != '.')
		tail_a--;
	tail_b = b.len;
	while (tail_b > head && b.ptr[tail_b - 1] != '.')
		tail_b--;
	last_a = slice_sub(a, head, tail_a ? tail_a - 1 : 0);
	last_b = slice_sub(b, head, tail_b ? tail_b - 1 : 0);
	return slice_eq(slice_sub(a, tail_a, a.len), slice_sub(b, tail_b, b.len)) &&
	       last_a.len == last_b.len && last_a.len >= 8 && value_are_drawn_apart(last_a, last_b);
}

/* Regions of Amazon's network: us-west-2. */
static size_t region_at(slice s, size_t at)
{
	static const char *const LANDS[] = {"us-", "eu-", "ap-", "sa-", "ca-", "me-", "af-"};
	static const char *const SIDES[] = {
		"northeast-", "southeast-", "north-", "south-", "east-", "west-", "central-"};

	for (size_t i = 0; i < sizeof LANDS / sizeof *LANDS; i++)
		for (size_t k = 0; k < sizeof SIDES / sizeof *SIDES; k++) {
			slice land = slice_str(LANDS[i]), side = slice_str(SIDES[k]);
			slice rest = slice_sub(s, at, s.len);

			if (slice_starts_with(rest, land) &&
				slice_starts_with(slice_sub(rest, land.len, rest.len), side) &&
				rest.len > land.len + side.len &&
				word_is_digit(rest.ptr[land.len + side.len]))
				return at + land.len + side.len + 1;
		}
	return 0;
}

/* The same file in another region. */
static bool is_other_region(slice a, slice b)
{
	size_t i = 0, k = 0;

	if (!a.len || !memmem(a.ptr, a.len, ".amazonaws.com/", 15))
		return false;
	while (i < a.len && k < b.len) {
		size_t x = i && strchr("./-", a.ptr[i - 1]) ? region_at(a, i) : 0;
		size_t y = k && strchr("./-", b.ptr[k - 1]) ? region_at(b, k) : 0;

		if (x && y) {
			i = x;
			k = y;
		} else if (a.ptr[i++] != b.ptr[k++]) {
			return false;
		}
	}
	return i == a.len && k == b.len;
}

static bool has_captcha(slice url)
{
	for (size_t i = 0; i + 7 <= url.len; i++)
		if (word_starts(slice_sub(url, i, url.len), SLICE("captcha")))
			return true;
	return false;
}

static bool are_riddles(slice a, slice b)
{
	return (value_is_digits(a) && value_is_digits(b) && a.len >= 4 && b.len >= 4) ||
	       value_are_draws(a, b, 10);
}

/* The same place of pictures that ask for what they show, but for the number of the riddle. */
static bool are_captchas(slice a, slice b)
{
	size_t start = value_equal_start(a, b), end = 0;
	slice x, y;

	while (end < a.len - start && end < b.len - start &&
		a.ptr[a.len - 1 - end] == b.ptr[b.len - 1 - end])
		end++;
	while (end && word_is_alnum(a.ptr[a.len - end]))
		end--;
	x = slice_sub(a, start, a.len - end);
	y = slice_sub(b, start, b.len - end);
	return has_captcha(slice_sub(a, 0, start)) && are_riddles(x, y);
}

static bool compare_paths(struct judge *j, enum url_use use, slice a, slice b, slice whole_a,
	slice whole_b, const struct place *p)
{
	unsigned differ = 0;

	if (use == URL_IMAGE && are_captchas(a, b) && explain(j, RULE_TOKEN, p, whole_a, whole_b))
		return true;
	if (use != URL_ASSET)
		return unexplained(j, p, whole_a, whole_b);
	if (is_other_region(a, b) && explain(j, RULE_ASSET_REGION, p, whole_a, whole_b)) {
		add_duty(j, whole_a, whole_b);
		return true;
	}
	while (a.len || b.len) {
		slice x = slice_take(&a, '/'), y = slice_take(&b, '/');

		if (slice_eq(x, y))
			continue;
		if (++differ > 1 || !has_other_hash(x, y))
			return unexplained(j, p, whole_a, whole_b);
	}
	if (!explain(j, RULE_ASSET_HASH, p, whole_a, whole_b))
		return unexplained(j, p, whole_a, whole_b);
	add_duty(j, whole_a, whole_b);
	return true;
}

static bool is_version(slice s)
{
	bool has_digit = false;

	for (size_t i = 0; i < s.len; i++) {
		has_digit |= word_is_digit(s.ptr[i]);
		if (!word_is_alnum(s.ptr[i]) && !strchr("._-%:+=", s.ptr[i]))
			return false;
	}
	return s.len <= 128 && (has_digit || (s.len >= 5 && value_is_mixed(s)) || s.len == 6);
}

static bool are_stamps(slice a, slice b)
{
	struct value_time x, y;

	return value_time(a, &x) && value_time(b, &y) && x.is_number == y.is_number &&
	       !x.is_clock && !y.is_clock;
}

struct parameter {
	slice name, a, b;
	bool is_bare, is_only;
	bool is_signed; /* another parameter says until when the address is good */
};

static enum proof_rule_id rule_for(enum url_use use, const struct parameter *q)
{
	if (use == URL_ASSET && (q->is_bare ? q->is_only : name_is_buster(q->name)) &&
		is_version(q->a) && is_version(q->b))
		return RULE_ASSET_QUERY;
	if (use == URL_IMAGE && (q->is_bare ? q->is_only : name_is_buster(q->name)) &&
		(value_are_draws(q->a, q->b, 6) || are_stamps(q->a, q->b) ||
			(value_is_listed(q->name, "|rand|rnd|random|nocache|cachebuster|cb|") &&
				value_is_digits(q->a) && value_is_digits(q->b) && q->a.len >= 4 &&
				q->b.len >= 4)))
		return RULE_IMAGE_QUERY;
	return RULE_COUNT;
}

/* Without scheme and host where they are the page's own. */
static slice without_host(const struct judge *j, slice url)
{
	slice origin;

	if (!j->has_base)
		return url;
	origin = slice_sub(url_text(&j->base), 0, j->base.authority_end);
	if (url.len > origin.len && word_starts(url, origin) && url.ptr[origin.len] == '/')
		return slice_sub(url, origin.len, url.len);
	return url;
}

/* To another site: a token there may be whom an author chose, such as who gets a donation. */
static bool leads_elsewhere(const struct judge *j, slice url)
{
	slice rest = url, scheme = slice_take(&rest, ':');

	if (!j->has_base || without_host(j, url).ptr != url.ptr)
		return false;
	for (size_t i = 0; i < scheme.len && rest.len; i++)
		if (!word_is_alnum(scheme.ptr[i]))
			return slice_starts_with(url, SLICE("//"));
	return slice_starts_with(rest.len ? rest : url, SLICE("//"));
}

/* A session has one id: the parameter has that value wherever the page has it in an address. */
static bool is_one_value(slice text, slice name, slice value)
{
	const char *at;

	if (!name.len)
		return false;
	for (size_t from = 1; from < text.len && (at = memmem(text.ptr + from, text.len - from,
							  name.ptr, name.len));) {
		size_t to = (size_t)(at - text.ptr) + name.len;

		from = to;
		if (strchr("?&;", at[-1]) && to < text.len && text.ptr[to] == '=' &&
			!slice_starts_with(slice_sub(text, to + 1, text.len), value))
			return false;
	}
	return true;
}

static bool has(slice s, const char *what)
{
	return s.len && memmem(s.ptr, s.len, what, strlen(what)) != NULL;
}

/* Digits and points in place of others, between an equal start that ends so and an equal rest. */
static bool has_other_number(slice a, slice b, const char *before)
{
	const char *x = a.len ? memmem(a.ptr, a.len, before, strlen(before)) : NULL;
	size_t from = x ? (size_t)(x - a.ptr) + strlen(before) : 0, i = from, k = from;

	if (!from || from > b.len || !slice_eq(slice_sub(a, 0, from), slice_sub(b, 0, from)))
		return false;
	while (i < a.len && (word_is_digit(a.ptr[i]) || a.ptr[i] == '.'))
		i++;
	while (k < b.len && (word_is_digit(b.ptr[k]) || b.ptr[k] == '.'))
		k++;
	return i > from + 4 && k > from + 4 &&
	       slice_eq(slice_sub(a, i, a.len), slice_sub(b, k, b.len));
}

/* /akam/13/3fa095c7 and …/pixel_3fa095c7?a=dD00…: what Akamai asks browsers for. */
static bool is_akamai(slice url)
{
	static const slice MARK = SLICE_INIT("/akam/");
	const char *at = url.len ? memmem(url.ptr, url.len, MARK.ptr, MARK.len) : NULL;
	slice rest = at ? slice_sub(url, (size_t)(at - url.ptr) + MARK.len, url.len) : SLICE("");
	slice number = slice_take(&rest, '/'), name;

	if (slice_starts_with(rest, SLICE("pixel_")))
		rest = slice_sub(rest, 6, rest.len);
	name = slice_take(&rest, '?');
	return value_is_digits(number) && number.len <= 3 && name.len >= 7 && name.len <= 8 &&
	       value_is_hex(name) && (!rest.len || slice_starts_with(rest, SLICE("a=")));
}

/* Up to where Akamai's part begins, both are the same. */
static bool are_akamai(slice a, slice b)
{
	size_t to;

	if (!is_akamai(a) || !is_akamai(b))
		return false;
	to = (size_t)((const char *)memmem(a.ptr, a.len, "/akam/", 6) - a.ptr);
	return to < b.len && slice_eq(slice_sub(a, 0, to + 6), slice_sub(b, 0, to + 6)) &&
	       has(a, "pixel_") == has(b, "pixel_");
}

/* Addresses of networks and advertisers that have a draw in them; RULE_COUNT: none. */
static enum proof_rule_id network_rule(slice a, slice b)
{
	if (are_akamai(a, b))
		return RULE_CDN_BEACON;
	if (has(a, ".doubleclick.net/") &&
		(has_other_number(a, b, ";ord=") || has_other_number(a, b, "&ord=") ||
			has_other_number(a, b, ";num=")))
		return RULE_TRACKING_PIXEL;
	return RULE_COUNT;
}

/* What Imperva puts into the query of its script and frame. */
static bool are_of_imperva(const struct parameter *q, slice whole)
{
	return has(whole, "/_Incapsula_Resource?") &&
	       value_is_listed(q->name, "|ns|cb|xinfo|incident_id|") && q->a.len <= 64 &&
	       q->b.len <= 64 && value_has_digit(q->a) && value_has_digit(q->b);
}

/* Whether both queries end at a time as long behind their looks: a signature beside it is new. */
static bool is_signed(const struct judge *j, slice a, slice b)
{
	while (a.len && b.len) {
		slice x = slice_take(&a, '&'), y = slice_take(&b, '&');
		slice name = slice_take(&x, '='), other = slice_take(&y, '=');

		if (slice_eq(name, other) && !slice_eq(x, y) && name_kinds(name) & NAME_END &&
			value_times_fit(&j->looks, TIME_END, x, y))
			return true;
	}
	return false;
}

/* 12-1.-form: Wicket numbers the pages of a session, and its answers. */
static bool are_of_wicket(slice a, slice b)
{
	static const slice SIGNS = SLICE_INIT("-.");
	bool is_page = true;

	for (size_t i = 0; i < SIGNS.len && is_page; i++) {
		slice x = slice_take(&a, SIGNS.ptr[i]), y = slice_take(&b, SIGNS.ptr[i]);

		is_page = value_is_digits(x) && value_is_digits(y);
	}
	return is_page && a.len && slice_eq(a, b);
}

static bool compare_parameter(struct judge *j, enum url_use use, const struct parameter *q,
	slice whole_a, slice whole_b, const struct place *p)
{
	enum proof_rule_id rule = rule_for(use, q);
	struct place inner = *p;

	inner.key = q->name;
	inner.address = whole_a;
	inner.is_loaded = use != URL_LINK || q->is_signed;
	if (q->is_bare)
		inner.key = (slice){0};
	if (rule != RULE_COUNT && explain(j, rule, &inner, q->a, q->b)) {
		add_duty(j, whole_a, whole_b);
		return true;
	}
	if (slice_eq(q->name, SLICE("s")) && q->a.len == 32 && value_is_hex(q->a) &&
		q->b.len == 32 && value_is_hex(q->b) && value_are_draws(q->a, q->b, 32) &&
		is_one_value(j->text[0], q->name, q->a) &&
		is_one_value(j->text[1], q->name, q->b) && /* vBulletin's session */
		explain(j, RULE_REQUEST_ID, &inner, q->a, q->b))
		return true;
	if (use == URL_IMAGE && !q->is_bare && has_captcha(whole_a) && are_riddles(q->a, q->b) &&
		explain(j, RULE_TOKEN, &inner, q->a, q->b))
		return true;
	if (q->is_bare && is_wicket_page(j) && are_of_wicket(q->a, q->b) &&
		explain(j, RULE_SESSION_URL, p, q->a, q->b))
		return true;
	if (are_of_imperva(q, whole_a) && explain(j, RULE_CDN_BEACON, &inner, q->a, q->b))
		return true;
	if (q->is_bare ||
		(use == URL_LINK && (name_kinds(q->name) & (NAME_ID | NAME_SECRET)) == NAME_ID &&
			((slice_eq(q->name, SLICE("token")) && leads_elsewhere(j, whole_a)) ||
				!(is_one_value(j->text[0], q->name, q->a) &&
					is_one_value(j->text[1], q->name, q->b)))))
		return unexplained(j, p, whole_a, whole_b);
	return compare_named(j, q->name, q->a, q->b, &inner);
}

static size_t count_of(slice s, char c)
{
	size_t count = 0;

	for (size_t i = 0; i < s.len; i++)
		count += s.ptr[i] == c;
	return count;
}

static bool compare_queries(struct judge *j, enum url_use use, slice a, slice b, slice whole_a,
	slice whole_b, const struct place *p)
{
	bool good = true, is_first = true,
	     has_end = is_signed(j, slice_sub(a, 1, a.len), slice_sub(b, 1, b.len));

	if (!a.len || !b.len || count_of(a, '&') != count_of(b, '&'))
		return unexplained(j, p, whole_a, whole_b);
	a = slice_sub(a, 1, a.len);
	b = slice_sub(b, 1, b.len);
	while (good && (a.len || b.len)) {
		slice x = slice_take(&a, '&'), y = slice_take(&b, '&');
		slice vx = x, vy = y;
		size_t places = j->out->places.len;
		struct parameter q = {
			.is_only = is_first && !a.len && !b.len, .is_signed = has_end};
		slice name = slice_take(&vx, '='), other = slice_take(&vy, '=');

		is_first = false;
		if (slice_eq(x, y))
			continue;
		if (slice_eq(name, other)) {
			q.name = name;
			q.a = vx;
			q.b = vy;
		} else {
			q.is_bare = true;
			q.a = x;
			q.b = y;
			if (vx.len || vy.len)
				return unexplained(j, p, whole_a, whole_b);
		}
		good = compare_parameter(j, use, &q, whole_a, whole_b, p);
		good = must_tell(j, places, good, p, whole_a, whole_b);
	}
	return good;
}

/* Where a session's id begins in a path, and what it is made of. */
static const struct {
	slice mark;
	size_t min, max;
	char from, to; /* letters of it; 0: all */
} SESSIONS[] = {
	{SLICE_INIT(";jsessionid="), 16, 200, 0, 0},
	{SLICE_INIT("/(S("), 24, 24, 0, 0},        /* ASP.NET */
	{SLICE_INIT("/form_key/"), 16, 16, 0, 0},  /* Magento */
	{SLICE_INIT("/cpsess"), 10, 10, '0', '9'}, /* cPanel */
	{SLICE_INIT("/F/"), 50, 60, '-', 'Z'},     /* Aleph */
};

/* The id of a session at that place; empty: none. */
static slice session_at(slice url, size_t at, size_t row)
{
	slice rest = slice_sub(url, at, url.len);
	size_t from = SESSIONS[row].mark.len, to = from;

	if (!(row ? slice_starts_with(rest, SESSIONS[row].mark)
		  : word_starts(rest, SESSIONS[row].mark)))
		return SLICE("");
	while (to < rest.len &&
		(word_is_alnum(rest.ptr[to]) || (rest.ptr[to] && strchr(".!_-", rest.ptr[to]))))
		to++;
	for (size_t i = from; i < to && SESSIONS[row].to; i++)
		if (rest.ptr[i] < SESSIONS[row].from || rest.ptr[i] > SESSIONS[row].to)
			return SLICE("");
	return to - from >= SESSIONS[row].min && to - from <= SESSIONS[row].max
		       ? slice_sub(rest, from, to)
		       : SLICE("");
}

/* The same without its session, which is another value for ret_session. */
static slice without_session(struct judge *j, slice url, slice *ret_session)
{
	for (size_t from = 0; from < url.len; from++)
		for (size_t i = 0; i < sizeof SESSIONS / sizeof *SESSIONS; i++) {
			slice id = session_at(url, from, i);
			char *out = id.len ? arena_alloc(&j->arena, url.len, 1) : NULL;

			if (!out)
				continue;
			from = (size_t)(id.ptr - url.ptr);
			memcpy(out, url.ptr, from);
			memcpy(out + from, id.ptr + id.len, url.len - from - id.len);
			*ret_session = id;
			return (slice){out, url.len - id.len};
		}
	return url;
}

bool compare_urls(struct judge *j, enum url_use use, slice a, slice b, const struct place *outer)
{
	struct place place = *outer, *p = &place;
	slice x = without_host(j, a), y = without_host(j, b);
	enum proof_rule_id rule = network_rule(a, b);
	slice session_a = SLICE(""), session_b = SLICE("");
	struct parts pa, pb;
	bool good = true;

	place.is_address = true;
	if (rule != RULE_COUNT && explain(j, rule, p, a, b))
		return true;
	/* A script may put something before it. */
	if ((!p->attr.len || slice_eq(p->attr, SLICE("content"))) && !j->is_import_map) {
		x = a;
		y = b;
	}
	if (slice_eq(x, y))
		return explain(j, RULE_SAME_ADDRESS, p, a, b) || unexplained(j, p, a, b);
	pa = split(without_session(j, x, &session_a));
	pb = split(without_session(j, y, &session_b));
	if (session_a.len && session_b.len && value_are_apart(session_a, session_b)) {
		if (!explain(j, RULE_SESSION_URL, p, a, b))
			return unexplained(j, p, a, b);
	} else {
		pa = split(x);
		pb = split(y);
	}
	if (use == URL_DATA)
		use = use_of(pa.path);
	if (!slice_eq(pa.path, pb.path))
		good = compare_paths(j, use, pa.path, pb.path, a, b, p);
	if (good && !slice_eq(pa.query, pb.query))
		good = compare_queries(j, use, pa.query, pb.query, a, b, p);
	if (good && !slice_eq(pa.fragment, pb.fragment)) {
		struct place inner = *p;

		inner.key = SLICE("fragment");
		inner.address = a;
		if (slice_starts_with(pa.fragment, SLICE("?secret=")) &&
			slice_starts_with(pb.fragment, SLICE("?secret=")))
			good = (value_are_embed_secrets(slice_sub(pa.fragment, 8, pa.fragment.len),
					slice_sub(pb.fragment, 8, pb.fragment.len)) &&
				       explain(j, RULE_TOKEN, &inner, a, b)) ||
			       unexplained(j, &inner, a, b);
		else if (!explain_named(j, inner.key, pa.fragment, pb.fragment, &inner))
			good = use != URL_ASSET
				       ? compare_reference(j, pa.fragment, pb.fragment, &inner)
				       : unexplained(j, &inner, a, b);
	}
	return good;
}
