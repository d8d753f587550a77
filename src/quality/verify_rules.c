/* The rules of captures, from warcinfo records. */
#include <stdlib.h>

#include "base/err.h"
#include "base/word.h"
#include "quality/verify_run.h"

/* "stillpoint-ignore: select .advert", "stillpoint-without-rules: nonces" */
static int add_fields(struct rulebook *book, slice block)
{
	static const slice PREFIX = SLICE_INIT("stillpoint-");
	int rc = 0;

	while (rc == 0 && block.len) {
		slice value = slice_take(&block, '\n'), name = slice_take(&value, ':');

		if (slice_starts_with(name, PREFIX))
			rc = rulebook_add(
				book, slice_sub(name, PREFIX.len, name.len), word_trim(value));
	}
	return rc;
}

static bool is_same(const struct rulebook *a, const struct rulebook *b)
{
	return a->off == b->off && slice_eq(buf_slice(&a->text), buf_slice(&b->text));
}

/* Files of one crawl have the same rules. */
static const struct rulebook *find(const struct verify *v, const struct rulebook *book)
{
	for (size_t i = v->books.len; i > 0; i--)
		if (is_same(v->books.ptr[i - 1], book))
			return v->books.ptr[i - 1];
	return is_same(rulebook_default(), book) ? rulebook_default() : NULL;
}

static void book_free(struct rulebook *book)
{
	if (book)
		rulebook_release(book);
	free(book);
}

int verify_rules_record(struct verify *v, slice block, const struct verify_place *place,
	const struct rulebook **ret)
{
	struct rulebook *book = malloc(sizeof *book);
	struct err err = {0};
	int rc;

	*ret = rulebook_default();
	if (!book)
		return ERR_NOMEM;
	rulebook_init(book);
	rc = add_fields(book, block);
	if (rc == 0 && find(v, book)) {
		*ret = find(v, book);
		book_free(book);
		return 0;
	}
	if (rc == 0)
		rc = rulebook_finish(book, "rules", &err);
	if (rc == 0)
		rc = verify_books_push(&v->books, book);
	if (rc == 0)
		*ret = book;
	else
		book_free(book);
	if (rc == 0 || rc == ERR_NOMEM)
		return rc;
	return verify_note(v, (slice){0}, place,
		"its rules against noise cannot be read%s%s: not recomputed",
		err.text[0] ? ": " : "", err.text);
}

void verify_rules_release(struct verify *v)
{
	for (size_t i = 0; i < v->books.len; i++)
		book_free(v->books.ptr[i]);
	verify_books_release(&v->books);
}
