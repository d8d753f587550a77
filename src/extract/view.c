#include "extract/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/word.h"
#include "extract/html_attr.h"
#include "extract/noise_email.h"
#include "extract/noise_line.h"
#include "extract/view_build.h"
#include "extract/view_tree.h"

enum { STAGE_SIZE = 4096 }; /* bytes gathered for the digester */

static const char *const KIND_NAMES[VIEW_KIND_COUNT] = {
#define X(id, name) [VIEW_##id] = name,
	VIEW_KINDS(X)
#undef X
};

const char *view_kind_name(enum view_kind kind)
{
	return KIND_NAMES[kind];
}

void view_init(struct view *v, noise_set rules)
{
	*v = (struct view){.noise.set = rules};
	buf_init(&v->text, VIEW_TEXT_MAX);
	buf_init(&v->names, VIEW_TEXT_MAX);
	buf_init(&v->run, VIEW_TEXT_MAX);
	buf_init(&v->raw_text, VIEW_RAW_MAX);
	buf_init(&v->scratch, VIEW_RAW_MAX);
	buf_init(&v->draft, VIEW_RAW_MAX);
	v->ignoring = IGNORE_NONE;
}

void view_release(struct view *v)
{
	view_item_vec_release(&v->items);
	view_node_vec_release(&v->nodes);
	view_ignored_vec_release(&v->ignored);
	if (v->ignore.rules)
		ignore_page_release(&v->ignore);
	buf_release(&v->text);
	buf_release(&v->names);
	buf_release(&v->run);
	buf_release(&v->raw_text);
	buf_release(&v->scratch);
	buf_release(&v->draft);
}

void view_reset(struct view *v, noise_set rules)
{
	struct view old = *v;

	*v = (struct view){.noise.set = rules,
		.items = old.items,
		.nodes = old.nodes,
		.text = old.text,
		.names = old.names,
		.run = old.run,
		.raw_text = old.raw_text,
		.scratch = old.scratch,
		.draft = old.draft,
		.ignore = old.ignore,
		.ignored = old.ignored,
		.ignoring = IGNORE_NONE};
	v->items.len = v->nodes.len = v->ignored.len = 0;
	buf_reset(&v->text);
	buf_reset(&v->names);
	buf_reset(&v->run);
	buf_reset(&v->raw_text);
}

int view_limited(struct view *v, int rc)
{
	if (rc != ERR_LIMIT)
		return rc;
	v->cut = true;
	return 0;
}

static int add_at(struct view *v, enum view_kind kind, uint32_t node, const char *attr, slice text)
{
	struct view_item item = {.kind = kind,
		.seq = (uint32_t)v->items.len,
		.node = node,
		.attr = attr,
		.from = v->text.len,
		.len = text.len};
	int rc;

	if (text.len == 0)
		return 0;
	if (v->items.len >= VIEW_ITEMS_MAX) {
		v->cut = true;
		return 0;
	}
	rc = buf_add(&v->text, text);
	return rc ? view_limited(v, rc) : view_item_vec_push(&v->items, item);
}

int view_add(struct view *v, enum view_kind kind, const char *attr, slice text)
{
	return add_at(v, kind, v->open, attr, text);
}

int view_add_pair(struct view *v, enum view_kind kind, const char *attr, slice name, slice value)
{
	int rc;

	buf_reset(&v->draft);
	rc = buf_add(&v->draft, name);
	if (rc == 0)
		rc = buf_add_char(&v->draft, '=');
	if (rc == 0)
		rc = buf_add(&v->draft, value);
	return rc ? view_limited(v, rc) : view_add(v, kind, attr, buf_slice(&v->draft));
}

void view_mark_learnable(struct view *v, size_t first)
{
	for (size_t i = first; i < v->items.len; i++)
		v->items.ptr[i].learnable = true;
}

int view_add_url(
	struct view *v, enum view_kind kind, const char *attr, enum noise_url_use use, slice ref)
{
	int rc;

	buf_reset(&v->draft);
	rc = noise_url(&v->noise, use, ref, &v->draft);
	if (rc || v->draft.len == 0)
		return view_limited(v, rc);
	return view_add(v, kind, attr, buf_slice(&v->draft));
}

/* Bytes that do not continue a character of UTF-8, eight at a time. */
size_t view_characters(slice text)
{
	const uint64_t ones = 0x0101010101010101U;
	size_t count = text.len, i = 0;

	for (; i + 8 <= text.len; i += 8) {
		uint64_t eight;

		memcpy(&eight, text.ptr + i, sizeof eight);
		eight = eight >> 7 & ~(eight >> 6) & ones;
		count -= (size_t)(eight * ones >> 56);
	}
	for (; i < text.len; i++)
		count -= (text.ptr[i] & 0xc0) == 0x80;
	return count;
}

/* A line of which nothing is ignored keeps the blanks around it. */
static int ignore_in_run(struct view *v, slice *text)
{
	slice line = word_trim(*text), left = line;
	int rc = view_ignore_line(v, &left);

	if (left.ptr != line.ptr || left.len != line.len)
		*text = left;
	return rc;
}

int view_end_run(struct view *v)
{
	slice text = buf_slice(&v->run), line = word_trim(text);
	enum view_kind kind = v->raw == HTML_TAG_TITLE ? VIEW_TITLE : VIEW_TEXT;
	size_t count;
	int rc;

	if (text.len == 0)
		return 0;
	count = view_characters(line);
	v->visible += count;
	if (noise_is_generated_line(line) &&
		noise_applies(&v->noise, NOISE_GENERATED_LINES, line)) {
		v->noise.tally.masked += count;
		rc = 0;
	} else {
		rc = v->ignores ? ignore_in_run(v, &text) : 0;
		if (rc == 0)
			rc = add_at(v, kind, v->run_node, NULL, text);
	}
	buf_reset(&v->run);
	return rc;
}

static int view_end_line(struct view *v)
{
	int rc = view_end_run(v);

	v->space = v->line_has_text = false;
	return rc;
}

/* Length of the white space here: ASCII's, or a no-break space in UTF-8. */
static size_t space_at(slice text, size_t at)
{
	if (word_is_space(text.ptr[at]))
		return 1;
	if (text.ptr[at] == '\xc2' && at + 1 < text.len && text.ptr[at + 1] == '\xa0')
		return 2;
	return 0;
}

/* The end of the words from here on that stand a single blank apart: copied as they are. */
static size_t end_of_words(slice text, size_t at)
{
	static const bool MAY_END[256] = {[' '] = true,
		['\t'] = true,
		['\n'] = true,
		['\f'] = true,
		['\r'] = true,
		[0xc2] = true};

	for (; at < text.len; at++) {
		if (!MAY_END[(unsigned char)text.ptr[at]])
			continue;
		if (text.ptr[at] == ' ' && at + 1 < text.len &&
			!MAY_END[(unsigned char)text.ptr[at + 1]]) {
			at++;
			continue;
		}
		if (space_at(text, at) == 0)
			continue;
		if (text.ptr[at] != ' ' || at + 1 == text.len || space_at(text, at + 1))
			break;
	}
	return at;
}

static int add_word(struct view *v, slice word)
{
	int rc = 0;

	if (v->run.len == 0)
		v->run_node = v->open;
	if (v->space && v->line_has_text)
		rc = buf_add_char(&v->run, ' ');
	v->space = false;
	v->line_has_text = true;
	return rc ? rc : buf_add(&v->run, word);
}

/* Adds visible text to the run. */
static int view_add_text(struct view *v, slice text)
{
	static const bool SPACES[256] = {
		[' '] = true, ['\t'] = true, ['\n'] = true, ['\f'] = true, ['\r'] = true};
	size_t at = 0;
	int rc = 0;

	if (!noise_set_has(v->noise.set, NOISE_WHITESPACE))
		return view_limited(v, add_word(v, text));
	while (at < text.len && rc == 0) {
		size_t from = at, n;

		while (at < text.len && SPACES[(unsigned char)text.ptr[at]])
			at++;
		while (at < text.len && (n = space_at(text, at)) > 0)
			at += n;
		if (at > from) {
			slice blanks = slice_sub(text, from, at);

			if (blanks.len > 1 || blanks.ptr[0] != ' ')
				(void)noise_applies_number(&v->noise, NOISE_WHITESPACE, blanks.len);
			v->space = true;
		}
		from = at;
		at = end_of_words(text, at);
		if (at > from)
			rc = add_word(v, slice_sub(text, from, at));
	}
	return view_limited(v, rc);
}

/* Elements inside a line: all others start a new one, or at least a new item. */
static bool is_inline(enum html_tag tag)
{
	switch (tag) {
	case HTML_TAG_A:
	case HTML_TAG_B:
	case HTML_TAG_BIG:
	case HTML_TAG_CODE:
	case HTML_TAG_DEL:
	case HTML_TAG_EM:
	case HTML_TAG_FONT:
	case HTML_TAG_I:
	case HTML_TAG_INS:
	case HTML_TAG_NOBR:
	case HTML_TAG_OTHER:
	case HTML_TAG_Q:
	case HTML_TAG_RUBY:
	case HTML_TAG_S:
	case HTML_TAG_SCRIPT:
	case HTML_TAG_SMALL:
	case HTML_TAG_SPAN:
	case HTML_TAG_STRIKE:
	case HTML_TAG_STRONG:
	case HTML_TAG_STYLE:
	case HTML_TAG_SUB:
	case HTML_TAG_SUP:
	case HTML_TAG_TT:
	case HTML_TAG_U:
	case HTML_TAG_VAR:
		return true;
	default:
		return false;
	}
}

static enum view_script script_type(const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));

	if (word_starts(type, SLICE("application/ld+json")))
		return VIEW_SCRIPT_LINKED_DATA;
	if (word_is(type, SLICE("importmap")) || word_is(type, SLICE("speculationrules")))
		return VIEW_SCRIPT_ASSETS;
	if (type.len && memmem(type.ptr, type.len, "json", 4))
		return VIEW_SCRIPT_JSON;
	return VIEW_SCRIPT_CODE;
}

/* One that is written as empty is empty in XHTML; in HTML its code counts as text, to be safe. */
static bool holds_raw(const struct html_token *token)
{
	if (token->foreign || token->self_closing)
		return false;
	return token->tag == HTML_TAG_SCRIPT || token->tag == HTML_TAG_STYLE ||
	       token->tag == HTML_TAG_TITLE;
}

/* The address in place of what Cloudflare shows instead of it. */
static int add_email(struct view *v, const struct html_token *token)
{
	slice hex = {0};

	if (token->tag == HTML_TAG_A || token->tag == HTML_TAG_SPAN)
		hex = html_attr_value(token, SLICE("data-cfemail"));
	if (hex.len == 0 || v->mail_node || !noise_set_has(v->noise.set, NOISE_EMAIL))
		return 0;
	buf_reset(&v->scratch);
	if (!noise_email_decode(hex, &v->scratch))
		return 0;
	(void)noise_applies(&v->noise, NOISE_EMAIL, hex);
	v->mail_node = v->open;
	return view_add_text(v, buf_slice(&v->scratch));
}

static void begin_raw(struct view *v, const struct html_token *token)
{
	if (!holds_raw(token))
		return;
	v->raw = token->tag;
	v->raw_type = token->tag == HTML_TAG_SCRIPT ? script_type(token) : 0;
	buf_reset(&v->raw_text);
}

/* In an ignored element only its place is noted. */
static int start_ignored(struct view *v, const struct html_token *token)
{
	int rc = view_tree_open(v, token);

	view_ignore_tag(v, token);
	v->cut = v->cut || token->cut;
	if (view_tree_is_void(token))
		view_tree_leave(v);
	else
		begin_raw(v, token);
	return rc;
}

static int start_tag(struct view *v, const struct html_token *token)
{
	bool closed = view_tree_is_void(token);
	int rc = is_inline(token->tag) ? 0 : view_end_line(v);

	v->mail_node = 0;
	if (rc == 0)
		rc = view_tree_open(v, token);
	if (rc == 0 && token->attr_count)
		rc = view_attributes(v, token);
	if (rc == 0 && !closed)
		rc = add_email(v, token);
	v->cut = v->cut || token->cut;
	if (closed)
		view_tree_leave(v);
	else
		begin_raw(v, token);
	return rc;
}

static int end_raw(struct view *v)
{
	enum html_tag raw = v->raw;
	int rc = 0;

	if (raw == HTML_TAG_TITLE)
		rc = view_end_line(v);
	else if (raw == HTML_TAG_SCRIPT)
		rc = view_script(v, (enum view_script)v->raw_type, buf_slice(&v->raw_text));
	else if (raw == HTML_TAG_STYLE)
		rc = view_sheet(v, NULL, buf_slice(&v->raw_text));
	v->raw = HTML_TAG_OTHER;
	return rc;
}

static int end_tag(struct view *v, const struct html_token *token)
{
	int rc = 0;

	if (view_is_ignoring(v))
		v->raw = HTML_TAG_OTHER;
	else if (v->raw)
		rc = end_raw(v);
	else if (token->tag == HTML_TAG_A)
		rc = view_end_run(v);
	else if (!is_inline(token->tag))
		rc = view_end_line(v);
	view_tree_close(v, token);
	if (v->open < v->mail_node)
		v->mail_node = 0;
	return rc;
}

/* What is shown until a script decodes the address, or a piece of it. */
static bool is_placeholder(slice text)
{
	static const slice TEXTS[] = {
		SLICE_INIT("[email\xc2\xa0protected]"), SLICE_INIT("[email protected]")};

	for (size_t i = 0; text.len && i < sizeof TEXTS / sizeof TEXTS[0]; i++)
		if (memmem(TEXTS[i].ptr, TEXTS[i].len, text.ptr, text.len))
			return true;
	return false;
}

static int take_text(struct view *v, slice text)
{
	if (view_is_ignoring(v)) {
		if (v->raw == HTML_TAG_OTHER || v->raw == HTML_TAG_TITLE)
			view_ignore_text(v, text);
		return 0;
	}
	if (v->mail_node && is_placeholder(text))
		return 0;
	if (v->raw == HTML_TAG_OTHER || v->raw == HTML_TAG_TITLE)
		return view_add_text(v, text);
	return view_limited(v, buf_add(&v->raw_text, text));
}

static int take_token(struct view *v, const struct html_token *token)
{
	switch (token->kind) {
	case HTML_START_TAG:
		return view_is_ignoring(v) ? start_ignored(v, token) : start_tag(v, token);
	case HTML_END_TAG:
		return end_tag(v, token);
	case HTML_TEXT:
		return take_text(v, token->text);
	case HTML_COMMENT:
		if (view_is_ignoring(v) ||
			noise_applies(&v->noise, NOISE_HTML_COMMENTS, token->text))
			return 0;
		return view_add(v, VIEW_MARKUP, "comment", token->text);
	case HTML_DOCTYPE:
		break;
	}
	return 0;
}

/* The element of an end tag is ignored up to its end. */
int view_token(struct view *v, const struct html_token *token)
{
	bool ends = token->kind == HTML_END_TAG;
	int rc;

	if (!v->ignores)
		return take_token(v, token);
	rc = ends ? take_token(v, token) : view_ignore_token(v, token);
	if (rc)
		return rc;
	return ends ? view_ignore_token(v, token) : take_token(v, token);
}

static int compare_texts(slice a, slice b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The context is the view. */
static int compare_metadata(const void *left, const void *right, void *context)
{
	const struct view *v = context;
	const struct view_item *a = left, *b = right;
	int order = compare_texts(view_item_text(v, a), view_item_text(v, b));

	return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

static int compare_data(const void *left, const void *right)
{
	const struct view_item *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->seq > b->seq) - (a->seq < b->seq);
}

/* Takes the items of a kind out of the others, which move up; returns how many were taken. */
static size_t take_out(struct view_item_vec *items, enum view_kind kind, struct view_item *to)
{
	size_t taken = 0, kept = 0;

	for (size_t i = 0; i < items->len; i++) {
		if (items->ptr[i].kind == kind)
			to[taken++] = items->ptr[i];
		else
			items->ptr[kept++] = items->ptr[i];
	}
	items->len = kept;
	return taken;
}

/* Metadata first, by text; data last, by group; all others as they come. */
static int sort_items(struct view *v)
{
	size_t count = v->items.len, meta, data;
	struct view_item *aside = calloc(count ? count : 1, sizeof *aside);

	if (!aside)
		return ERR_NOMEM;
	meta = take_out(&v->items, VIEW_META, aside);
	data = take_out(&v->items, VIEW_DATA, aside + meta);
	qsort_r(aside, meta, sizeof *aside, compare_metadata, v);
	qsort(aside + meta, data, sizeof *aside, compare_data);
	if (meta + data) {
		memmove(v->items.ptr + meta, v->items.ptr, v->items.len * sizeof *aside);
		memcpy(v->items.ptr, aside, meta * sizeof *aside);
		memcpy(v->items.ptr + count - data, aside + meta, data * sizeof *aside);
	}
	v->items.len = count;
	free(aside);
	return 0;
}

int view_finish(struct view *v)
{
	int rc = v->raw && !view_is_ignoring(v) ? end_raw(v) : 0;

	if (rc == 0)
		rc = view_end_line(v);
	/* What the user's rules might have ignored is not known. */
	v->cut =
		v->cut || (v->ignores && (v->ignore.stack.cut || v->ignore.gave_up != IGNORE_NONE));
	if (rc == 0)
		rc = view_targets(v);
	return rc ? rc : sort_items(v);
}

/* Gathers small pieces: a call of the digester for each would cost more than the digest. */
struct stage {
	struct digester digester;
	size_t len;
	char bytes[STAGE_SIZE];
};

static int flush(struct stage *s)
{
	int rc = s->len ? digester_feed(&s->digester, (slice){s->bytes, s->len}) : 0;

	s->len = 0;
	return rc;
}

static int stage_add(struct stage *s, slice piece)
{
	int rc = 0;

	if (piece.len > STAGE_SIZE - s->len)
		rc = flush(s);
	if (rc || piece.len > STAGE_SIZE)
		return rc ? rc : digester_feed(&s->digester, piece);
	if (piece.len)
		memcpy(s->bytes + s->len, piece.ptr, piece.len);
	s->len += piece.len;
	return 0;
}

static int stage_item(struct stage *s, const struct view *v, const struct view_item *item)
{
	slice text = view_item_text(v, item);
	slice attr = item->attr ? slice_str(item->attr) : SLICE("");
	const char head[] = {(char)item->kind, (char)attr.len, (char)(text.len >> 24),
		(char)(text.len >> 16), (char)(text.len >> 8), (char)text.len};
	int rc = stage_add(s, (slice){head, sizeof head});

	if (rc == 0)
		rc = stage_add(s, attr);
	return rc ? rc : stage_add(s, text);
}

int view_digest(const struct view *v, struct digest *ret_digest)
{
	struct stage s = {.len = 0};
	char head[64];
	int rc;

	if (v->cut)
		return ERR_LIMIT;
	(void)snprintf(head, sizeof head, "stillpoint view %d %x\n", NOISE_VERSION, v->noise.set);
	if (v->ignores)
		(void)snprintf(head, sizeof head, "stillpoint view %d %x %" PRIx64 "\n",
			NOISE_VERSION, v->noise.set, v->manner);
	rc = digester_start(&s.digester, DIGEST_SHA256);
	if (rc == 0)
		rc = stage_add(&s, slice_str(head));
	for (size_t i = 0; i < v->items.len && rc == 0; i++)
		rc = stage_item(&s, v, &v->items.ptr[i]);
	if (rc == 0)
		rc = flush(&s);
	if (rc == 0)
		rc = digester_finish(&s.digester, ret_digest);
	digester_release(&s.digester);
	return rc;
}
