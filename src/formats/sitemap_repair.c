#include "formats/sitemap_repair.h"

#include "base/err.h"
#include "base/word.h"

enum {
	STOPS_TEXT = 1,  /* a byte that must be looked at in text */
	STOPS_CDATA = 2, /* the same in a CDATA section */
	STOPS_TAG = 4,   /* the same in a start tag */
};

#define STOPS_ALL (STOPS_TEXT | STOPS_CDATA | STOPS_TAG)

/* Controls but tab, LF and CR, and what means something where it stands. */
__extension__ static const unsigned char STOPS[256] = {
	[0x00 ... 0x08] = STOPS_ALL,
	[0x0b ... 0x0c] = STOPS_ALL,
	[0x0e ... 0x1f] = STOPS_ALL,
	['&'] = STOPS_TEXT | STOPS_TAG,
	['<'] = STOPS_TEXT | STOPS_TAG,
	['>'] = STOPS_CDATA | STOPS_TAG,
	['"'] = STOPS_TAG,
	['\''] = STOPS_TAG,
};

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 && STOPS[(unsigned char)c];
}

static bool is_name_start(char c)
{
	return word_is_alpha(c) || c == '_' || (c & 0x80);
}

static bool is_name(char c)
{
	return is_name_start(c) || word_is_digit(c) || c == ':' || c == '-' || c == '.';
}

static void emit(struct sitemap_repair *r, slice s, struct buf *out)
{
	if (r->rc == 0)
		r->rc = buf_add(out, s);
	r->begun = true;
}

static void emit_mended(struct sitemap_repair *r, slice s, struct buf *out)
{
	r->mended++;
	emit(r, s, out);
}

/* Text counts inside the root only: outside it would be an error. */
static void emit_text(struct sitemap_repair *r, slice s, struct buf *out)
{
	if (r->depth > 0 && s.len > 0)
		emit(r, s, out);
}

static void hold(struct sitemap_repair *r, char c)
{
	r->held[r->held_len++] = c;
}

static slice held(const struct sitemap_repair *r)
{
	return (slice){r->held, r->held_len};
}

static void enter(struct sitemap_repair *r, enum repair_state state)
{
	r->state = state;
	r->held_len = 0;
	r->last = r->last_but_one = '\0';
}

static bool same_name(const struct repair_name *a, const struct repair_name *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* False when the name is too long to be kept. */
static bool grow_name(struct repair_name *name, char c)
{
	if (name->len == SITEMAP_NAME_MAX)
		return false;
	name->text[name->len++] = c;
	return true;
}

static bool is_root_name(const struct repair_name *name)
{
	static const char *const roots[] = {"urlset", "sitemapindex", "rss", "feed", "RDF"};
	slice local = {name->text, name->len}, prefix = slice_take(&local, ':');

	if (prefix.len == name->len)
		local = prefix;
	for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
		if (word_is(local, slice_str(roots[i])))
			return true;
	return false;
}

static void close_top(struct sitemap_repair *r, struct buf *out)
{
	const struct repair_name *top = &r->open[--r->depth];

	emit(r, SLICE("</"), out);
	emit(r, (slice){top->text, top->len}, out);
	emit(r, SLICE(">"), out);
}

/* Invariant (4). */
static void end_element(struct sitemap_repair *r, struct buf *out)
{
	size_t at = r->depth;

	while (at > 0 && !same_name(&r->open[at - 1], &r->name))
		at--;
	if (at == 0) {
		r->mended += r->depth > 0;
		return;
	}
	r->mended += at < r->depth;
	while (r->depth > at)
		close_top(r, out);
	if (at == 1)
		r->root_closed = true;
	else
		close_top(r, out);
}

/* Handlers return whether they took the byte; else the next state gets it. */
static bool in_text(struct sitemap_repair *r, char c, struct buf *out)
{
	if (c == '<') {
		enter(r, REPAIR_MARKUP);
	} else if (c == '&' && r->depth > 0) {
		enter(r, REPAIR_REFERENCE);
		r->outer = REPAIR_TEXT;
	} else {
		emit_text(r, is_control(c) ? SLICE(" ") : (slice){&c, 1}, out);
		r->mended += is_control(c);
	}
	return true;
}

static bool is_reference(slice name)
{
	static const slice predefined[] = {SLICE_INIT("amp"), SLICE_INIT("lt"), SLICE_INIT("gt"),
		SLICE_INIT("quot"), SLICE_INIT("apos")};
	bool hex = name.len > 2 && (name.ptr[1] == 'x');

	for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++)
		if (slice_eq(name, predefined[i]))
			return true;
	if (name.len < 2 || name.ptr[0] != '#')
		return false;
	for (size_t i = hex ? 2 : 1; i < name.len; i++)
		if (hex ? word_hex(name.ptr[i]) < 0 : !word_is_digit(name.ptr[i]))
			return false;
	return true;
}

static void end_reference(struct sitemap_repair *r, bool sound, struct buf *out)
{
	if (sound)
		emit(r, SLICE("&"), out);
	else
		emit_mended(r, SLICE("&amp;"), out);
	emit(r, held(r), out);
	r->held_len = 0;
	r->state = r->outer;
}

static bool in_reference(struct sitemap_repair *r, char c, struct buf *out)
{
	bool letter = word_is_alnum(c) || (c == '#' && r->held_len == 0);

	if (letter && r->held_len < SITEMAP_HELD_MAX) {
		hold(r, c);
		return true;
	}
	end_reference(r, c == ';' && is_reference(held(r)), out);
	return false;
}

/* Behind "<": the bytes held are the beginning of one of these, or it is none of them. */
static bool in_markup(struct sitemap_repair *r, char c, struct buf *out)
{
	static const struct {
		slice opening;
		enum repair_state state;
	} kinds[] = {
		{SLICE_INIT("!--"), REPAIR_COMMENT},
		{SLICE_INIT("![CDATA["), REPAIR_CDATA},
		{SLICE_INIT("?"), REPAIR_INSTRUCTION},
		{SLICE_INIT("/"), REPAIR_END_TAG},
	};

	if (r->held_len == 0 && is_name_start(c)) {
		r->state = REPAIR_START_NAME;
		r->name.len = 0;
		return false;
	}
	hold(r, c);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (slice_eq(held(r), kinds[i].opening)) {
			enter(r, kinds[i].state);
			r->name.len = 0;
			if (r->state == REPAIR_CDATA)
				emit_text(r, SLICE("<![CDATA["), out);
			return true;
		}
		if (slice_eq(held(r), slice_sub(kinds[i].opening, 0, r->held_len)))
			return true;
	}
	r->held_len--;
	if (r->held_len > 0) {
		enter(r, REPAIR_DECLARATION);
		r->subset = false;
		return false;
	}
	r->state = REPAIR_TEXT;
	if (r->depth > 0)
		emit_mended(r, SLICE("&lt;"), out);
	return false;
}

/* Whether the element is let through, invariants (1) and (5). */
static bool starts_element(const struct sitemap_repair *r)
{
	return r->depth == 0 ? is_root_name(&r->name) : r->depth < SITEMAP_DEPTH_MAX;
}

static bool in_start_name(struct sitemap_repair *r, char c, struct buf *out)
{
	if (is_name(c)) {
		if (!grow_name(&r->name, c))
			enter(r, REPAIR_DROPPED_TAG);
		return true;
	}
	enter(r, starts_element(r) ? REPAIR_TAG : REPAIR_DROPPED_TAG);
	r->quote = '\0';
	if (r->state == REPAIR_TAG) {
		emit(r, SLICE("<"), out);
		emit(r, (slice){r->name.text, r->name.len}, out);
	} else {
		r->mended += r->depth > 0;
	}
	return false;
}

static void end_tag(struct sitemap_repair *r, struct buf *out)
{
	bool empty = r->last == '/';

	emit(r, SLICE(">"), out);
	if (!empty)
		r->open[r->depth++] = r->name;
	enter(r, REPAIR_TEXT);
}

static bool in_tag(struct sitemap_repair *r, char c, struct buf *out)
{
	char last = c;

	if (c == '&') {
		r->state = REPAIR_REFERENCE;
		r->outer = REPAIR_TAG;
		r->held_len = 0;
		return true;
	}
	if (c == '<' && !r->quote) {
		r->mended++;
		end_tag(r, out);
		return false;
	}
	if (c == '>' && !r->quote) {
		end_tag(r, out);
		return true;
	}
	if (r->quote == c) {
		r->quote = '\0';
		last = '\0';
	} else if (!r->quote && (c == '"' || c == '\'')) {
		r->quote = c;
	}
	if (r->quote)
		last = '\0';
	r->last = last;
	if (c == '<')
		emit_mended(r, SLICE("&lt;"), out);
	else
		emit(r, is_control(c) ? SLICE(" ") : (slice){&c, 1}, out);
	return true;
}

static bool in_end_tag(struct sitemap_repair *r, char c, struct buf *out)
{
	if (c == '>') {
		end_element(r, out);
		enter(r, REPAIR_TEXT);
	} else if (c == '<') {
		end_element(r, out);
		enter(r, REPAIR_TEXT);
		return false;
	} else if (is_name(c)) {
		(void)grow_name(&r->name, c);
	}
	return true;
}

/* Whether c and the two bytes before it are these. */
static bool ends(struct sitemap_repair *r, char c, const char last_three[4])
{
	bool end = c == last_three[2] && r->last == last_three[1] &&
		   (last_three[0] == '\0' || r->last_but_one == last_three[0]);

	r->last_but_one = r->last;
	r->last = c;
	return end;
}

static bool in_cdata(struct sitemap_repair *r, char c, struct buf *out)
{
	bool end = ends(r, c, "]]>");

	emit_text(r, is_control(c) ? SLICE(" ") : (slice){&c, 1}, out);
	if (end)
		enter(r, REPAIR_TEXT);
	return true;
}

/* An XML declaration passes, if it comes first. */
static bool in_instruction(struct sitemap_repair *r, char c, struct buf *out)
{
	static const slice xml = SLICE_INIT("xml ");
	bool end = ends(r, c, (const char[4]){'\0', '?', '>'});

	if (r->held_len < xml.len)
		hold(r, (char)(c == '\t' || c == '\n' || c == '\r' ? ' ' : c));
	if (end) {
		enter(r, REPAIR_TEXT);
	} else if (!r->begun && slice_eq(held(r), xml)) {
		emit(r, SLICE("<?xml "), out);
		enter(r, REPAIR_XML_DECLARATION);
	}
	return true;
}

static bool in_xml_declaration(struct sitemap_repair *r, char c, struct buf *out)
{
	bool end = ends(r, c, (const char[4]){'\0', '?', '>'});

	emit(r, is_control(c) ? SLICE(" ") : (slice){&c, 1}, out);
	if (end)
		enter(r, REPAIR_TEXT);
	return true;
}

/* Ends at ">", or with brackets at "]" and ">" with nothing but blanks between them. */
static bool in_declaration(struct sitemap_repair *r, char c)
{
	if (c == '[')
		r->subset = true;
	if (c == '>' && (!r->subset || r->last == ']'))
		enter(r, REPAIR_TEXT);
	else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
		r->last = c;
	return true;
}

static bool step(struct sitemap_repair *r, char c, struct buf *out)
{
	switch (r->state) {
	case REPAIR_TEXT:
		return in_text(r, c, out);
	case REPAIR_REFERENCE:
		return in_reference(r, c, out);
	case REPAIR_MARKUP:
		return in_markup(r, c, out);
	case REPAIR_START_NAME:
		return in_start_name(r, c, out);
	case REPAIR_TAG:
		return in_tag(r, c, out);
	case REPAIR_DROPPED_TAG:
		if (c == '>')
			enter(r, REPAIR_TEXT);
		return true;
	case REPAIR_END_TAG:
		return in_end_tag(r, c, out);
	case REPAIR_CDATA:
		return in_cdata(r, c, out);
	case REPAIR_COMMENT:
		if (ends(r, c, "-->"))
			enter(r, REPAIR_TEXT);
		return true;
	case REPAIR_INSTRUCTION:
		return in_instruction(r, c, out);
	case REPAIR_XML_DECLARATION:
		return in_xml_declaration(r, c, out);
	case REPAIR_DECLARATION:
		return in_declaration(r, c);
	}
	return true;
}

static unsigned char stops_of(const struct sitemap_repair *r)
{
	switch (r->state) {
	case REPAIR_TEXT:
		return STOPS_TEXT;
	case REPAIR_CDATA:
		return STOPS_CDATA;
	case REPAIR_TAG:
		return STOPS_TAG;
	default:
		return 0;
	}
}

/*
 * Passes on what needs no look and returns where it ends. Outside of text the last two bytes are
 * left to step, which remembers them.
 */
static size_t pass_run(struct sitemap_repair *r, slice in, size_t at, struct buf *out)
{
	unsigned char stops = stops_of(r);
	size_t keep = r->state == REPAIR_TEXT ? 0 : 2;
	size_t end = at;

	while (stops && end < in.len && !(STOPS[(unsigned char)in.ptr[end]] & stops))
		end++;
	if (end - at <= keep)
		return at;
	end -= keep;
	if (r->state == REPAIR_TAG)
		emit(r, slice_sub(in, at, end), out);
	else
		emit_text(r, slice_sub(in, at, end), out);
	return end;
}

void sitemap_repair_init(struct sitemap_repair *r)
{
	*r = (struct sitemap_repair){.state = REPAIR_TEXT};
}

int sitemap_repair_feed(struct sitemap_repair *r, slice in, struct buf *out)
{
	for (size_t at = pass_run(r, in, 0, out); at < in.len && r->rc == 0;) {
		while (!step(r, in.ptr[at], out))
			;
		at = pass_run(r, in, at + 1, out);
	}
	return r->rc;
}

int sitemap_repair_end(struct sitemap_repair *r, struct buf *out)
{
	if (r->state == REPAIR_REFERENCE)
		end_reference(r, false, out);
	if (r->root_closed)
		while (r->depth > 0)
			close_top(r, out);
	return r->rc;
}
