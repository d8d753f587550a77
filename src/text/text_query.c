#include "text/text_query.h"

#include "base/word.h"
#include "text/text_db.h"

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == '\x7f';
}

/* Takes the next word or phrase off, without its quotes. */
static slice take_term(slice *rest, bool *ret_prefix)
{
	slice term;
	size_t n = 0;

	if (rest->ptr[0] == '"') {
		*rest = slice_sub(*rest, 1, rest->len);
		term = slice_take(rest, '"');
	} else {
		while (n < rest->len && !is_blank(rest->ptr[n]) && rest->ptr[n] != '"')
			n++;
		term = slice_sub(*rest, 0, n);
		*rest = slice_sub(*rest, n, rest->len);
	}
	*ret_prefix = slice_ends_with(term, SLICE("*"));
	if (rest->len && rest->ptr[0] == '*') {
		*rest = slice_sub(*rest, 1, rest->len);
		*ret_prefix = true;
	}
	return term;
}

/* As a string of FTS5, which cannot have a quote in it: terms never have. */
static int add_term(struct buf *out, slice term, bool prefix)
{
	int rc = buf_add_str(out, out->len ? " \"" : "\"");

	if (rc == 0)
		rc = text_db_words(out, term);
	return rc ? rc : buf_add_str(out, prefix ? "\" *" : "\"");
}

/* Whether something in it can be a word; what FTS5 takes for one it knows better. */
static bool has_word(slice term)
{
	for (size_t i = 0; i < term.len; i++)
		if (word_is_alnum(term.ptr[i]) || (unsigned char)term.ptr[i] >= 0x80)
			return true;
	return false;
}

struct term {
	slice text;
	bool prefix;
};

/* What is said twice costs twice, and finds nothing else. */
static bool is_known(const struct term *terms, size_t count, slice text, bool prefix)
{
	for (size_t i = 0; i < count; i++)
		if (terms[i].prefix == prefix && slice_eq(terms[i].text, text))
			return true;
	return false;
}

int text_query_parse(slice typed, struct buf *ret_expression, struct err *err)
{
	struct term terms[TEXT_QUERY_WORDS_MAX];
	size_t count = 0;
	int rc = 0;

	if (typed.len > TEXT_QUERY_MAX)
		return err_set(
			err, ERR_USAGE, "the search has more than %d bytes", (int)TEXT_QUERY_MAX);
	while (rc == 0 && typed.len) {
		bool prefix;
		slice term;

		if (is_blank(typed.ptr[0])) {
			typed = slice_sub(typed, 1, typed.len);
			continue;
		}
		term = take_term(&typed, &prefix);
		if (!has_word(term) || is_known(terms, count, term, prefix))
			continue;
		if (count == TEXT_QUERY_WORDS_MAX)
			return err_set(err, ERR_USAGE, "the search has more than %d words",
				(int)TEXT_QUERY_WORDS_MAX);
		terms[count++] = (struct term){term, prefix};
		rc = add_term(ret_expression, term, prefix);
	}
	if (rc == 0 && count == 0)
		return err_set(err, ERR_USAGE, "the search has no words");
	return err_code(err, rc);
}
