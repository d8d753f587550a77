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

static int add(struct buf *out, const void *bytes, size_t len)
{
	return buf_add(out, (slice){bytes, len});
}

static int add_rules(const struct robots *r, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->rules.len; i++) {
		const struct robots_rule *rule = &r->rules.ptr[i];
		struct packed_rule p;

		memset(&p, 0, sizeof p);
		p.len = (uint32_t)rule->pattern.len;
		p.line = rule->line;
		p.allow = rule->allow;
		p.anchored = rule->anchored;
		rc = add(out, &p, sizeof p);
	}
	return rc;
}

static int add_octets(const struct robots *r, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->rules.len; i++)
		rc = buf_add(out, r->rules.ptr[i].pattern);
	for (size_t i = 0; rc == 0 && i < r->sitemaps.len; i++)
		rc = buf_add(out, r->sitemaps.ptr[i]);
	return rc;
}

static uint32_t count_octets(const struct robots *r)
{
	size_t sum = 0;

	for (size_t i = 0; i < r->rules.len; i++)
		sum += r->rules.ptr[i].pattern.len;
	for (size_t i = 0; i < r->sitemaps.len; i++)
		sum += r->sitemaps.ptr[i].len;
	return (uint32_t)sum;
}

int robots_pack(const struct robots *r, struct buf *out)
{
	struct packed p;
	int rc;

	memset(&p, 0, sizeof p);
	p.crawl_delay = r->crawl_delay;
	p.rules = (uint32_t)r->rules.len;
	p.sitemaps = (uint32_t)r->sitemaps.len;
	p.octets = count_octets(r);
	p.named = r->named;
	p.truncated = r->truncated;
	rc = add(out, &p, sizeof p);
	if (rc == 0)
		rc = add_rules(r, out);
	for (size_t i = 0; rc == 0 && i < r->sitemaps.len; i++) {
		uint32_t len = (uint32_t)r->sitemaps.ptr[i].len;

		rc = add(out, &len, sizeof len);
	}
	return rc ? rc : add_octets(r, out);
}

static void take(slice *packed, void *out, size_t len)
{
	assert(packed->len >= len);
	memcpy(out, packed->ptr, len);
	*packed = slice_sub(*packed, len, packed->len);
}

static slice take_octets(slice *octets, size_t len)
{
	slice s = slice_sub(*octets, 0, len);

	*octets = slice_sub(*octets, len, octets->len);
	return s;
}

static struct robots_rule take_rule(slice *packed, slice *octets)
{
	struct packed_rule p;
	struct robots_rule rule;
	slice rest;

	take(packed, &p, sizeof p);
	rule = (struct robots_rule){
		.pattern = take_octets(octets, p.len),
		.octets = p.len + p.anchored,
		.line = p.line,
		.allow = p.allow,
		.anchored = p.anchored,
	};
	rest = rule.pattern;
	rule.plain = (uint32_t)slice_take(&rest, '*').len;
	return rule;
}

/* Room for all of it; *ret_octets is a copy of the octets in its arena. */
static int reserve(struct robots *r, const struct packed *p, slice packed, slice *ret_octets)
{
	char *copy = arena_alloc(&r->arena, p->octets + 1, 1);
	int rc = copy ? robots_rules_reserve(&r->rules, p->rules) : ERR_NOMEM;

	if (rc == 0)
		slice_vec_reserve(&r->sitemaps, p->sitemaps);
	if (rc)
		return rc;
	if (p->octets)
		memcpy(copy, packed.ptr + (packed.len - p->octets), p->octets);
	*ret_octets = (slice){copy, p->octets};
	return 0;
}

int robots_unpack(struct robots *r, slice packed)
{
	struct packed p;
	slice octets;
	int rc;

	take(&packed, &p, sizeof p);
	*r = (struct robots){
		.crawl_delay = p.crawl_delay, .named = p.named, .truncated = p.truncated};
	arena_init_small(&r->arena, ROBOTS_MEMORY_MAX);
	rc = reserve(r, &p, packed, &octets);
	if (rc) {
		robots_release(r);
		return rc;
	}
	for (uint32_t i = 0; i < p.rules; i++)
		r->rules.ptr[r->rules.len++] = take_rule(&packed, &octets);
	for (uint32_t i = 0; i < p.sitemaps; i++) {
		uint32_t len;

		take(&packed, &len, sizeof len);
		r->sitemaps.ptr[r->sitemaps.len++] = take_octets(&octets, len);
	}
	return 0;
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
/* clang-format off */
static const unsigned char CLASSES[256] = {
	['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1,
	['i'] = 1, ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1,
	['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1,
	['y'] = 1, ['z'] = 1,
	['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1,
	['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1, ['O'] = 1, ['P'] = 1,
	['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1, ['W'] = 1, ['X'] = 1,
	['Y'] = 1, ['Z'] = 1,
	['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
	['8'] = 1, ['9'] = 1, ['-'] = 1, ['.'] = 1, ['_'] = 1, ['~'] = 1,
	[':'] = 2, ['/'] = 2, ['?'] = 2, ['#'] = 2, ['['] = 2, [']'] = 2, ['@'] = 2, ['!'] = 2,
	['$'] = 2, ['&'] = 2, ['\''] = 2, ['('] = 2, [')'] = 2, ['*'] = 2, ['+'] = 2, [','] = 2,
	[';'] = 2, ['='] = 2,
};
/* clang-format on */

static enum octet_class class_of(unsigned char c)
{
	return (enum octet_class)CLASSES[c];
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

static int add_escape(struct buf *out, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";

	return buf_add(out, (slice){(char[]){'%', digits[c >> 4], digits[c & 15]}, 3});
}

/* Whether the octet is its own normal form; stars says what a raw "*" is. */
static bool is_normal(unsigned char c, bool stars)
{
	return class_of(c) != OCTET_OTHER && c != '$' && (c != '*' || stars);
}

static size_t normal_run(slice s, size_t at, bool stars)
{
	size_t end = at;

	while (end < s.len && is_normal((unsigned char)s.ptr[end], stars))
		end++;
	return end;
}

/* An escape is undone or kept with upper-case digits, another octet is escaped. */
static int normalise_octet(struct buf *out, slice s, size_t *at)
{
	int escaped = escape_at(s, *at);
	unsigned char c = (unsigned char)(escaped >= 0 ? escaped : s.ptr[*at]);

	*at += escaped >= 0 ? 3 : 1;
	if (escaped >= 0 && class_of(c) == OCTET_UNRESERVED)
		return buf_add_char(out, (char)c);
	return add_escape(out, c);
}

static int normalise(struct buf *out, slice s, bool stars)
{
	int rc = 0;

	for (size_t at = 0; at < s.len && rc == 0;) {
		size_t end = normal_run(s, at, stars);

		rc = buf_add(out, slice_sub(s, at, end));
		at = end;
		if (rc == 0 && at < s.len)
			rc = normalise_octet(out, s, &at);
	}
	return rc;
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static slice trim(slice s)
{
	size_t from = 0, to = s.len;

	while (from < to && is_blank(s.ptr[from]))
		from++;
	while (to > from && is_blank(s.ptr[to - 1]))
		to--;
	return slice_sub(s, from, to);
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

static bool is_any_agent(slice value)
{
	return value.len > 0 && value.ptr[0] == '*' && (value.len == 1 || is_blank(value.ptr[1]));
}

/* Whether the line names us; several names may stand there with commas between them. */
static bool names_us(const struct parser *p, slice value)
{
	while (value.len > 0) {
		slice token = product_token(trim(slice_take(&value, ',')));

		if (token.len && word_is(token, p->agent))
			return true;
	}
	return false;
}

static void read_agent(struct parser *p, slice value)
{
	struct group *group = NULL;

	if (p->agents_closed)
		p->named.open = p->any.open = false;
	if (p->agents_closed || p->delayed_closed)
		p->named.delayed = p->any.delayed = false;
	p->agents_closed = p->delayed_closed = false;
	if (is_any_agent(value))
		group = &p->any;
	else if (names_us(p, value))
		group = &p->named;
	if (group)
		group->exists = group->open = group->delayed = true;
}

static bool takes_rules(const struct group *g)
{
	return g->open && g->rules.len < ROBOTS_RULES_MAX;
}

static int add_rule(struct parser *p, const struct robots_rule *rule)
{
	int rc = 0;

	if (takes_rules(&p->named))
		rc = robots_rules_push(&p->named.rules, *rule);
	if (rc == 0 && takes_rules(&p->any))
		robots_rules_push(&p->any.rules, *rule);
	return rc;
}

/*
 * To allow "/dir/index.html" is to allow "/dir/" as well, as in Google's parser: whoever writes
 * that means the page, not one of its spellings.
 */
static int add_index_rule(struct parser *p, const struct robots_rule *rule)
{
	static const slice index = SLICE_INIT("/index.htm");
	struct robots_rule dir = *rule;
	const char *slash = memrchr(rule->pattern.ptr, '/', rule->pattern.len);
	slice file;

	if (!slash || !rule->allow)
		return 0;
	dir.pattern.len = (size_t)(slash - rule->pattern.ptr) + 1;
	file = slice_sub(rule->pattern, dir.pattern.len - 1, rule->pattern.len);
	if (!slice_starts_with(file, index))
		return 0;
	dir.anchored = true;
	dir.plain = (uint32_t)until(dir.pattern, '*').len;
	dir.octets = (uint32_t)dir.pattern.len + 1;
	return add_rule(p, &dir);
}

static int read_rule(struct parser *p, slice value, bool allow)
{
	bool anchored = value.len > 0 && value.ptr[value.len - 1] == '$';
	struct robots_rule rule = {.line = p->line, .allow = allow, .anchored = anchored};

	p->agents_closed = true;
	if (value.len == 0 || (!p->named.open && !p->any.open))
		return 0;
	if (!takes_rules(&p->named) && !takes_rules(&p->any)) {
		p->robots->truncated = true;
		return 0;
	}
	buf_reset(&p->scratch);
	TRY(robots_normalise_rule(&p->scratch, slice_sub(value, 0, value.len - anchored)));
	rule.pattern.len = p->scratch.len;
	rule.pattern.ptr = arena_strdup(&p->robots->arena, buf_slice(&p->scratch));
	if (!rule.pattern.ptr)
		return ERR_LIMIT;
	rule.octets = (uint32_t)(rule.pattern.len + anchored);
	rule.plain = (uint32_t)until(rule.pattern, '*').len;
	TRY(add_rule(p, &rule));
	return add_index_rule(p, &rule);
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

static int read_sitemap(struct parser *p, slice value)
{
	char *copy;

	if (value.len == 0 || p->robots->sitemaps.len == ROBOTS_SITEMAPS_MAX)
		return 0;
	copy = arena_strdup(&p->robots->arena, value);
	if (!copy)
		return ERR_LIMIT;
	slice_vec_push(&p->robots->sitemaps, (slice){copy, value.len});
	return 0;
}

/* Takes "<…>" out of a line, and what follows a "<" that is not closed. */
static int strip_tags(struct parser *p, slice *line)
{
	slice rest = *line;
	int rc = 0;

	buf_reset(&p->no_tags);
	while (rest.len > 0 && rc == 0) {
		rc = buf_add(&p->no_tags, slice_take(&rest, '<'));
		(void)slice_take(&rest, '>');
	}
	*line = buf_slice(&p->no_tags);
	return rc;
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
	slice value;

	TRY(p->html ? strip_tags(p, &line) : 0);
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
		return read_sitemap(p, value);
	case KEY_NONE:
		break;
	}
	return 0;
}

/* A byte order mark, also one that lost its end on the way. */
static slice skip_byte_order_mark(slice text)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t n = 0;

	while (n < 3 && n < text.len && text.ptr[n] == mark[n])
		n++;
	return slice_sub(text, n, text.len);
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

/*
 * Editors of some systems save "Unicode" as UTF-16. §2.3 wants UTF-8, but the mark leaves no
 * doubt. *text becomes what scratch holds then; *ret_cut when it was longer than the limit.
 */
static int decode_wide(slice *text, struct buf *scratch, bool *ret_cut)
{
	struct charset_guess guess = charset_guess(*text, (slice){"", 0}, CHARSET_PLAIN);
	struct charset_decoder *d = NULL;
	int rc;

	*ret_cut = false;
	if (guess.charset != CHARSET_UTF_16LE && guess.charset != CHARSET_UTF_16BE)
		return 0;
	*ret_cut = text->len > ROBOTS_PARSE_MAX;
	rc = charset_decoder_open(guess.charset, &d);
	if (rc == 0)
		rc = charset_decode(
			d, slice_sub(*text, guess.bom, ROBOTS_PARSE_MAX), true, scratch, text);
	charset_decoder_close(d);
	return rc;
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

/* §2.2.1: the groups that name the crawler, else those for "*", else none. */
static void choose_group(struct parser *p)
{
	struct group *chosen = p->named.exists ? &p->named : &p->any;

	p->robots->named = p->named.exists;
	p->robots->crawl_delay = chosen->crawl_delay;
	p->robots->rules = chosen->rules;
	chosen->rules = (struct robots_rules){0};
	if (p->robots->rules.len)
		qsort(p->robots->rules.ptr, p->robots->rules.len, sizeof p->robots->rules.ptr[0],
			by_precedence);
}

int robots_parse(struct robots *r, slice text, slice agent, struct err *err)
{
	struct parser p = {.robots = r, .agent = trim(until(agent, '/'))};
	struct buf wide;
	slice rest;
	int rc;

	*r = (struct robots){0};
	buf_init(&wide, CHARSET_EXPANSION * (size_t)ROBOTS_PARSE_MAX);
	rc = decode_wide(&text, &wide, &r->truncated);
	rest = cut_at_limit(text, &r->truncated);
	arena_init(&r->arena, ROBOTS_MEMORY_MAX);
	buf_init(&p.scratch, 3 * (size_t)ROBOTS_PARSE_MAX);
	buf_init(&p.no_tags, ROBOTS_PARSE_MAX);
	p.html = is_html(rest);
	p.named.crawl_delay = p.any.crawl_delay = -1;
	rest = skip_byte_order_mark(rest);
	for (p.line = 1; rc == 0 && rest.len; p.line++)
		rc = read_line(&p, take_line(&rest));
	if (rc == 0)
		choose_group(&p);
	robots_rules_release(&p.named.rules);
	robots_rules_release(&p.any.rules);
	buf_release(&p.scratch);
	buf_release(&p.no_tags);
	buf_release(&wide);
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

/* Most rules differ from the path before their first "*": no need for the matcher then. */
static bool applies(const struct robots_rule *rule, slice path, uint64_t *work)
{
	++*work;
	return slice_starts_with(path, slice_sub(rule->pattern, 0, rule->plain)) &&
	       robots_match(rule->pattern, rule->anchored, path, work);
}

static struct robots_decision find_rule(const struct robots *r, slice path)
{
	struct robots_decision d = {.allowed = true};

	for (size_t i = 0; i < r->rules.len; i++) {
		const struct robots_rule *rule = &r->rules.ptr[i];

		if (applies(rule, path, &d.work)) {
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
	struct robots_decision decision = {.allowed = true};
	struct buf normal;
	int rc = 0;

	if (path.len > ROBOTS_PATH_MAX)
		return ERR_LIMIT;
	buf_init(&normal, 3 * (size_t)ROBOTS_PATH_MAX + 1);
	if (path.len == 0 || path.ptr[0] != '/')
		rc = buf_add_char(&normal, '/');
	if (rc == 0)
		rc = robots_normalise_path(&normal, path);
	/* §2.2.2: "The /robots.txt URI is implicitly allowed." */
	if (rc == 0 && !slice_eq(buf_slice(&normal), SLICE("/robots.txt")))
		decision = find_rule(r, buf_slice(&normal));
	buf_release(&normal);
	if (rc == 0)
		*ret = decision;
	return rc;
}

/* Where the word stands in the text, in any case; the text's length when it does not. */
static size_t find_word(slice text, slice word)
{
	for (size_t at = 0; at + word.len <= text.len; at++)
		if (word_is(slice_sub(text, at, at + word.len), word))
			return at;
	return text.len;
}

slice robots_agent(slice user_agent)
{
	slice compatible = SLICE("compatible;");
	slice first = product_token(trim(user_agent)), token;
	size_t at = find_word(user_agent, compatible);

	if (!word_is(first, SLICE("Mozilla")) || at == user_agent.len)
		return first;
	token = product_token(trim(slice_sub(user_agent, at + compatible.len, user_agent.len)));
	return token.len > 0 ? token : first;
}

/* Where the authority starts, behind "scheme://"; 0 when there is no scheme. */
static size_t authority_start(slice url)
{
	size_t at = until(until(url, '/'), ':').len;

	return slice_eq(slice_sub(url, at, at + 3), SLICE("://")) ? at + 3 : 0;
}

slice robots_url_path(slice url)
{
	slice rest = until(url, '#');
	size_t at = authority_start(rest);

	while (at > 0 && at < rest.len && rest.ptr[at] != '/' && rest.ptr[at] != '?')
		at++;
	return slice_sub(rest, at, rest.len);
}
