#include "formats/deceit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "base/parse.h"
#include "base/word.h"
#include "base/word_scan.h"
#include "formats/html_token.h"
#include "formats/link_values.h"

enum { DECODED_MAX = 8 << 10, NESTED_MAX = 2 };

static bool is_name(char c)
{
	return word_is_alnum(c) || c == '_' || c == '$';
}

static slice skip_space(slice s)
{
	while (s.len && word_is_space(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	return s;
}

/* Takes the word off the front, with the blanks behind it. */
static bool take(slice *s, const char *word)
{
	size_t len = strlen(word);

	if (!slice_starts_with(*s, (slice){word, len}))
		return false;
	*s = skip_space(slice_sub(*s, len, s->len));
	return true;
}

/* ---- literals ---- */

struct text {
	char *ptr;
	size_t len, size;
};

static void add(struct text *t, char c)
{
	if (t->len + 1 < t->size)
		t->ptr[t->len++] = c;
}

/* Of \xNN and %NN; 0: there is none. */
static char hex_pair(slice s)
{
	int high = s.len >= 2 ? word_hex(s.ptr[0]) : -1, low = s.len >= 2 ? word_hex(s.ptr[1]) : -1;
	char code = '\0';

	if (high >= 0 && low >= 0)
		code = (char)(high * 16 + low);
	return code;
}

/* One character of a string, escapes undone; returns its bytes. */
static size_t read_char(slice s, char *ret)
{
	*ret = s.ptr[0];
	if (s.ptr[0] != '\\' || s.len < 2)
		return 1;
	*ret = hex_pair(slice_sub(s, 2, s.len));
	if (s.ptr[1] == 'x' && *ret)
		return 4;
	*ret = s.ptr[1];
	return 2;
}

/* A string literal, from its quote on. */
static bool take_string(slice *s, struct text *out)
{
	slice rest = slice_sub(*s, 1, s->len);
	char quote, c;

	if (!s->len || !strchr("\"'`", s->ptr[0]) || s->ptr[0] == '\0')
		return false;
	quote = s->ptr[0];
	while (rest.len && rest.ptr[0] != quote) {
		if (quote == '`' && rest.ptr[0] == '$')
			return false;
		rest = slice_sub(rest, read_char(rest, &c), rest.len);
		add(out, c);
	}
	if (!rest.len)
		return false;
	*s = skip_space(slice_sub(rest, 1, rest.len));
	return true;
}

static void unescape(struct text *t, size_t from)
{
	size_t to = from;

	for (size_t i = from; i < t->len; i++) {
		char c = t->ptr[i], code = hex_pair((slice){t->ptr + i + 1, t->len - i - 1});

		if (c == '%' && code) {
			c = code;
			i += 2;
		}
		t->ptr[to++] = c;
	}
	t->len = to;
}

/* One literal, or unescape("…") of one. */
static bool take_term(slice *s, struct text *out)
{
	size_t from = out->len;
	bool coded = take(s, "unescape") || take(s, "decodeURIComponent") || take(s, "decodeURI");

	if (coded && !take(s, "("))
		return false;
	if (!take_string(s, out))
		return false;
	if (coded)
		unescape(out, from);
	return !coded || take(s, ")");
}

/* Terms with + between them. */
static bool take_expression(slice *s, struct text *out)
{
	do
		if (!take_term(s, out))
			return false;
	while (take(s, "+"));
	return out->len > 0;
}

/* ---- statements ---- */

/* Behind "location": = "…", .href = "…", .replace("…"), .assign("…"). */
static bool take_target(slice s, struct text *out)
{
	s = skip_space(s);
	(void)take(&s, ".href");
	if (take(&s, ".replace") || take(&s, ".assign")) {
		if (!take(&s, "("))
			return false;
	} else if (!take(&s, "=") || (s.len && s.ptr[0] == '=')) {
		return false;
	}
	out->len = 0;
	return take_expression(&s, out);
}

/* The name that stands before: "document.", "window.top.". Others have a location of their own. */
static bool is_ours(slice before)
{
	static const slice OBJECTS[] = {SLICE_INIT("window."), SLICE_INIT("document."),
		SLICE_INIT("self."), SLICE_INIT("top."), SLICE_INIT("parent."), SLICE_INIT("this."),
		SLICE_INIT("globalThis.")};
	bool found = true;

	while (found) {
		found = false;
		for (size_t i = 0; !found && i < sizeof OBJECTS / sizeof OBJECTS[0]; i++)
			if (slice_ends_with(before, OBJECTS[i])) {
				before.len -= OBJECTS[i].len;
				found = true;
			}
	}
	return before.len == 0 ||
	       (!is_name(before.ptr[before.len - 1]) && before.ptr[before.len - 1] != '.');
}

/* Whether a function that begins here runs by itself. */
static bool runs_by_itself(slice before)
{
	static const char *const CALLS[] = {"setTimeout(", "onload=", "onload =", "(", "!"};

	while (before.len && word_is_space(before.ptr[before.len - 1]))
		before.len--;
	for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
		if (slice_ends_with(before, slice_str(CALLS[i])))
			return i != 3 || before.len == 1 || !is_name(before.ptr[before.len - 2]);
	return false;
}

/* Scans a script; depth counts brackets of functions that somebody else must call. */
struct scan {
	slice script;
	size_t at;
	unsigned open, idle; /* brackets; and how many of them must be closed to run again */
	bool conditional;    /* in a statement that only sometimes runs */
};

static void skip_string(struct scan *s)
{
	char quote = s->script.ptr[s->at++];

	while (s->at < s->script.len && s->script.ptr[s->at] != quote)
		s->at += s->script.ptr[s->at] == '\\' ? 2 : 1;
	s->at++;
}

static void skip_comment(struct scan *s)
{
	bool line = s->script.ptr[s->at + 1] == '/';
	slice rest = slice_sub(s->script, s->at + 2, s->script.len);
	const char *end =
		line ? memchr(rest.ptr, '\n', rest.len) : memmem(rest.ptr, rest.len, "*/", 2);

	s->at = end ? (size_t)(end - s->script.ptr) + (line ? 1 : 2) : s->script.len;
}

/* A word begins here: what it means for those behind it. */
static void see_word(struct scan *s, slice word)
{
	slice before = slice_sub(s->script, 0, s->at);

	if (slice_eq(word, SLICE("function")) && !s->idle && !runs_by_itself(before))
		s->idle = s->open + 1;
	/* Who comes from a search engine, or is one, is sent elsewhere: that is meant as well. */
	if (slice_eq(word, SLICE("if")) || slice_eq(word, SLICE("case")))
		s->conditional = true;
	if (slice_eq(word, SLICE("referrer")) || slice_eq(word, SLICE("userAgent")))
		s->conditional = false;
}

static void see_mark(struct scan *s, char c)
{
	if (c == '{')
		s->open++;
	if (c == '}' && s->open > 0)
		s->open--;
	if (c == '}' && s->idle > s->open)
		s->idle = 0;
	if (c == '}' || c == ';')
		s->conditional = s->conditional && c == ';' && s->open > 0;
}

static bool step(struct scan *s, struct text *out)
{
	slice rest = slice_sub(s->script, s->at, s->script.len), word = {0};
	char c = rest.ptr[0];

	if (c == '"' || c == '\'' || c == '`') {
		skip_string(s);
		return false;
	}
	if (c == '/' && rest.len > 1 && (rest.ptr[1] == '/' || rest.ptr[1] == '*')) {
		skip_comment(s);
		return false;
	}
	if (!is_name(c)) {
		see_mark(s, c);
		s->at++;
		return false;
	}
	while (word.len < rest.len && is_name(rest.ptr[word.len]))
		word.len++;
	word.ptr = rest.ptr;
	see_word(s, word);
	s->at += word.len;
	return slice_eq(word, SLICE("location")) && !s->conditional && s->idle == 0 &&
	       is_ours(slice_sub(s->script, 0, s->at - word.len)) &&
	       take_target(slice_sub(s->script, s->at, s->script.len), out);
}

static bool find_target(slice script, struct text *out, unsigned nested);

/* eval(unescape("…")): what it says is a script as well. */
static bool find_in_eval(slice script, struct text *out, unsigned nested)
{
	char decoded[DECODED_MAX];
	struct text text = {decoded, 0, sizeof decoded};
	const char *at = script.len ? memmem(script.ptr, script.len, "eval", 4) : NULL;
	slice rest;

	if (!at || nested >= NESTED_MAX)
		return false;
	rest = skip_space(slice_sub(script, (size_t)(at - script.ptr) + 4, script.len));
	return take(&rest, "(") && take_expression(&rest, &text) &&
	       find_target((slice){decoded, text.len}, out, nested + 1);
}

static bool find_target(slice script, struct text *out, unsigned nested)
{
	struct scan s = {.script = script};

	if (script.len && memmem(script.ptr, script.len, "location", 8))
		while (s.at < script.len)
			if (step(&s, out))
				return true;
	return find_in_eval(script, out, nested);
}

bool deceit_script_target(slice script, char *ret_target, size_t size)
{
	struct text out = {ret_target, 0, size};

	if (!find_target(script, &out, 0))
		return false;
	ret_target[out.len] = '\0';
	return true;
}

enum {
	SLOTS = 2 * DECEIT_WORDS_MAX, /* of a table of words, or of sequences */
	LONG_WORD = 4,                /* letters of a word that means something */
	SEQUENCE = 3,
	SAMPLE = 640,           /* bytes of each end of a text, which show whether it is odd */
	SAMPLE_WORDS_MIN = 120, /* that these must have */
	COMPRESSED_MAX = 16 << 10,
};

/* Words, or sequences of words, by their hashes, which are never 0. */
struct table {
	uint32_t hashes[SLOTS];
};

/* Its slot; *ret_new if it was not there. */
static uint32_t find(struct table *t, uint32_t hash, bool *ret_new)
{
	uint32_t at = (hash * 2654435761U >> 8) % SLOTS;

	while (t->hashes[at] && t->hashes[at] != hash)
		at = (at + 1) % SLOTS;
	*ret_new = t->hashes[at] == 0;
	t->hashes[at] = hash;
	return at;
}

/* Most words come once, the others a few times: a logarithm for each number of times will do. */
static double entropy_of(const uint16_t *by_count, uint32_t most, uint32_t words)
{
	double sum = 0;

	for (uint32_t n = 2; n <= most; n++)
		if (by_count[n])
			sum += by_count[n] * (n * log2(n));
	return words > 1 ? 1 - sum / (words * log2(words)) : 1;
}

/* Counts words, and what they repeat. */
struct counting {
	struct table words, sequences;
	uint16_t counts[SLOTS];                  /* of words, where there are any */
	uint16_t by_count[DECEIT_WORDS_MAX + 1]; /* words that came so many times */
	uint32_t last[SEQUENCE - 1], most;
};

static void text_count_words(struct counting *c, slice text, struct deceit_text *t)
{
	struct word_scan scan = {.text = text, .with_digits = true};
	slice word;

	while (t->words < DECEIT_WORDS_MAX && word_scan_next(&scan, &word)) {
		bool is_new, is_new_sequence;
		uint32_t hash = (uint32_t)word_scan_hash(&scan, word) | 1;
		uint32_t at = find(&c->words, hash, &is_new), count;

		c->counts[at] = is_new ? 1 : (uint16_t)(c->counts[at] + 1);
		count = c->counts[at];
		c->by_count[count]++;
		c->by_count[count - 1] -= !is_new;
		c->most = count > c->most ? count : c->most;
		t->words++;
		t->distinct += is_new;
		if (word.len >= LONG_WORD && count > t->most)
			t->most = count;
		if (t->words >= SEQUENCE) {
			(void)find(&c->sequences, ((c->last[0] * 31 + c->last[1]) * 31 + hash) | 1,
				&is_new_sequence);
			t->repeats += !is_new_sequence;
		}
		c->last[0] = c->last[1];
		c->last[1] = hash;
	}
}

/* Both parts together. */
static void read_parts(slice first, slice second, struct deceit_text *ret)
{
	struct counting c;

	c.words = c.sequences = (struct table){{0}};
	memset(c.by_count, 0, sizeof c.by_count);
	memset(c.last, 0, sizeof c.last);
	c.most = 1;
	*ret = (struct deceit_text){0};
	text_count_words(&c, first, ret);
	text_count_words(&c, second, ret);
	ret->entropy = entropy_of(c.by_count, c.most, ret->words);
}

void deceit_text_read(slice text, struct deceit_text *ret)
{
	read_parts(text, (slice){0}, ret);
}

/* Far from what counts as a sign (deceit_score), as words that are few repeat themselves less. */
static bool is_ordinary(const struct deceit_text *t)
{
	return t->words >= SAMPLE_WORDS_MIN && t->repeats * 4 < t->words &&
	       t->most * 14 < t->words && t->entropy > 0.8;
}

void deceit_text_look(slice text, struct deceit_text *ret)
{
	if (text.len > 3 * SAMPLE) {
		read_parts(slice_sub(text, 0, SAMPLE), slice_sub(text, text.len - SAMPLE, text.len),
			ret);
		if (is_ordinary(ret))
			return;
	}
	deceit_text_read(text, ret);
}

double deceit_text_compression(slice text)
{
	unsigned char out[COMPRESSED_MAX];
	uLongf size = sizeof out;

	if (text.len == 0 || text.len > COMPRESSED_MAX / 2 ||
		compress2(out, &size, (const unsigned char *)text.ptr, text.len, 6) != Z_OK)
		return 0;
	return (double)text.len / (double)size;
}

static bool has_any(slice text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(list[i]);

		for (size_t at = 0; text.len && at + len <= text.len; at++)
			if (word_lower(text.ptr[at]) == list[i][0] &&
				strncasecmp(text.ptr + at, list[i], len) == 0)
				return true;
	}
	return false;
}

/* Sentences of a page whose domain is for sale, and of a server that has no site. */
static bool deceit_text_is_parked(slice text, slice title)
{
	static const char *const SENTENCES[] = {"domain is for sale", "domain name is for sale",
		"domain may be for sale", "buy this domain", "domain is parked",
		"parked free, courtesy of", "this domain has expired", "inquire about this domain",
		"make an offer on this domain", "domain steht zum verkauf", "domain zu verkaufen",
		"diese domain kaufen", "domaine est \xc3\xa0 vendre", "acheter ce domaine",
		"dominio est\xc3\xa1 en venta", "dominio en venta", "dominio \xc3\xa8 in vendita",
		"deze domeinnaam is te koop", "domena jest na sprzeda"};
	size_t count = sizeof SENTENCES / sizeof SENTENCES[0];

	return has_any(text, SENTENCES, count) || has_any(title, SENTENCES, count);
}

static bool deceit_text_is_error(slice text, slice title)
{
	static const char *const TITLES[] = {"apache2 debian default page",
		"apache2 ubuntu default page", "welcome to nginx!", "iis windows server",
		"test page for the apache http server", "default web site page",
		"default plesk page", "account suspended", "website suspended", "site suspended"};
	static const char *const SENTENCES[] = {"this account has been suspended",
		"this website has been suspended", "there is no website configured at this address",
		"this is the default web page for this server"};

	return has_any(title, TITLES, sizeof TITLES / sizeof TITLES[0]) ||
	       has_any(text, SENTENCES, sizeof SENTENCES / sizeof SENTENCES[0]);
}

enum {
	WORDS_MIN = 60,      /* below, shares of words say nothing */
	SHORT_PAGE = 160,    /* words of a page that may be parked, or a redirect and no more */
	HIDDEN_MIN = 200,    /* bytes */
	FRAME_WORDS = 20,    /* of a page that only shows another in a frame */
	REFRESH_SECONDS = 5, /* a later refresh is for readers */
};

const char *deceit_redirect_name(enum deceit_redirect kind)
{
	static const char *const NAMES[] = {
		[DECEIT_NO_REDIRECT] = "",
		[DECEIT_META] = "meta",
		[DECEIT_SCRIPT] = "script",
		[DECEIT_FRAME] = "frame",
	};

	return NAMES[kind];
}

void deceit_init(struct deceit *d)
{
	*d = (struct deceit){0};
	buf_init(&d->text, DECEIT_TEXT_MAX);
	buf_init(&d->hidden, DECEIT_HIDDEN_MAX);
	buf_init(&d->script, DECEIT_SCRIPT_MAX);
	buf_init(&d->title, DECEIT_TITLE_MAX);
}

void deceit_release(struct deceit *d)
{
	buf_release(&d->text);
	buf_release(&d->hidden);
	buf_release(&d->script);
	buf_release(&d->title);
	*d = (struct deceit){0};
}

void deceit_start(struct deceit *d)
{
	struct deceit fresh = {
		.text = d->text, .hidden = d->hidden, .script = d->script, .title = d->title};

	*d = fresh;
	buf_reset(&d->text);
	buf_reset(&d->hidden);
	buf_reset(&d->script);
	buf_reset(&d->title);
}

/* ---- styles ---- */

/* The value of a property in a style attribute; empty when there is none. */
static slice property(slice style, slice name)
{
	while (style.len) {
		slice one = slice_take(&style, ';');
		slice key = word_trim(slice_take(&one, ':'));

		if (word_is(key, name))
			return word_trim(one);
	}
	return (slice){0};
}

static bool is_zero(slice value)
{
	return value.len && value.ptr[0] == '0' && (value.len < 2 || value.ptr[1] != '.');
}

/* Far outside of the page: -999px and more, or -100em. */
static bool is_far(slice value)
{
	return value.len >= 4 && value.ptr[0] == '-' && word_is_digit(value.ptr[1]) &&
	       word_is_digit(value.ptr[2]) && word_is_digit(value.ptr[3]);
}

static bool is_same_colour(slice a, slice b)
{
	return a.len && word_is(a, b);
}

/* Ways that have no other use than to show machines what people do not see. */
static bool hides_slyly(const struct deceit *d, const struct html_token *token, slice style)
{
	slice colour = property(style, SLICE("color"));
	slice ground = property(style, SLICE("background-color"));

	if (!ground.len)
		ground = property(style, SLICE("background"));
	if (token->tag == HTML_TAG_FONT)
		colour = html_attr_value(token, SLICE("color"));
	if (!ground.len)
		ground = slice_str(d->background);
	return is_zero(property(style, SLICE("font-size"))) ||
	       is_far(property(style, SLICE("text-indent"))) ||
	       is_far(property(style, SLICE("left"))) || is_far(property(style, SLICE("top"))) ||
	       is_zero(property(style, SLICE("opacity"))) || is_same_colour(colour, ground);
}

static bool hides(slice style)
{
	return word_is(property(style, SLICE("display")), SLICE("none")) ||
	       word_is(property(style, SLICE("visibility")), SLICE("hidden"));
}

static bool is_void(enum html_tag tag)
{
	return tag == HTML_TAG_INPUT || tag == HTML_TAG_IMG || tag == HTML_TAG_BR ||
	       tag == HTML_TAG_HR || tag == HTML_TAG_META || tag == HTML_TAG_LINK;
}

static void see_style(struct deceit *d, const struct html_token *token)
{
	slice style = html_attr_value(token, SLICE("style"));
	bool sly;

	if (d->hidden_tag) {
		d->hidden_depth += token->tag == d->hidden_tag && !token->self_closing;
		return;
	}
	if (!style.len && token->tag != HTML_TAG_FONT)
		return;
	sly = hides_slyly(d, token, style);
	if ((!sly && !hides(style)) || is_void(token->tag) || token->tag == HTML_TAG_OTHER)
		return;
	d->hidden_tag = token->tag;
	d->hidden_depth = 1;
	d->is_sly = sly;
}

/* ---- tags ---- */

static void set_target(struct deceit *d, enum deceit_redirect kind, slice target)
{
	if (d->redirect != DECEIT_NO_REDIRECT || target.len > DECEIT_TARGET_MAX || !target.len)
		return;
	d->redirect = kind;
	memcpy(d->target, target.ptr, target.len);
	d->target[target.len] = '\0';
}

static unsigned count_keywords(slice content)
{
	unsigned count = 0;

	while (content.len)
		count += word_trim(slice_take(&content, ',')).len > 0;
	return count;
}

static void see_meta(struct deceit *d, const struct html_token *token)
{
	slice content = html_attr_value(token, SLICE("content")), url;
	uint64_t seconds;

	if (word_is(html_attr_value(token, SLICE("name")), SLICE("keywords")))
		d->keywords += count_keywords(content);
	if (d->inside != HTML_TAG_NOSCRIPT &&
		word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("refresh")) &&
		refresh_parse(content, &seconds, &url) && seconds <= REFRESH_SECONDS)
		set_target(d, DECEIT_META, url);
}

static bool is_full(slice value)
{
	return slice_eq(word_trim(value), SLICE("100%"));
}

/* A frame that fills the page. */
static void see_frame(struct deceit *d, const struct html_token *token)
{
	slice style = html_attr_value(token, SLICE("style")), src;
	bool fills = token->tag == HTML_TAG_FRAME ||
		     (is_full(html_attr_value(token, SLICE("width"))) &&
			     is_full(html_attr_value(token, SLICE("height")))) ||
		     (is_full(property(style, SLICE("width"))) &&
			     is_full(property(style, SLICE("height"))));

	if (d->inside == HTML_TAG_NOSCRIPT)
		return;
	src = html_attr_value(token, SLICE("src"));
	d->frames++;
	d->full_frames += fills;
	if (fills && d->full_frames == 1 && src.len <= DECEIT_TARGET_MAX && src.len) {
		memcpy(d->frame, src.ptr, src.len);
		d->frame[src.len] = '\0';
	}
}

static void start_tag(struct deceit *d, const struct html_token *token)
{
	slice colour;

	switch (token->tag) {
	case HTML_TAG_SCRIPT:
	case HTML_TAG_STYLE:
	case HTML_TAG_TITLE:
	case HTML_TAG_NOSCRIPT:
	case HTML_TAG_TEMPLATE:
	case HTML_TAG_TEXTAREA:
	case HTML_TAG_SELECT:
		if (!d->inside && !token->self_closing)
			d->inside = token->tag;
		buf_reset(&d->script);
		return;
	case HTML_TAG_META:
		see_meta(d, token);
		return;
	case HTML_TAG_FRAME:
	case HTML_TAG_IFRAME:
		see_frame(d, token);
		return;
	case HTML_TAG_BODY:
		colour = html_attr_value(token, SLICE("bgcolor"));
		if (!colour.len)
			colour = property(
				html_attr_value(token, SLICE("style")), SLICE("background-color"));
		(void)snprintf(d->background, sizeof d->background, "%.*s",
			slice_shown(colour, sizeof d->background - 1), colour.ptr);
		return;
	default:
		if (token->attr_count || d->hidden_tag)
			see_style(d, token);
		return;
	}
}

static void end_tag(struct deceit *d, const struct html_token *token)
{
	char target[DECEIT_TARGET_MAX + 1];

	if (d->inside && token->tag == d->inside) {
		if (d->inside == HTML_TAG_SCRIPT && d->redirect == DECEIT_NO_REDIRECT &&
			deceit_script_target(buf_slice(&d->script), target, sizeof target))
			set_target(d, DECEIT_SCRIPT, slice_str(target));
		d->inside = HTML_TAG_OTHER;
	}
	if (d->hidden_tag && token->tag == d->hidden_tag && --d->hidden_depth == 0)
		d->hidden_tag = HTML_TAG_OTHER;
}

/* As much of it as there is room for, and a blank: tags part words. */
static void add_part(struct buf *out, slice text)
{
	size_t room = out->max - out->len;

	if (room)
		buf_add(out, slice_sub(text, 0, room));
	if (out->len < out->max)
		buf_add_char(out, ' ');
}

static void add_text(struct deceit *d, slice text)
{
	if (d->inside == HTML_TAG_SCRIPT && !d->redirect)
		buf_add(&d->script, slice_sub(text, 0, d->script.max - d->script.len));
	if (d->inside == HTML_TAG_TITLE)
		add_part(&d->title, text);
	if (d->inside)
		return;
	if (!d->hidden_tag) {
		d->text_bytes += text.len;
		add_part(&d->text, text);
		return;
	}
	d->hidden_bytes += text.len;
	d->has_sly = d->has_sly || (d->is_sly && word_trim(text).len > 0);
	add_part(&d->hidden, text);
}

void deceit_token(struct deceit *d, const struct html_token *token)
{
	if (token->kind == HTML_START_TAG)
		start_tag(d, token);
	else if (token->kind == HTML_END_TAG)
		end_tag(d, token);
	else if (token->kind == HTML_TEXT)
		add_text(d, token->text);
}

/* ---- judging ---- */

/* 0 up to low, 1 from high on. */
static double ramp(double value, double low, double high)
{
	return fmin(1, fmax(0, (value - low) / (high - low)));
}

/*
 * Signs that prove little alone add up; those that have no innocent cause count by themselves. The
 * bounds are such that no page of real documentation reaches 0.5 (docs/deceit.md).
 */
double deceit_score(const struct deceit_signs *s)
{
	double words = 0.5 * ramp(s->repetition, 0.6, 0.9) + 0.5 * ramp(s->stuffing, 0.12, 0.3) +
		       0.4 * ramp(s->compression, 5, 12) + 0.3 * ramp(1 - s->entropy, 0.35, 0.7);
	double around = 0.3 * ramp(s->title_words, 25, 60) + 0.3 * ramp(s->keywords, 40, 150);
	double score = words + around + s->hidden;

	score = fmax(score, 0.9 * s->parked);
	score = fmax(score, 0.7 * s->error);
	score = fmax(score, ramp(s->farm, 0.3, 0.9));
	return fmin(1, score);
}

/* Hidden text that people never see is bad; what a script may show later only if it is stuffed. */
static double judge_hidden(const struct deceit *d)
{
	double share = (double)d->hidden_bytes / (double)(d->hidden_bytes + d->text_bytes + 1);
	struct deceit_text text;

	if (d->hidden_bytes < HIDDEN_MIN)
		return 0;
	deceit_text_read(buf_slice(&d->hidden), &text);
	if (text.words < WORDS_MIN / 2)
		return 0;
	if (d->has_sly)
		return 0.7 * ramp(share, 0.05, 0.4);
	return 0.7 * ramp(share, 0.1, 0.5) * ramp((double)text.most / text.words, 0.06, 0.15);
}

static unsigned count_words(slice text)
{
	unsigned count = 0;
	slice word;

	while (word_next(&text, ' ', &word))
		count++;
	return count;
}

static void judge_words(
	const struct deceit *d, const struct deceit_text *text, struct deceit_signs *s)
{
	s->entropy = 1;
	if (text->words < WORDS_MIN)
		return;
	s->repetition = (double)text->repeats / (text->words - 2);
	s->stuffing = (double)text->most / text->words;
	s->entropy = text->entropy;
	if (s->repetition > 0.5 || s->stuffing > 0.1)
		s->compression = deceit_text_compression(buf_slice(&d->text));
}

void deceit_judge(const struct deceit *d, struct deceit_signs *ret)
{
	slice text = buf_slice(&d->text), title = buf_slice(&d->title);
	struct deceit_text read;

	*ret = (struct deceit_signs){.redirect = d->redirect, .keywords = d->keywords};
	memcpy(ret->target, d->target, sizeof ret->target);
	deceit_text_look(text, &read);
	judge_words(d, &read, ret);
	ret->hidden = judge_hidden(d);
	ret->title_words = title.len ? count_words(title) : 0;
	if (read.words < SHORT_PAGE) {
		ret->parked = deceit_text_is_parked(text, title);
		ret->error = deceit_text_is_error(text, title);
	}
	if (!ret->redirect && d->full_frames == 1 && d->frames == 1 && d->frame[0] &&
		read.words < FRAME_WORDS) {
		ret->redirect = DECEIT_FRAME;
		memcpy(ret->target, d->frame, sizeof ret->target);
	}
	ret->score = deceit_score(ret);
}

/* ---- as a line ---- */

/* Scores below are noise of ordinary pages. */
static const double SCORE_MIN = 0.1;

void deceit_write(const struct deceit_signs *s, char ret[DECEIT_LINE_SIZE])
{
	size_t len = 0;

	ret[0] = '\0';
#define ADD(name, value)         \
	if ((value) > 0)         \
	len += (size_t)snprintf( \
		ret + len, DECEIT_LINE_SIZE - len, "%s%s=%.4g", len ? " " : "", (name), (value))
#define X(name, member) ADD(name, s->member);
	if (s->score >= SCORE_MIN) {
		ADD("score", s->score);
		DECEIT_FEATURES(X)
	}
#undef X
#undef ADD
	if (s->redirect && !strpbrk(s->target, "\r\n"))
		(void)snprintf(ret + len, DECEIT_LINE_SIZE - len, "%sredirect=%s %s",
			len ? " " : "", deceit_redirect_name(s->redirect), s->target);
}

static bool read_redirect(slice kind, slice target, struct deceit_signs *ret)
{
	for (int i = DECEIT_META; i <= DECEIT_FRAME; i++)
		if (slice_eq(kind, slice_str(deceit_redirect_name((enum deceit_redirect)i))))
			ret->redirect = (enum deceit_redirect)i;
	if (!ret->redirect || target.len > DECEIT_TARGET_MAX)
		return false;
	memcpy(ret->target, target.ptr, target.len);
	ret->target[target.len] = '\0';
	return true;
}

static bool read_number(slice name, slice value, struct deceit_signs *ret)
{
	double number;

	if (parse_double(value, &number) || !(number >= 0 && number <= 1e9))
		return false;
	if (slice_eq(name, SLICE("score")))
		ret->score = fmin(1, number);
#define X(text, member)                      \
	if (slice_eq(name, slice_str(text))) \
		ret->member = number;
	DECEIT_FEATURES(X)
#undef X
	return true;
}

bool deceit_read(slice line, struct deceit_signs *ret)
{
	*ret = (struct deceit_signs){0};
	while (line.len) {
		slice value = slice_take(&line, ' ');
		slice name = slice_take(&value, '=');

		if (slice_eq(name, SLICE("redirect")))
			return read_redirect(value, line, ret);
		if (!read_number(name, value, ret))
			return false;
	}
	return true;
}
