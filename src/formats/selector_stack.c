/*
 * Which elements tags open and close: the tree construction of HTML (13.2.6) as far as the stack
 * of open elements decides what lies in what. Left out: the adoption agency (an end tag of a
 * formatting element ends what was opened in it), foster parents (what stands in a table outside
 * its cells stays there) and what select and frameset drop.
 */
#include "base/hash.h"
#include "formats/selector.h"

static const struct hash_key NO_KEY;

/* What an element is to the rules below. */
enum {
	IS_VOID = 1,
	ENDS_P = 2,     /* its start tag ends an open p */
	IS_SCOPE = 4,   /* tags in it end nothing outside */
	IS_SPECIAL = 8, /* li, dt and dd in it end nothing outside */
	IS_HEAD = 16,   /* part of the head when it comes first */
	IS_CELL = 32,
	IS_ROW = 64,
	IS_ROWS = 128, /* tbody, thead, tfoot, caption */
};

static const unsigned char ROLES[HTML_TAG_COUNT] = {
	[HTML_TAG_ADDRESS] = ENDS_P,
	[HTML_TAG_ANNOTATION_XML] = IS_SCOPE,
	[HTML_TAG_APPLET] = IS_SCOPE | IS_SPECIAL,
	[HTML_TAG_AREA] = IS_VOID,
	[HTML_TAG_ARTICLE] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_ASIDE] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_BASE] = IS_VOID | IS_HEAD,
	[HTML_TAG_BLOCKQUOTE] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_BR] = IS_VOID,
	[HTML_TAG_BUTTON] = IS_SPECIAL,
	[HTML_TAG_CAPTION] = IS_SCOPE | IS_SPECIAL | IS_ROWS,
	[HTML_TAG_CENTER] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_DD] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_DESC] = IS_SCOPE,
	[HTML_TAG_DETAILS] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_DIALOG] = ENDS_P,
	[HTML_TAG_DIV] = ENDS_P,
	[HTML_TAG_DL] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_DT] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_EMBED] = IS_VOID,
	[HTML_TAG_FIELDSET] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_FIGCAPTION] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_FIGURE] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_FOOTER] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_FOREIGNOBJECT] = IS_SCOPE,
	[HTML_TAG_FORM] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_FRAME] = IS_VOID,
	[HTML_TAG_H1] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_H2] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_H3] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_H4] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_H5] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_H6] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_HEADER] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_HR] = IS_VOID | ENDS_P,
	[HTML_TAG_HTML] = IS_SCOPE,
	[HTML_TAG_IMG] = IS_VOID,
	[HTML_TAG_INPUT] = IS_VOID,
	[HTML_TAG_LI] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_LINK] = IS_VOID | IS_HEAD,
	[HTML_TAG_LISTING] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_MAIN] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_MENU] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_META] = IS_VOID | IS_HEAD,
	[HTML_TAG_NAV] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_NOFRAMES] = IS_HEAD,
	[HTML_TAG_NOSCRIPT] = IS_HEAD,
	[HTML_TAG_OBJECT] = IS_SCOPE | IS_SPECIAL,
	[HTML_TAG_OL] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_P] = ENDS_P,
	[HTML_TAG_PARAM] = IS_VOID,
	[HTML_TAG_PLAINTEXT] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_PRE] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_SCRIPT] = IS_HEAD,
	[HTML_TAG_SEARCH] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_SECTION] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_SOURCE] = IS_VOID,
	[HTML_TAG_STYLE] = IS_HEAD,
	[HTML_TAG_SUMMARY] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_TABLE] = ENDS_P | IS_SCOPE | IS_SPECIAL,
	[HTML_TAG_TBODY] = IS_SPECIAL | IS_ROWS,
	[HTML_TAG_TD] = IS_SCOPE | IS_SPECIAL | IS_CELL,
	[HTML_TAG_TEMPLATE] = IS_SCOPE | IS_SPECIAL | IS_HEAD,
	[HTML_TAG_TFOOT] = IS_SPECIAL | IS_ROWS,
	[HTML_TAG_TH] = IS_SCOPE | IS_SPECIAL | IS_CELL,
	[HTML_TAG_THEAD] = IS_SPECIAL | IS_ROWS,
	[HTML_TAG_TITLE] = IS_HEAD,
	[HTML_TAG_TR] = IS_SPECIAL | IS_ROW,
	[HTML_TAG_TRACK] = IS_VOID,
	[HTML_TAG_UL] = ENDS_P | IS_SPECIAL,
	[HTML_TAG_XMP] = ENDS_P | IS_SPECIAL,
};

static bool is_xml(const struct selector_stack *m)
{
	return m->flags & HTML_XML;
}

static bool is_void(const struct selector_stack *m, const struct html_token *start)
{
	if (is_xml(m) || start->foreign)
		return start->self_closing;
	if (start->tag != HTML_TAG_OTHER)
		return ROLES[start->tag] & IS_VOID;
	return slice_eq(start->name, SLICE("wbr")) || slice_eq(start->name, SLICE("col")) ||
	       slice_eq(start->name, SLICE("bgsound")) ||
	       slice_eq(start->name, SLICE("basefont")) || slice_eq(start->name, SLICE("keygen"));
}

static enum html_tag innermost(const struct selector_stack *m)
{
	return m->levels.len ? m->levels.ptr[m->levels.len - 1].tag : HTML_TAG_OTHER;
}

static void close_to(struct selector_stack *m, size_t depth)
{
	m->beyond = 0;
	while (m->levels.len > depth)
		selector_stack_close(m);
}

static size_t reach_end(const struct selector_stack *m)
{
	return m->levels.len > SELECTOR_REACH ? m->levels.len - SELECTOR_REACH : 0;
}

/* An open p (or a, or button), when nothing between keeps it open, ends with all in it. */
static void end_open(struct selector_stack *m, enum html_tag ended)
{
	if (m->open[ended] == 0)
		return;
	for (size_t i = m->levels.len; i > reach_end(m); i--) {
		enum html_tag tag = m->levels.ptr[i - 1].tag;

		if (tag == ended) {
			close_to(m, i - 1);
			return;
		}
		if ((ROLES[tag] & IS_SCOPE) || (tag == HTML_TAG_BUTTON && ended == HTML_TAG_P))
			return;
	}
}

static bool is_heading(enum html_tag tag)
{
	return tag >= HTML_TAG_H1 && tag <= HTML_TAG_H6;
}

/* An open element of one of two kinds ends when another begins: li, dt and dd. */
static void end_item(struct selector_stack *m, enum html_tag one, enum html_tag other)
{
	for (size_t i = m->levels.len; i > reach_end(m); i--) {
		enum html_tag tag = m->levels.ptr[i - 1].tag;

		if (tag == one || tag == other) {
			close_to(m, i - 1);
			return;
		}
		if (ROLES[tag] & (IS_SPECIAL | IS_SCOPE))
			return;
	}
}

/* Whether a part of a table, of these roles, may stand in the element. */
static bool holds_part(enum html_tag tag, unsigned roles)
{
	if (tag == HTML_TAG_TABLE || tag == HTML_TAG_TEMPLATE)
		return true;
	if (tag == HTML_TAG_CAPTION)
		return false;
	return ((roles & IS_CELL) && (ROLES[tag] & (IS_ROW | IS_ROWS))) ||
	       ((roles & IS_ROW) && (ROLES[tag] & IS_ROWS));
}

/* A part of a table ends all that is open in the innermost element that may hold it. */
static void end_table_parts(struct selector_stack *m, unsigned roles)
{
	for (size_t i = m->levels.len; i > reach_end(m); i--) {
		if (!holds_part(m->levels.ptr[i - 1].tag, roles))
			continue;
		close_to(m, i);
		return;
	}
}

static void end_implied(struct selector_stack *m, enum html_tag tag)
{
	unsigned roles = ROLES[tag];

	if (tag == HTML_TAG_LI)
		end_item(m, HTML_TAG_LI, HTML_TAG_LI);
	else if (tag == HTML_TAG_DT || tag == HTML_TAG_DD)
		end_item(m, HTML_TAG_DT, HTML_TAG_DD);
	else if (roles & (IS_CELL | IS_ROW | IS_ROWS))
		end_table_parts(m, roles);
	if ((tag == HTML_TAG_OPTION || tag == HTML_TAG_OPTGROUP) && innermost(m) == HTML_TAG_OPTION)
		selector_stack_close(m);
	if (tag == HTML_TAG_OPTGROUP && innermost(m) == HTML_TAG_OPTGROUP)
		selector_stack_close(m);
	if (roles & ENDS_P)
		end_open(m, HTML_TAG_P);
	if (tag == HTML_TAG_A || tag == HTML_TAG_BUTTON)
		end_open(m, tag);
	if (is_heading(tag) && is_heading(innermost(m)))
		selector_stack_close(m);
}

static void open_implied(struct selector_stack *m, enum html_tag tag)
{
	struct html_token token = {.kind = HTML_START_TAG, .tag = tag, .name = html_tag_name(tag)};

	m->has_body = m->has_body || tag == HTML_TAG_BODY || tag == HTML_TAG_FRAMESET;
	selector_stack_open(m, &token);
}

/* Opens html, head and body where their tags were left out, and ends the head. */
static void open_frame(struct selector_stack *m, enum html_tag tag)
{
	bool is_root = tag == HTML_TAG_HEAD || tag == HTML_TAG_BODY || tag == HTML_TAG_FRAMESET;

	if (m->levels.len == 0)
		open_implied(m, HTML_TAG_HTML);
	if (innermost(m) == HTML_TAG_HEAD && !(ROLES[tag] & IS_HEAD))
		selector_stack_close(m);
	if (m->levels.len == 1 && !is_root && !m->has_body)
		open_implied(m, ROLES[tag] & IS_HEAD ? HTML_TAG_HEAD : HTML_TAG_BODY);
}

/* Tags of SVG and MathML end where one of HTML begins, but for the elements made to hold these. */
static void end_foreign(struct selector_stack *m)
{
	while (m->levels.len) {
		const struct selector_level *level = &m->levels.ptr[m->levels.len - 1];

		switch (level->tag) {
		case HTML_TAG_ANNOTATION_XML:
		case HTML_TAG_DESC:
		case HTML_TAG_FOREIGNOBJECT:
		case HTML_TAG_MI:
		case HTML_TAG_MN:
		case HTML_TAG_MO:
		case HTML_TAG_MS:
		case HTML_TAG_MTEXT:
		case HTML_TAG_TITLE:
			return;
		default:
			break;
		}
		if (!level->foreign)
			return;
		selector_stack_close(m);
	}
}

/* Tags that are passed over: a second html, head or body, parts of a table without one. */
static bool is_dropped(const struct selector_stack *m, enum html_tag tag)
{
	if (ROLES[tag] & (IS_CELL | IS_ROW | IS_ROWS))
		return m->open[HTML_TAG_TABLE] == 0 && m->open[HTML_TAG_TEMPLATE] == 0;
	if (tag == HTML_TAG_BODY || tag == HTML_TAG_FRAMESET)
		return m->has_body;
	if (tag == HTML_TAG_HEAD)
		return m->has_body || m->levels.len > 1;
	return tag == HTML_TAG_HTML && m->levels.len > 0;
}

static void start_tag(struct selector_stack *m, const struct html_token *token)
{
	if (!is_xml(m)) {
		if (!token->foreign && is_dropped(m, token->tag))
			return;
		if (token->tag != HTML_TAG_HTML)
			open_frame(m, token->tag);
		if (!token->foreign) {
			end_foreign(m);
			end_implied(m, token->tag);
		}
	}
	selector_stack_open(m, token);
	m->pending_close = is_void(m, token);
	m->has_body = m->has_body || token->tag == HTML_TAG_BODY || token->tag == HTML_TAG_FRAMESET;
}

/* Whether an end tag of this name reaches over the element. */
static bool stops(const struct selector_stack *m, enum html_tag open, enum html_tag end)
{
	if (is_xml(m))
		return false;
	if (end == HTML_TAG_TABLE || (ROLES[end] & (IS_CELL | IS_ROW | IS_ROWS)))
		return open == HTML_TAG_TABLE || open == HTML_TAG_TEMPLATE;
	return ROLES[open] & IS_SCOPE;
}

static void end_tag(struct selector_stack *m, const struct html_token *token)
{
	uint64_t name = hash_bytes(NO_KEY, token->name);

	/* What comes behind them is still in the body. */
	if (!is_xml(m) && (token->tag == HTML_TAG_HTML || token->tag == HTML_TAG_BODY))
		return;
	if (m->beyond) {
		m->beyond--;
		return;
	}
	if (m->open[token->tag] == 0)
		return;
	for (size_t i = m->levels.len; i > reach_end(m); i--) {
		const struct selector_level *level = &m->levels.ptr[i - 1];

		if (level->tag == token->tag && level->name == name) {
			close_to(m, i - 1);
			return;
		}
		if (stops(m, level->tag, token->tag))
			return;
	}
}

void selector_stack_token(struct selector_stack *m, const struct html_token *token)
{
	if (m->pending_close) {
		m->pending_close = false;
		selector_stack_close(m);
	}
	if (token->kind == HTML_START_TAG)
		start_tag(m, token);
	else if (token->kind == HTML_END_TAG)
		end_tag(m, token);
}
