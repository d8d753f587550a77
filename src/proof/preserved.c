#include "proof/preserved.h"

#include "base/word.h"

enum { SELECTOR_REACH_BACK = 4000 };

static const char *find(slice s, size_t from, slice what)
{
	return from < s.len ? memmem(s.ptr + from, s.len - from, what.ptr, what.len) : NULL;
}

/* "white-space: pre…", "white-space-collapse: preserve…" at the front. */
static bool keeps(slice s)
{
	size_t i = sizeof "white-space" - 1;

	while (i < s.len && (word_is_alpha(s.ptr[i]) || s.ptr[i] == '-'))
		i++;
	while (i < s.len && (word_is_space(s.ptr[i]) || s.ptr[i] == ':'))
		i++;
	s = slice_sub(s, i, s.len);
	return word_starts(s, SLICE("pre")) || word_starts(s, SLICE("break")) ||
	       word_starts(s, SLICE("var"));
}

static void add_selector(struct preserved *p, slice list)
{
	while (list.len) {
		slice part = word_trim(slice_take(&list, ','));
		size_t from = part.len, word;

		while (from && !strchr(" >+~\n\t", part.ptr[from - 1]))
			from--;
		part = slice_sub(part, from, part.len);
		word = part.len;
		for (size_t i = 0; i < part.len; i++)
			if (!word_is_alnum(part.ptr[i]) && !strchr("-_.#", part.ptr[i]))
				p->all = true;
		while (word && part.ptr[word - 1] != '.' && part.ptr[word - 1] != '#')
			word--;
		if (word)
			word--;
		if (p->count == PRESERVED_MAX || part.len == 0)
			p->all = true;
		else
			p->names[p->count++] = slice_sub(part, word, part.len);
	}
}

static size_t last_of(slice s, size_t from, size_t to, const char *set)
{
	while (to > from && !strchr(set, s.ptr[to - 1]))
		to--;
	return to;
}

void preserved_init(struct preserved *p, struct proof_tokens *t)
{
	static const slice WORD = SLICE_INIT("white-space"), INLINE = SLICE_INIT("inline");
	slice s = t->source;
	const char *at;

	*p = (struct preserved){0};
	if (t->format != FORMAT_HTML)
		return;
	for (size_t from = 0; (at = find(s, from, WORD)) != NULL && !p->all;) {
		size_t place = (size_t)(at - s.ptr), back, brace;

		from = place + WORD.len;
		if (!keeps(slice_sub(s, place, place + 80)))
			continue;
		back = place > SELECTOR_REACH_BACK ? place - SELECTOR_REACH_BACK : 0;
		brace = last_of(s, back, place, "{\"'");
		if (brace <= back || s.ptr[brace - 1] != '{')
			continue; /* a style attribute, which speaks for itself */
		add_selector(p, slice_sub(s, last_of(s, back, brace - 1, "{};>/"), brace - 1));
	}
	t->has_sheet |= find(s, 0, SLICE("@import")) != NULL;
	for (size_t from = 0; (at = find(s, from, INLINE)) != NULL && !t->lays_inline;) {
		size_t place = (size_t)(at - s.ptr), before = place;

		from = place + INLINE.len;
		while (before && (word_is_space(s.ptr[before - 1]) || s.ptr[before - 1] == ':'))
			before--;
		t->lays_inline = before >= 7 && before < place &&
				 slice_eq(slice_sub(s, before - 7, before), SLICE("display"));
	}
}

bool preserved_style(slice style)
{
	const char *at = style.len ? find(style, 0, SLICE("white-space")) : NULL;

	return at && keeps(slice_sub(style, (size_t)(at - style.ptr), style.len));
}

bool preserved_element(const struct preserved *p, const struct proof_element *e)
{
	slice classes, id, word;

	if (p->all)
		return true;
	if (p->count == 0)
		return false;
	id = proof_attr(e, SLICE("id"));
	for (size_t i = 0; i < p->count; i++) {
		slice name = p->names[i];

		if (word_is(name, e->name) ||
			(name.ptr[0] == '#' && word_is(slice_sub(name, 1, name.len), id)))
			return true;
		classes = proof_attr(e, SLICE("class"));
		while (name.ptr[0] == '.' && word_next(&classes, ' ', &word))
			if (word_is(slice_sub(name, 1, name.len), word))
				return true;
	}
	return false;
}
