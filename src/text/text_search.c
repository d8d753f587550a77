#include "text/text_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/word.h"
#include "text/text_index.h"

/* ---- queries ---- */

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
static void add_term(struct buf *out, slice term, bool prefix)
{
	(void)buf_add_str(out, out->len ? " \"" : "\"");
	text_db_words(out, term);
	(void)buf_add_str(out, prefix ? "\" *" : "\"");
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

	if (typed.len > TEXT_QUERY_MAX)
		return err_set(
			err, ERR_USAGE, "the search has more than %d bytes", (int)TEXT_QUERY_MAX);
	while (typed.len && !ret_expression->error) {
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
		add_term(ret_expression, term, prefix);
	}
	if (count == 0)
		return err_set(err, ERR_USAGE, "the search has no words");
	return err_code(err, ret_expression->error);
}

/* ---- search ---- */

enum {
	FALLBACK_SIZE = 200,  /* bytes that are shown where no word is found */
	STEPS_PER_LOOK = 100, /* of SQLite, of which a few are long */
};

struct text_search {
	char *path;
	struct text_patience patience;
	sqlite3 *db;
	sqlite3_stmt *docs, *version;
	sqlite3 *memory; /* a table for one page, in which FTS5 finds the snippet */
	sqlite3_stmt *put, *snippet, *drop;
	struct buf expression, words;
	struct digester digester;
};

static int bind_slice(sqlite3_stmt *s, int at, slice text)
{
	return sqlite3_bind_text64(
		s, at, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static int open_memory(struct text_search *s, struct err *err)
{
	static const char NAME[] = "memory for a snippet";
	int rc = 0;

	if (sqlite3_open_v2(":memory:", &s->memory,
		    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY, NULL) ||
		sqlite3_exec(s->memory,
			"CREATE VIRTUAL TABLE one USING fts5(title, body, " TEXT_TOKENIZER ")",
			NULL, NULL, NULL))
		return text_db_error(s->memory, NAME, err);
	rc = text_db_prepare(s->memory, NAME, "INSERT INTO one VALUES (?1, ?2)", &s->put, err);
	if (rc == 0)
		rc = text_db_prepare(s->memory, NAME,
			"SELECT snippet(one, 1, char(2), char(3), '…', 32) FROM one WHERE one "
			"MATCH ?1",
			&s->snippet, err);
	return rc ? rc : text_db_prepare(s->memory, NAME, "DELETE FROM one", &s->drop, err);
}

static int prepare(struct text_search *s, struct err *err)
{
	int rc = text_db_prepare(s->db, s->path,
		"SELECT text.rowid, doc.url FROM text JOIN doc ON doc.id = text.rowid "
		"WHERE text MATCH ?1 AND rank MATCH 'bm25(10.0, 1.0)' ORDER BY rank",
		&s->docs, err);

	if (rc == 0)
		rc = text_db_prepare(
			s->db, s->path, "SELECT doc FROM version WHERE key = ?1", &s->version, err);
	if (rc == 0 && bind_slice(s->docs, 1, buf_slice(&s->expression)))
		rc = text_db_error(s->db, s->path, err);
	return rc ? rc : open_memory(s, err);
}

/* SQLite ends what it does when this is not 0. */
static int is_over(void *context)
{
	const struct text_search *s = context;

	return !s->patience.goes_on(s->patience.context);
}

int text_search_open(const char *path, slice typed, const struct text_patience *patience,
	struct text_search **ret, struct err *err)
{
	struct text_search *s = mem_new(1, sizeof *s);
	int rc;

	buf_init(&s->expression, TEXT_EXPRESSION_MAX);
	buf_init(&s->words, 3 * (size_t)TEXT_SNIPPET_TEXT_MAX);
	s->path = mem_strdup(slice_str(path));
	if (patience)
		s->patience = *patience;
	rc = text_query_parse(typed, &s->expression, err);
	if (rc == 0)
		rc = text_db_open(path, &s->db, err);
	if (rc == 0 && patience)
		sqlite3_progress_handler(s->db, STEPS_PER_LOOK, is_over, s);
	if (rc == 0)
		rc = prepare(s, err);
	if (rc)
		text_search_close(s);
	else
		*ret = s;
	return rc;
}

void text_search_close(struct text_search *s)
{
	if (!s)
		return;
	(void)sqlite3_finalize(s->docs);
	(void)sqlite3_finalize(s->version);
	(void)sqlite3_finalize(s->put);
	(void)sqlite3_finalize(s->snippet);
	(void)sqlite3_finalize(s->drop);
	(void)sqlite3_close(s->db);
	(void)sqlite3_close(s->memory);
	buf_release(&s->expression);
	buf_release(&s->words);
	digester_release(&s->digester);
	free(s->path);
	free(s);
}

int text_search_next(struct text_search *s, int64_t *ret_doc, slice *ret_url, struct err *err)
{
	int rc = sqlite3_step(s->docs);

	if (rc == SQLITE_DONE)
		return ERR_END;
	if (rc == SQLITE_INTERRUPT)
		return err_set(err, ERR_STOPPED, "this search takes too long: give other words");
	if (rc != SQLITE_ROW)
		return text_db_error(s->db, s->path, err);
	*ret_doc = sqlite3_column_int64(s->docs, 0);
	*ret_url = (slice){(const char *)sqlite3_column_text(s->docs, 1),
		(size_t)sqlite3_column_bytes(s->docs, 1)};
	return ret_url->ptr ? 0 : err_code(err, ERR_NOMEM);
}

int text_search_doc(struct text_search *s, const struct text_version *version, int64_t *ret_doc,
	struct err *err)
{
	unsigned char key[TEXT_KEY_SIZE];
	int step, rc = 0;

	TRY(err_code(err, text_db_key(&s->digester, version, key)));
	if (sqlite3_bind_blob(s->version, 1, key, sizeof key, SQLITE_STATIC))
		return text_db_error(s->db, s->path, err);
	step = sqlite3_step(s->version);
	if (step == SQLITE_ROW)
		*ret_doc = sqlite3_column_int64(s->version, 0);
	else
		rc = step == SQLITE_DONE ? ERR_NOTFOUND : text_db_error(s->db, s->path, err);
	(void)sqlite3_reset(s->version);
	return rc;
}

/* ---- snippets ---- */

static int put_page(struct text_search *s, slice title, slice text)
{
	int rc = 0;

	buf_reset(&s->words);
	text_db_words(&s->words, slice_sub(text, 0, TEXT_SNIPPET_TEXT_MAX));
	if (s->words.error)
		return s->words.error;
	if (bind_slice(s->put, 1, title) || bind_slice(s->put, 2, buf_slice(&s->words)) ||
		sqlite3_step(s->put) != SQLITE_DONE)
		rc = ERR_NOMEM;
	(void)sqlite3_reset(s->put);
	return rc;
}

static int get_snippet(struct text_search *s, struct buf *out)
{
	int rc = 0;

	if (bind_slice(s->snippet, 1, buf_slice(&s->expression)))
		return ERR_NOMEM;
	if (sqlite3_step(s->snippet) == SQLITE_ROW)
		rc = buf_add(out, (slice){(const char *)sqlite3_column_text(s->snippet, 0),
					  (size_t)sqlite3_column_bytes(s->snippet, 0)});
	(void)sqlite3_reset(s->snippet);
	return rc;
}

/* Lines become blanks: a snippet is one. */
static void unfold(struct buf *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (text->ptr[i] == '\n')
			text->ptr[i] = ' ';
}

int text_search_snippet(
	struct text_search *s, slice title, slice text, struct buf *out, struct err *err)
{
	int rc = put_page(s, title, text);

	buf_reset(out);
	if (rc == 0)
		rc = get_snippet(s, out);
	if (rc == 0 && out->len == 0)
		rc = buf_add(out, slice_sub(buf_slice(&s->words), 0, FALLBACK_SIZE));
	if (sqlite3_step(s->drop) != SQLITE_DONE && rc == 0)
		rc = ERR_NOMEM;
	(void)sqlite3_reset(s->drop);
	text_db_join(out);
	unfold(out);
	return err_code(err, rc);
}
