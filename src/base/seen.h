/*
 * The URLs that a capture knows: a map from a page's identity (url_page) to its number. It keeps
 * no URL but a digest of 128 bits, two SipHash values under secret keys: who does not know them
 * cannot make two URLs collide, and by chance two of 10^9 URLs do so with a probability of 10^-21.
 * So it is exact for all practical purposes, at a fifth of the memory of a map with the URLs.
 *
 * Memory: 20 bytes per URL in tables that are 76 to 86 % full: from 23.2 to 26.2 bytes, some 28
 * where tables are short, and up to 30 with what malloc cannot use again at once. Large sets have
 * SEEN_SHARDS tables that grow one by one, so that no single seen_add moves more than a thousandth
 * of the whole. Of smaller ones there may be thousands: one of up to 1024 URLs has a single table,
 * one of up to 65,536 has 32.
 *
 * With a limit on its memory (seen_limit), a set goes on in files when its tables are full
 * (base/seen_runs.h). Then the tables have what is not in a file yet, and what was asked for
 * lately: links lead to pages nearby and to popular ones. A question that memory cannot answer is a
 * read of 5 kB. Who has many of them asks them all first (seen_ask), and has them answered in one
 * pass over the files (seen_answer). The files are only a cache: they are gone with the process.
 */
#ifndef BASE_SEEN_H
#define BASE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"

enum { SEEN_SHARDS = 1024 };

/* More URLs than this are refused: page numbers have 32 bits. */
#define SEEN_MAX UINT32_MAX

struct seen_shard; /* opaque */
struct seen_disk;  /* the same */

/* Memory for the tables of sets that share it; all of them are one thread's. */
struct seen_budget {
	size_t max;  /* bytes for the tables, and as many for what is known of files */
	size_t used; /* by the tables; the sets' own */
};

/* Fields are the set's own. */
struct seen {
	struct hash_key key;
	struct seen_shard *shards; /* NULL until the first URL */
	unsigned bits;             /* of a digest that choose one of them */
	size_t count;              /* of all URLs */
	size_t held;               /* of those in the tables */
	size_t bytes;              /* of the tables */
	struct seen_disk *disk;    /* NULL: there is no limit */
};

/* An empty set; allocates nothing. */
void seen_init(struct seen *s, struct hash_key key);

/* Frees all; the set is empty then and may be used again. Safe on a zeroed struct. */
void seen_release(struct seen *s);

/*
 * Limits the memory of an empty set: when the tables of all sets with this budget have used it up,
 * those of more than 20 kB go on in files without a name in the directory. Both are borrowed.
 */
void seen_limit(struct seen *s, struct seen_budget *budget, const char *dir);

/*
 * 0, ERR_EXISTS when the URL is there (its number stays), ERR_LIMIT when there are SEEN_MAX,
 * ERR_NOMEM; the set is as before on failure. ERR_IO: a file could not be read or written, now or
 * in an earlier call; seen_error says why, and the set is of no use any more.
 */
int seen_add(struct seen *s, slice url, uint32_t number) SP_MUST_CHECK;

/*
 * Whether the URL is there, in a set without a limit; its number goes to *ret_number, which may be
 * NULL.
 */
bool seen_find(const struct seen *s, slice url, uint32_t *ret_number);

/*
 * The same in any set: it may read a file, and remember what that said. False also if that fails:
 * then seen_error tells, and nothing can be added any more.
 */
bool seen_look_up(struct seen *s, slice url, uint32_t *ret_number);

/* The first failure of a file: 0, or its code with a sentence. */
int seen_error(const struct seen *s, struct err *err) SP_MUST_CHECK;

/* The URL will be asked for: if memory does not know it, seen_answer finds out. */
void seen_ask(struct seen *s, slice url);

/* Finds out what was asked, by one pass over the files; failures as those of seen_look_up. */
void seen_answer(struct seen *s);

/* Bytes of its files, and how often they were read. */
uint64_t seen_disk_bytes(const struct seen *s);
uint64_t seen_reads(const struct seen *s);

static inline size_t seen_count(const struct seen *s)
{
	return s->count;
}

#endif
