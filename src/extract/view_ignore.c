/* The rules of the user at work on a view. */
#include "base/err.h"
#include "base/hash.h"
#include "base/word.h"
#include "extract/view_build.h"

/* Which rules hold, if not just the built-in ones, all of them. */
static uint64_t number_of(const struct view *v)
{
	uint64_t parts[] = {v->noise.set, v->ignores ? ignore_page_number(&v->ignore) : 0};

	if (v->noise.set == NOISE_DEFAULT && !v->ignores)
		return 0;
	return hash_bytes((struct hash_key){0x5354494c4c504f49, 0x4e542d52554c4553},
		       (slice){(const char *)parts, sizeof parts}) |
	       1;
}

static int start_rules(struct view *v, const struct rulebook *book, slice url)
{
	struct url parsed;
	int rc;

	if (v->ignore.rules && v->ignore.rules != &book->ignore) {
		ignore_page_release(&v->ignore);
		v->ignore.rules = NULL;
	}
	if (!v->ignore.rules)
		ignore_page_init(&v->ignore, &book->ignore);
	v->ignore.off = book->off;
	url_init(&parsed);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc != ERR_NOMEM)
		rc = ignore_page_start(&v->ignore, &parsed, 0);
	url_release(&parsed);
	v->ignores = rc == 0 && ignore_page_acts(&v->ignore);
	while (rc == 0 && v->ignores && v->ignored.len < book->ignore.rules.len)
		rc = view_ignored_vec_push(&v->ignored, (struct view_ignored){0});
	return rc;
}

int view_start(struct view *v, const struct rulebook *book, slice url)
{
	int rc;

	view_reset(v, book->set);
	rc = book->has_ignore ? start_rules(v, book, url) : 0;
	v->manner = number_of(v);
	return rc;
}

void view_set_flags(struct view *v, unsigned flags)
{
	if (v->ignores)
		selector_stack_reset(&v->ignore.stack, flags);
}

slice view_missing(const struct view *v)
{
	uint32_t rule = v->ignores ? ignore_page_missing(&v->ignore) : IGNORE_NONE;

	if (rule == IGNORE_NONE)
		return (slice){0};
	return v->ignore.rules->rules.ptr[rule].name;
}

/* FNV-1a: text may come in any number of pieces, and the mark must not tell. */
static void note(struct view *v, uint32_t rule, slice bytes)
{
	uint64_t mark = v->ignored.ptr[rule].mark;

	for (size_t i = 0; i < bytes.len; i++)
		mark = (mark ^ (unsigned char)bytes.ptr[i]) * 0x100000001b3;
	v->ignored.ptr[rule].mark = mark;
}

int view_ignore_token(struct view *v, const struct html_token *token)
{
	uint32_t before = v->ignoring;
	int rc = ignore_page_token(&v->ignore, token);

	v->ignoring = ignore_page_element(&v->ignore);
	if (v->ignoring != IGNORE_NONE && v->ignoring != before)
		v->ignored.ptr[v->ignoring].count++;
	return rc;
}

void view_ignore_tag(struct view *v, const struct html_token *token)
{
	note(v, v->ignoring, SLICE("<"));
	note(v, v->ignoring, token->name);
	for (size_t i = 0; i < token->attr_count; i++) {
		note(v, v->ignoring, token->attrs[i].name);
		note(v, v->ignoring, token->attrs[i].value);
	}
}

/* Ignored text is visible and masked; it parts the words around it. */
void view_ignore_text(struct view *v, slice text)
{
	slice word;

	note(v, v->ignoring, text);
	while (word_next(&text, ' ', &word)) {
		size_t count = view_characters(word);

		v->visible += count;
		v->noise.tally.masked += count;
	}
	v->space = true;
}

int view_ignore_line(struct view *v, slice *line)
{
	struct ignore_match match;
	size_t from = 0;
	int rc = 0;

	buf_reset(&v->scratch);
	while (rc == 0 && ignore_page_find(&v->ignore, *line, from, &match)) {
		slice found = slice_sub(*line, match.span.from, match.span.to);

		rc = buf_add(&v->scratch, slice_sub(*line, from, match.span.from));
		v->ignored.ptr[match.rule].count++;
		note(v, match.rule, found);
		note(v, match.rule, SLICE("\n"));
		v->noise.tally.masked += view_characters(found);
		from = match.span.to;
	}
	if (rc || from == 0)
		return view_limited(v, rc);
	rc = buf_add(&v->scratch, slice_sub(*line, from, line->len));
	*line = word_trim(buf_slice(&v->scratch));
	return view_limited(v, rc);
}
