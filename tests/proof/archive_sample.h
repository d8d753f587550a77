/*
 * Archives for the tests of this room, written with the real WARC writer and catalog, record by
 * record as a capture writes them. What cannot be written aborts: the tests are not about that.
 */
#ifndef TESTS_QUALITY_ARCHIVE_SAMPLE_H
#define TESTS_QUALITY_ARCHIVE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "catalog/catalog.h"
#include "formats/http_state.h"
#include "warc/warc_writer.h"

#define SAMPLE_BASE   INT64_C(1767225600000000000) /* 2026-01-01T00:00:00Z */
#define SAMPLE_MS     INT64_C(1000000)
#define SAMPLE_SECOND (1000 * SAMPLE_MS)

enum { SAMPLE_PAGES_MAX = 4096 };

/* A page to be added; zero for the usual. */
struct sample_page {
	const char *url;
	const char *kind;  /* "page" */
	const char *found; /* "link" */
	const char *rule;  /* "host example.org" */
	int via;           /* page number plus one */
	double rate;       /* changes per second */
	bool refused;
	bool hopeless;
};

/* An attempt at it. Times are milliseconds behind SAMPLE_BASE. */
struct sample_fetch {
	enum attempt_leg leg;
	double sent, end;
	const char *response; /* NULL: there was none */
	const char *failure;  /* NULL: none */
	const char *target;   /* of the response's record; NULL: the page's URL */
	bool lies;            /* the metadata record states the state of another response */
	bool forgotten;       /* it is in the WARC, but not in the catalog */
};

/* An archive being written; its fields are its own. */
struct sample {
	struct catalog *catalog;
	struct warc_writer *writer;
	struct state *state;
	struct clock_manual clock;
	struct catalog_capture capture;
	uint32_t pages;
	unsigned attempts[SAMPLE_PAGES_MAX][ATTEMPT_LEGS]; /* by page and leg */
	struct warc_place visits[SAMPLE_PAGES_MAX];        /* the last one's record */
	int64_t dates[SAMPLE_PAGES_MAX];                   /* of that record */
	struct digest payloads[SAMPLE_PAGES_MAX];
	char *urls[SAMPLE_PAGES_MAX];
	char file[WARC_NAME_MAX + 1];
	uint64_t size;
};

/* Begins an archive in an empty directory. To be freed by sample_close. */
struct sample *sample_open(const char *dir, bool single);

/* The same for a further capture of an archive that has been closed. */
struct sample *sample_again(const char *dir, bool single);

uint32_t sample_add(struct sample *s, const struct sample_page *page);

/* page may be CATALOG_NO_PAGE for ATTEMPT_SIDE, which is robots.txt. */
void sample_fetch(struct sample *s, uint32_t page, const struct sample_fetch *fetch);

/* Records the end, by that limit if any, as a capture does. Before sample_close. */
void sample_end(struct sample *s, enum catalog_end limit);

/* Stores verdicts and still point, completes the files unless it is still running, and frees. */
void sample_close(struct sample *s, enum catalog_state state);

/*
 * A whole archive of one capture with a page of each verdict, and more than one reason of some, for
 * http://example.org/.
 */
void sample_site(const char *dir);

/* A pair of sharp pages, visited and revisited once. Returns their number of records. */
void sample_sharp(struct sample *s, const char *url, double visit, double revisit);

/* Path of the one WARC file in the archive; owned by the caller. */
char *sample_warc_path(const char *dir);

#endif
