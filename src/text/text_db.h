/*
 * The file text.sqlite: a full text index of the pages in WARC files. It holds no text (an FTS5
 * table without content); what is shown of a page is read from its record.
 *
 *	doc      a page with a title and a text; id is its row in `text`. Versions of a page that
 *	         read the same share one.
 *	version  which doc an archived version of a page is, by a hash: text_db_key
 *	file     the WARC files that were read
 *	text     title and body of each doc, as FTS5 has them
 *
 * Chinese and Japanese have no blanks between words, so each of their characters counts as a word
 * (text_db_words); a word of several is found as a phrase.
 */
#ifndef TEXT_TEXT_DB_H
#define TEXT_TEXT_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "http/digest.h"

/* How FTS5 finds words: accents and case do not matter. */
#define TEXT_TOKENIZER "tokenize='unicode61 remove_diacritics 2'"

#define TEXT_FILE_NAME "text.sqlite" /* in the directory of an archive */

enum { TEXT_KEY_SIZE = 16 };

/* Opens one that is there, for reading: 0, ERR_NOTFOUND, ERR_UNSUPPORTED, ERR_IO, ERR_NOMEM. */
int text_db_open(const char *path, sqlite3 **ret, struct err *err) SP_MUST_CHECK;

/* Makes an empty file one: nothing is synced, and no other process may look at it. */
int text_db_create(const char *path, sqlite3 **ret, struct err *err) SP_MUST_CHECK;

/* Copies all of a database into an empty file, which is open for writing then: 0 or an error. */
int text_db_copy(sqlite3 *from, const char *path, sqlite3 **ret, struct err *err) SP_MUST_CHECK;

/* What the last failure of SQLite means, with a sentence. */
int text_db_error(sqlite3 *db, const char *path, struct err *err);

/* A statement: 0 or an error. */
int text_db_prepare(sqlite3 *db, const char *path, const char *sql, sqlite3_stmt **ret,
	struct err *err) SP_MUST_CHECK;

/*
 * The key of a version: of its URL and payload digest (with or without the algorithm in front), or
 * where no digest is known of its place in a WARC file. 0 or ERR_NOMEM.
 */
struct text_version {
	slice url, digest, filename;
	uint64_t offset;
};

int text_db_key(struct digester *d, const struct text_version *version,
	unsigned char ret[TEXT_KEY_SIZE]) SP_MUST_CHECK;

/*
 * Appends text as the index takes it: characters of Chinese and Japanese apart, by a space that has
 * no width, and blanks for control characters. 0 or as buf_add.
 */
int text_db_words(struct buf *out, slice text) SP_MUST_CHECK;

/* Takes those spaces out again, in place. */
void text_db_join(struct buf *text);

#endif
