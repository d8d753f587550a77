/*
 * RFC 9309 §2.2 (the protocol's lines), §2.2.1 (user-agent), §2.2.2 (allow and disallow), §2.5
 * (limits). Crawl-delay and Sitemap are "other records" (§2.2.4).
 */
#include "formats/robots.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/word.h"
#include "formats/charset.h"

/* What a packed robots.txt begins with; rules, lengths of sitemaps and all octets follow. */
struct packed {
	double crawl_delay;
	uint32_t rules;
	uint32_t sitemaps;
	uint32_t octets;
	bool named;
	bool truncated;
};

struct packed_rule {
	uint32_t len;
	uint32_t line;
	bool allow;
	bool anchored;
};

static void add(struct buf *out, const void *bytes, size_t len)
{
	buf_add(out, (slice){bytes, len});
}

int robots_pack(const struct robots *r, struct buf *out)
{
	struct packed p;

	memset(&p, 0, sizeof p); /* its padding, too */
	p.crawl_delay = r->crawl_delay;
	p.rules = (uint32_t)r->rules.len;
	p.sitemaps = (uint32_t)r->sitemaps.len;
	p.named = r->named;
	p.truncated = r->truncated;
	for (size_t i = 0; i < r->rules.len; i++)
		p.octets += (uint32_t)r->rules.ptr[i].pattern.len;
	for (size_t i = 0; i < r->sitemaps.len; i++)
		p.octets += (uint32_t)r->sitemaps.ptr[i].len;
	add(out, &p, sizeof p);
	for (size_t i = 0; i < r->rules.len; i++) {
		const struct robots_rule *rule = &r->rules.ptr[i];
		struct packed_rule packed;

		memset(&packed, 0, sizeof packed);
		packed.len = (uint32_t)rule->pattern.len;
		packed.line = rule->line;
		packed.allow = rule->allow;
		packed.anchored = rule->anchored;
		add(out, &packed, sizeof packed);
	}
	for (size_t i = 0; i < r->sitemaps.len; i++) {
		uint32_t len = (uint32_t)r->sitemaps.ptr[i].len;

		add(out, &len, sizeof len);
	}
	for (size_t i = 0; i < r->rules.len; i++)
		buf_add(out, r->rules.ptr[i].pattern);
	for (size_t i = 0; i < r->sitemaps.len; i++)
		buf_add(out, r->sitemaps.ptr[i]);
	return out->error;
}

static const void *take(slice *packed, size_t len)
{
	const void *taken = packed->ptr;

	assert(packed->len >= len);
	*packed = slice_sub(*packed, len, packed->len);
	return taken;
}

void robots_unpack(struct robots *r, slice packed)
{
	struct packed p;
	slice octets;

	memcpy(&p, take(&packed, sizeof p), sizeof p);
	*r = (struct robots){
		.crawl_delay = p.crawl_delay, .named = p.named, .truncated = p.truncated};
	arena_init_small(&r->arena, ROBOTS_MEMORY_MAX);
	octets = slice_sub(packed, packed.len - p.octets, packed.len);
	octets.ptr = arena_strdup(&r->arena, octets);
	assert(octets.ptr); /* it was in an arena as large */
	robots_rules_reserve(&r->rules, p.rules);
	slice_vec_reserve(&r->sitemaps, p.sitemaps);
	for (uint32_t i = 0; i < p.rules; i++) {
		struct packed_rule rule;
		slice pattern, rest;

		memcpy(&rule, take(&packed, sizeof rule), sizeof rule);
		rest = pattern = (slice){take(&octets, rule.len), rule.len};
		r->rules.ptr[r->rules.len++] = (struct robots_rule){
			.pattern = pattern,
			.octets = rule.len + rule.anchored,
			.plain = (uint32_t)slice_take(&rest, '*').len,
			.line = rule.line,
			.allow = rule.allow,
			.anchored = rule.anchored,
		};
	}
	for (uint32_t i = 0; i < p.sitemaps; i++) {
		uint32_t len;

		memcpy(&len, take(&packed, sizeof len), sizeof len);
		r->sitemaps.ptr[r->sitemaps.len++] = (slice){take(&octets, len), len};
	}
}

size_t robots_size(const struct robots *r)
{
	return sizeof *r + r->rules.cap * sizeof r->rules.ptr[0] +
	       r->sitemaps.cap * sizeof r->sitemaps.ptr[0] + r->arena.held;
}

enum octet_class {
	OCTET_OTHER, /* must be escaped */
	OCTET_UNRESERVED,
	OCTET_RESERVED, /* differs from its escape */
};

/* RFC 3986 §2.2 and §2.3. */
static enum octet_class class_of(unsigned char c)
{
	if (word_is_alnum((char)c))
		return OCTET_UNRESERVED;
	switch (c) {
	case '-':
	case '.':
	case '_':
	case '~':
		return OCTET_UNRESERVED;
	case ':':
	case '/':
	case '?':
	case '#':
	case '[':
	case ']':
	case '@':
	case '!':
	case '$':
	case '&':
	case '\'':
	case '(':
	case ')':
	case '*':
	case '+':
	case ',':
	case ';':
	case '=':
		return OCTET_RESERVED;
	default:
		return OCTET_OTHER;
	}
}

/* The octet that an escape at this place stands for, or -1 where there is none. */
static int escape_at(slice s, size_t at)
{
	int high, low;

	if (s.len - at < 3 || s.ptr[at] != '%')
		return -1;
	high = word_hex(s.ptr[at + 1]);
	low = word_hex(s.ptr[at + 2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* An escape is undone or kept with upper-case digits, another octet is escaped. stars: a raw "*" is
 * its own normal form. */
static int normalise(struct buf *out, slice s, bool stars)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t at = 0, from; at < s.len && !out->error;) {
		unsigned char c = 0;
		int escaped;

		for (from = at; at < s.len; at++) {
			c = (unsigned char)s.ptr[at];
			if (class_of(c) == OCTET_OTHER || c == '$' || (c == '*' && !stars))
				break;
		}
		buf_add(out, slice_sub(s, from, at));
		if (at == s.len)
			break;
		escaped = escape_at(s, at);
		at += escaped >= 0 ? 3 : 1;
		if (escaped >= 0)
			c = (unsigned char)escaped;
		if (escaped >= 0 && class_of(c) == OCTET_UNRESERVED)
			buf_add_char(out, (char)c);
		else
			buf_add(out, (slice){(char[]){'%', digits[c >> 4], digits[c & 15]}, 3});
	}
	return out->error;
}

int robots_normalise_rule(struct buf *out, slice rule)
{
	return normalise(out, rule, true);
}

int robots_normalise_path(struct buf *out, slice path)
{
	return normalise(out, path, false);
}

/* Cuts the octets up to the next "*", or to the end, off the pattern; whether there was a star. */
static bool take_piece(slice *pattern, slice *ret_piece)
{
	size_t len = pattern->len;

	*ret_piece = slice_take(pattern, '*');
	return ret_piece->len < len;
}

/*
 * Each piece between two stars is taken at its first place behind the one before: if a match
 * exists, there is one with these places, since a later choice leaves less room for the rest.
 */
bool robots_match(slice pattern, bool anchored, slice path, uint64_t *work)
{
	slice piece;
	bool more = take_piece(&pattern, &piece);

	if (!slice_starts_with(path, piece))
		return false;
	path = slice_sub(path, piece.len, path.len);
	if (!more)
		return !anchored || path.len == 0;
	for (;;) {
		const char *at;

		more = take_piece(&pattern, &piece);
		++*work;
		if (!more && anchored)
			return slice_ends_with(path, piece);
		at = path.ptr;
		if (piece.len)
			at = path.len ? memmem(path.ptr, path.len, piece.ptr, piece.len) : NULL;
		*work += at ? (size_t)(at - path.ptr) + piece.len : path.len;
		if (piece.len && !at)
			return false;
		if (!more)
			return true;
		path = slice_sub(path, (size_t)(at - path.ptr) + piece.len, path.len);
	}
}

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* §2.3.1.4 */
static enum robots_policy unreachable(const struct robots_answer *answer)
{
	if (answer->copy)
		return ROBOTS_KEEP;
	if (answer->unreachable_seconds >= ROBOTS_GIVE_UP_SECONDS)
		return ROBOTS_ALLOW_ALL;
	return ROBOTS_DISALLOW_ALL;
}

enum robots_policy robots_policy(const struct robots_answer *answer)
{
	int status = answer->status;

	if (status >= 200 && status <= 299)
		return ROBOTS_PARSE;
	if (is_redirect(status) && answer->location && answer->loop)
		return unreachable(answer);
	if (is_redirect(status) && answer->location && answer->redirects < ROBOTS_REDIRECTS_MAX)
		return ROBOTS_FOLLOW;
	if (status == 304)
		return unreachable(answer);
	if (status >= 300 && status <= 499)
		return ROBOTS_ALLOW_ALL;
	return unreachable(answer);
}

enum key {
	KEY_NONE,
	KEY_USER_AGENT,
	KEY_ALLOW,
	KEY_DISALLOW,
	KEY_CRAWL_DELAY,
	KEY_SITEMAP,
};

/* The misspellings are those that Google's parser accepts. */
static const struct {
	slice name;
	enum key key;
} KEYS[] = {
	{SLICE_INIT("user-agent"), KEY_USER_AGENT},
	{SLICE_INIT("useragent"), KEY_USER_AGENT},
	{SLICE_INIT("user agent"), KEY_USER_AGENT},
	{SLICE_INIT("allow"), KEY_ALLOW},
	{SLICE_INIT("disallow"), KEY_DISALLOW},
	{SLICE_INIT("dissallow"), KEY_DISALLOW},
	{SLICE_INIT("dissalow"), KEY_DISALLOW},
	{SLICE_INIT("disalow"), KEY_DISALLOW},
	{SLICE_INIT("diasllow"), KEY_DISALLOW},
	{SLICE_INIT("disallaw"), KEY_DISALLOW},
	{SLICE_INIT("crawl-delay"), KEY_CRAWL_DELAY},
	{SLICE_INIT("sitemap"), KEY_SITEMAP},
	{SLICE_INIT("site-map"), KEY_SITEMAP},
};

/* What the groups for one kind of crawler say. */
struct group {
	struct robots_rules rules;
	double crawl_delay;
	bool exists;
	bool open;    /* the rules that follow are for it */
	bool delayed; /* so is a Crawl-delay */
};

struct parser {
	struct robots *robots;
	slice agent;
	struct group named;
	struct group any;    /* "*" */
	bool agents_closed;  /* a rule was read: the next user-agent line starts a new group */
	bool delayed_closed; /* the same for Crawl-delay, which is no rule and so closes no group */
	uint32_t line;
	struct buf scratch;
	bool html;          /* the text is a page, so tags are taken out */
	struct buf no_tags; /* a line without them */
};

/* Takes the next line without its end (EOL: CR, LF or both) off the text. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static slice trim(slice s)
{
	while (s.len > 0 && is_blank(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static slice until(slice s, char c)
{
	return slice_take(&s, c);
}

/* Takes the next line without its end (EOL: CR, LF or both) off the text. */
static slice take_line(slice *text)
{
	size_t end = 0, next;
	slice line;

	while (end < text->len && text->ptr[end] != '\n' && text->ptr[end] != '\r')
		end++;
	next = end + 1;
	if (next < text->len && text->ptr[end] == '\r' && text->ptr[next] == '\n')
		next++;
	line = slice_sub(*text, 0, end);
	*text = slice_sub(*text, next < text->len ? next : text->len, text->len);
	return line;
}

/* The first word, when there are exactly two and so only the colon was forgotten. */
static slice key_without_colon(slice line)
{
	size_t end = 0;
	slice value;

	while (end < line.len && !is_blank(line.ptr[end]))
		end++;
	value = trim(slice_sub(line, end, line.len));
	for (size_t i = 0; i < value.len; i++)
		if (is_blank(value.ptr[i]))
			return (slice){0};
	return slice_sub(line, 0, end);
}

static enum key split_line(slice line, slice *ret_value)
{
	slice key;
	size_t skip = 1;

	line = trim(until(line, '#'));
	key = until(line, ':');
	if (key.len == line.len) {
		key = key_without_colon(line);
		skip = 0;
	}
	*ret_value = trim(slice_sub(line, key.len + skip, line.len));
	key = trim(key);
	for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++)
		if (word_is(key, KEYS[i].name))
			return KEYS[i].key;
	return KEY_NONE;
}

/*
 * The product token that a user-agent line starts with (§2.2.1: letters, "_" and "-"). What follows
 * is a version or a comment. Digits belong to it where they end the word ("Agent1"): see
 * docs/robots.md.
 */
static bool is_token_char(char c)
{
	return word_is_alpha(c) || c == '_' || c == '-';
}

/*
 * The product token that a user-agent line starts with (§2.2.1: letters, "_" and "-"). What follows
 * is a version or a comment. Digits belong to it where they end the word ("Agent1"): see
 * docs/robots.md.
 */
static slice product_token(slice value)
{
	size_t len = 0, end;

	while (len < value.len && is_token_char(value.ptr[len]))
		len++;
	for (end = len; end < value.len && word_is_digit(value.ptr[end]); end++)
		;
	if (end == value.len || !is_token_char(value.ptr[end]))
		len = end;
	return slice_sub(value, 0, len);
}

/* Several names may stand in one line with commas between them. */
static void read_agent(struct parser *p, slice value)
{
	struct group *group = NULL;

	if (p->agents_closed)
		p->named.open = p->any.open = false;
	if (p->agents_closed || p->delayed_closed)
		p->named.delayed = p->any.delayed = false;
	p->agents_closed = p->delayed_closed = false;
	if (value.len > 0 && value.ptr[0] == '*' && (value.len == 1 || is_blank(value.ptr[1]))) {
		group = &p->any;
		value.len = 0;
	}
	while (value.len > 0) {
		slice token = product_token(trim(slice_take(&value, ',')));

		if (token.len && word_is(token, p->agent))
			group = &p->named;
	}
	if (group)
		group->exists = group->open = group->delayed = true;
}

static void add_rule(struct parser *p, struct robots_rule rule)
{
	rule.octets = (uint32_t)rule.pattern.len + rule.anchored;
	rule.plain = (uint32_t)until(rule.pattern, '*').len;
	for (int i = 0; i < 2; i++) {
		struct group *g = i ? &p->any : &p->named;

		if (g->open && g->rules.len < ROBOTS_RULES_MAX)
			robots_rules_push(&g->rules, rule);
		else if (g->open)
			p->robots->truncated = true;
	}
}

/*
 * To allow "/dir/index.html" is to allow "/dir/" as well, as in Google's parser: whoever writes
 * that means the page, not one of its spellings.
 */
static int read_rule(struct parser *p, slice value, bool allow)
{
	bool anchored = value.len > 0 && value.ptr[value.len - 1] == '$';
	struct robots_rule rule = {.line = p->line, .allow = allow, .anchored = anchored};
	const char *slash;
	size_t dir;

	p->agents_closed = true;
	if (value.len == 0 || (!p->named.open && !p->any.open))
		return 0;
	buf_reset(&p->scratch);
	TRY(robots_normalise_rule(&p->scratch, slice_sub(value, 0, value.len - anchored)));
	rule.pattern.len = p->scratch.len;
	rule.pattern.ptr = arena_strdup(&p->robots->arena, buf_slice(&p->scratch));
	if (!rule.pattern.ptr)
		return ERR_LIMIT;
	add_rule(p, rule);
	slash = memrchr(rule.pattern.ptr, '/', rule.pattern.len);
	dir = slash ? (size_t)(slash - rule.pattern.ptr) : rule.pattern.len;
	if (allow && slice_starts_with(
			     slice_sub(rule.pattern, dir, rule.pattern.len), SLICE("/index.htm"))) {
		rule.pattern.len = dir + 1;
		rule.anchored = true;
		add_rule(p, rule);
	}
	return 0;
}

/* Of several the longest counts: who asks twice may be asked to wait twice, but not to hurry. */
static void read_delay(struct parser *p, slice value)
{
	double delay;

	p->delayed_closed = true;
	if (parse_double(value, &delay) || delay < 0)
		return;
	if (p->named.delayed && delay > p->named.crawl_delay)
		p->named.crawl_delay = delay;
	if (p->any.delayed && delay > p->any.crawl_delay)
		p->any.crawl_delay = delay;
}

/* Some sites serve their robots.txt as a page, with a <br> behind each line. */
static bool is_html(slice text)
{
	static const slice tags[] = {SLICE_INIT("html"), SLICE_INIT("head"), SLICE_INIT("body")};

	for (slice rest = text; rest.len > 0;) {
		(void)slice_take(&rest, '<');
		for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
			slice after = slice_sub(rest, tags[i].len, rest.len);

			if (word_is(slice_sub(rest, 0, tags[i].len), tags[i]) && after.len > 0 &&
				(after.ptr[0] == '>' || is_blank(after.ptr[0])))
				return true;
		}
	}
	return false;
}

static int read_line(struct parser *p, slice line)
{
	slice value, rest = line;

	/* Without "<…>", and what follows a "<" that is not closed. */
	if (p->html) {
		buf_reset(&p->no_tags);
		while (rest.len > 0) {
			buf_add(&p->no_tags, slice_take(&rest, '<'));
			(void)slice_take(&rest, '>');
		}
		TRY(p->no_tags.error);
		line = buf_slice(&p->no_tags);
	}
	switch (split_line(line, &value)) {
	case KEY_USER_AGENT:
		read_agent(p, value);
		break;
	case KEY_ALLOW:
		return read_rule(p, value, true);
	case KEY_DISALLOW:
		return read_rule(p, value, false);
	case KEY_CRAWL_DELAY:
		read_delay(p, value);
		break;
	case KEY_SITEMAP:
		if (value.len == 0 || p->robots->sitemaps.len == ROBOTS_SITEMAPS_MAX)
			break;
		value.ptr = arena_strdup(&p->robots->arena, value);
		if (!value.ptr)
			return ERR_LIMIT;
		slice_vec_push(&p->robots->sitemaps, value);
		break;
	case KEY_NONE:
		break;
	}
	return 0;
}

/* The text up to the limit; a line that would be cut there is left out, for it would say more. */
static slice cut_at_limit(slice text, bool *ret_cut)
{
	size_t len = ROBOTS_PARSE_MAX;

	*ret_cut = *ret_cut || text.len > len;
	if (!*ret_cut)
		return text;
	len = len < text.len ? len : text.len;
	while (len > 0 && text.ptr[len - 1] != '\n' && text.ptr[len - 1] != '\r')
		len--;
	return slice_sub(text, 0, len);
}

static int by_precedence(const void *a, const void *b)
{
	const struct robots_rule *x = a, *y = b;

	if (x->octets != y->octets)
		return x->octets > y->octets ? -1 : 1;
	if (x->allow != y->allow)
		return x->allow ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* All lines, for the groups of the crawler and of "*". */
static int read_lines(struct parser *p, slice text, struct buf *wide)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct charset_guess guess = charset_guess(text, (slice){"", 0}, CHARSET_PLAIN);
	size_t n = 0;

	/*
	 * Editors of some systems save "Unicode" as UTF-16. §2.3 wants UTF-8, but the mark leaves
	 * no doubt.
	 */
	if (guess.charset == CHARSET_UTF_16LE || guess.charset == CHARSET_UTF_16BE) {
		struct charset_decoder *d = NULL;
		int rc;

		p->robots->truncated = text.len > ROBOTS_PARSE_MAX;
		TRY(charset_decoder_open(guess.charset, &d));
		rc = charset_decode(
			d, slice_sub(text, guess.bom, ROBOTS_PARSE_MAX), true, wide, &text);
		charset_decoder_close(d);
		TRY(rc);
	}
	text = cut_at_limit(text, &p->robots->truncated);
	p->html = is_html(text);
	/* A byte order mark, also one that lost its end on the way. */
	while (n < 3 && n < text.len && text.ptr[n] == mark[n])
		n++;
	text = slice_sub(text, n, text.len);
	for (p->line = 1; text.len; p->line++)
		TRY(read_line(p, take_line(&text)));
	return 0;
}

int robots_parse(struct robots *r, slice text, slice agent, struct err *err)
{
	struct parser p = {.robots = r,
		.agent = trim(until(agent, '/')),
		.named.crawl_delay = -1,
		.any.crawl_delay = -1};
	BUF_SCOPED(wide, CHARSET_EXPANSION * (size_t)ROBOTS_PARSE_MAX);
	/* §2.2.1: the groups that name the crawler, else those for "*", else none. */
	struct group *chosen;
	int rc;

	*r = (struct robots){0};
	arena_init(&r->arena, ROBOTS_MEMORY_MAX);
	buf_init(&p.scratch, 3 * (size_t)ROBOTS_PARSE_MAX);
	buf_init(&p.no_tags, ROBOTS_PARSE_MAX);
	rc = read_lines(&p, text, &wide);
	chosen = p.named.exists ? &p.named : &p.any;
	r->named = p.named.exists;
	r->crawl_delay = chosen->crawl_delay;
	r->rules = chosen->rules;
	chosen->rules = (struct robots_rules){0};
	if (r->rules.len)
		qsort(r->rules.ptr, r->rules.len, sizeof r->rules.ptr[0], by_precedence);
	robots_rules_release(&p.named.rules);
	robots_rules_release(&p.any.rules);
	buf_release(&p.scratch);
	buf_release(&p.no_tags);
	if (rc) {
		(void)err_set(err, rc, "robots.txt: %s", err_name(rc));
		robots_release(r);
	}
	return rc;
}

void robots_release(struct robots *r)
{
	robots_rules_release(&r->rules);
	slice_vec_release(&r->sitemaps);
	arena_release(&r->arena);
}

static struct robots_decision find_rule(const struct robots *r, slice path)
{
	struct robots_decision d = {.allowed = true};

	for (size_t i = 0; i < r->rules.len; i++) {
		const struct robots_rule *rule = &r->rules.ptr[i];

		/* Most differ before their first "*": no need for the matcher then. */
		d.work++;
		if (slice_starts_with(path, slice_sub(rule->pattern, 0, rule->plain)) &&
			robots_match(rule->pattern, rule->anchored, path, &d.work)) {
			d.allowed = rule->allow;
			d.line = rule->line;
			break;
		}
		if (d.work > ROBOTS_WORK_MAX) {
			d.allowed = false;
			d.exhausted = true;
			break;
		}
	}
	return d;
}

int robots_decide(const struct robots *r, slice path, struct robots_decision *ret)
{
	BUF_SCOPED(normal, 3 * (size_t)ROBOTS_PATH_MAX + 1);

	if (path.len > ROBOTS_PATH_MAX)
		return ERR_LIMIT;
	if (path.len == 0 || path.ptr[0] != '/')
		buf_add_char(&normal, '/');
	TRY(robots_normalise_path(&normal, path));
	/* §2.2.2: "The /robots.txt URI is implicitly allowed." */
	if (slice_eq(buf_slice(&normal), SLICE("/robots.txt")))
		*ret = (struct robots_decision){.allowed = true};
	else
		*ret = find_rule(r, buf_slice(&normal));
	return 0;
}

slice robots_agent(slice user_agent)
{
	static const slice compatible = SLICE_INIT("compatible;");
	slice first = product_token(trim(user_agent));

	for (slice rest = user_agent; word_is(first, SLICE("Mozilla")) && rest.len > 0;
		rest = slice_sub(rest, 1, rest.len)) {
		if (word_starts(rest, compatible)) {
			slice token =
				product_token(trim(slice_sub(rest, compatible.len, rest.len)));

			return token.len > 0 ? token : first;
		}
	}
	return first;
}

slice robots_url_path(slice url)
{
	slice rest = until(url, '#');
	size_t at = until(until(rest, '/'), ':').len;

	if (!slice_eq(slice_sub(rest, at, at + 3), SLICE("://")))
		return rest;
	for (at += 3; at < rest.len && rest.ptr[at] != '/' && rest.ptr[at] != '?';)
		at++;
	return slice_sub(rest, at, rest.len);
}
