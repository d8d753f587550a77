#include "catalog/catalog_db.h"

/* What is not in the table is stored as it is, so these bound memory and nothing else. */
enum {
	WORDS_MAX = 4096,
	WORD_LEN_MAX = 200,
	ARENA_MAX = WORDS_MAX * (WORD_LEN_MAX + 64) + (1 << 20),
};

void catalog_words_init(struct catalog_words *w)
{
	*w = (struct catalog_words){0};
	arena_init(&w->arena, ARENA_MAX);
	strmap_init(&w->numbers, hash_key_random(), &w->arena);
}

void catalog_words_release(struct catalog_words *w)
{
	strmap_release(&w->numbers);
	slice_vec_release(&w->texts);
	arena_release(&w->arena);
}

static int remember(struct catalog_words *w, slice text)
{
	const char *copy = arena_strdup(&w->arena, text);
	int rc = copy ? strmap_put(&w->numbers, text, (uint32_t)w->texts.len + 1) : ERR_NOMEM;

	/* A damaged table may have a text twice; the first number is as good. */
	if (rc == ERR_EXISTS)
		rc = 0;
	return rc ? rc : slice_vec_push(&w->texts, (slice){copy, text.len});
}

/* Reads the words behind those that are known. */
static int load(struct catalog *c, struct err *err)
{
	struct catalog_words *w = &c->words;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_WORD, err);

	if (rc)
		return rc;
	query_put_int(&q, (int64_t)w->texts.len);
	while (w->texts.len < WORDS_MAX && (rc = query_next(&q, err)) == 0) {
		int64_t number = query_int(&q, 0);
		slice text = query_text(&q, 1);

		if (number != (int64_t)w->texts.len + 1 || !text.ptr || text.len > WORD_LEN_MAX)
			rc = catalog_damaged(c, "the table of words", err);
		else if (remember(w, text))
			rc = err_set(err, ERR_NOMEM, "%s: out of memory", c->path);
		if (rc)
			break;
	}
	rc = query_end(&q, rc);
	w->loaded = rc == 0;
	return rc;
}

static int add(struct catalog *c, slice text, struct err *err)
{
	struct query q;
	int rc;

	query_write(&q, c, SQL_ADD_WORD, err);
	query_put_int(&q, (int64_t)c->words.texts.len + 1);
	query_put_text(&q, text);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	rc = remember(&c->words, text);
	c->words.loaded = rc == 0;
	return rc ? err_set(err, ERR_NOMEM, "%s: out of memory", c->path) : 0;
}

int catalog_word_number(struct catalog *c, slice text, int64_t *ret, struct err *err)
{
	uint32_t number;
	int rc = 0;

	if (!c->words.loaded)
		rc = load(c, err);
	if (rc)
		return rc;
	if (strmap_get(&c->words.numbers, text, &number)) {
		*ret = number;
		return 0;
	}
	if (text.len > WORD_LEN_MAX || c->words.texts.len >= WORDS_MAX) {
		*ret = 0;
		return 0;
	}
	rc = add(c, text, err);
	if (rc == 0)
		*ret = (int64_t)c->words.texts.len;
	return rc;
}

int catalog_word_text(struct catalog *c, int64_t number, slice *ret, struct err *err)
{
	const struct slice_vec *texts = &c->words.texts;
	int rc = 0;

	/* Another process may have added some since. */
	if (number > (int64_t)texts->len && number <= WORDS_MAX)
		rc = load(c, err);
	if (rc)
		return rc;
	if (number < 1 || number > (int64_t)texts->len)
		return catalog_damaged(c, "a word is missing", err);
	*ret = texts->ptr[number - 1];
	return 0;
}
