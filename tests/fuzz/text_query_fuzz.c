/*
 * What readers search for, and the text of pages: whatever is typed becomes an expression that FTS5
 * takes, or is refused; snippets are bounded, and their marks are in pairs. The input is what is
 * typed, a line feed, and a text.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/text_index.h"
#include "text/text_search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_MAX = 1 << 20 };

static void must(bool so)
{
	if (!so)
		abort();
}

static sqlite3 *open_table(void)
{
	sqlite3 *db = NULL;

	must(sqlite3_open(":memory:", &db) == SQLITE_OK);
	must(sqlite3_exec(db, "CREATE VIRTUAL TABLE one USING fts5(body, " TEXT_TOKENIZER ")", NULL,
		     NULL, NULL) == SQLITE_OK);
	return db;
}

/* Runs a statement with one text; the result's first column goes to out. */
static void run(sqlite3 *db, const char *sql, slice text, struct buf *out)
{
	sqlite3_stmt *s = NULL;
	int rc;

	must(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK);
	must(sqlite3_bind_text64(s, 1, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC,
		     SQLITE_UTF8) == SQLITE_OK);
	rc = sqlite3_step(s);
	must(rc == SQLITE_DONE || rc == SQLITE_ROW);
	if (rc == SQLITE_ROW)
		must(buf_add(out, (slice){(const char *)sqlite3_column_text(s, 0),
					  (size_t)sqlite3_column_bytes(s, 0)}) == 0);
	(void)sqlite3_finalize(s);
}

static void check_marks(slice snippet)
{
	bool inside = false;

	for (size_t i = 0; i < snippet.len; i++) {
		if (snippet.ptr[i] == '\x02' || snippet.ptr[i] == '\x03') {
			must(inside == (snippet.ptr[i] == '\x03'));
			inside = !inside;
		}
	}
	must(!inside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data, size}, typed = slice_take(&text, '\n');
	struct buf expression, words, snippet;
	struct err err = {0};
	int rc;

	buf_init(&expression, TEXT_EXPRESSION_MAX);
	buf_init(&words, OUT_MAX);
	buf_init(&snippet, OUT_MAX);
	rc = text_query_parse(typed, &expression, &err);
	must((rc == ERR_USAGE) == (err.code == ERR_USAGE) && (rc == 0 || rc == ERR_USAGE));
	text_db_words(&words, text);
	if (rc == 0 && !words.error) {
		sqlite3 *db = open_table();

		run(db, "INSERT INTO one VALUES (?1)", buf_slice(&words), &snippet);
		run(db,
			"SELECT snippet(one, 0, char(2), char(3), '...', 16) FROM one WHERE one "
			"MATCH ?1",
			buf_slice(&expression), &snippet);
		check_marks(buf_slice(&snippet));
		text_db_join(&snippet);
		(void)sqlite3_close(db);
	}
	buf_release(&expression);
	buf_release(&words);
	buf_release(&snippet);
	return 0;
}
