/* The full text index of an archive. */
#ifndef TEXT_TEXT_INDEX_H
#define TEXT_TEXT_INDEX_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_digest.h"

/* ---- the database ---- */

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

/* How FTS5 finds words: accents and case do not matter. */
#define TEXT_TOKENIZER "tokenize='unicode61 remove_diacritics 2'"

#define TEXT_FILE_NAME "text.sqlite" /* in the directory of an archive */

enum { TEXT_KEY_SIZE = 16 };

/* Opens one that is there, for reading: 0, ERR_NOTFOUND, ERR_UNSUPPORTED, ERR_IO, ERR_NOMEM. */
int text_db_open(const char *path, sqlite3 **ret, struct err *err) SP_MUST_CHECK;

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
 * no width, and blanks for control characters.
 */
void text_db_words(struct buf *out, slice text);

/* Takes those spaces out again, in place. */
void text_db_join(struct buf *text);

/* ---- making it ---- */

/*
 * Writes a full text index (text/text_index.h) of the HTML pages in WARC files. One that is there
 * already is copied, and only files that it does not know are read; it is made anew when a file has
 * changed or is gone. The new one takes the place of the old one at the end, whole.
 */

struct text_index_params {
	const char *path;      /* WARC files: warc/warc_set.h */
	const char *directory; /* where text.sqlite goes */
	const char *temporary; /* directory for temporary files */
};

struct text_index_counts {
	uint64_t files; /* read now */
	uint64_t known; /* files that were in the index already */
	uint64_t open;  /* files that a crawl is writing: left out */
	uint64_t docs;  /* added */
	uint64_t bytes; /* of their text */
};

/* 0, ERR_NOTFOUND, ERR_STATE when another process is at it, ERR_IO, ERR_SYNTAX, ERR_NOMEM. */
int text_index_write(const struct text_index_params *params, struct text_index_counts *ret,
	struct err *err) SP_MUST_CHECK;

#endif
