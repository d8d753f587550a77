/*
 * The quality of a capture, page by page: everything `stillpoint report` says, computed from the
 * catalog's pages and observations (the table of verdicts plays no part). Memory is about
 * 300 bytes and a URL for each page; beyond the program's budget (base/mem.h) it is only the URL,
 * and the rest is in a file.
 */
#ifndef PROOF_REPORT_H
#define PROOF_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/mapped.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "proof/acted.h"
#include "proof/expect.h"
#include "proof/known.h"
#include "proof/quality_words.h"
#include "proof/requisites.h"
#include "proof/stillpoint.h"
#include "proof/verdict.h"

/*
 * Where a report comes from, for whoever has to rely on it: who ran the capture and with which
 * program, how time was kept, and the WARC files of the archive with their digests.
 */

VEC_DECLARE(provenance_files, struct catalog_warc);
VEC_DECLARE(provenance_clocks, struct catalog_clock);

/* Strings are the arena's; ptr NULL for what is not known. Fields may be read, not written. */
struct provenance {
	slice operator;                  /* as it was recorded when the capture began */
	slice contact;                   /* the same */
	slice software;                  /* that began the capture: "stillpoint/0.1.0" */
	const char *said_operator;       /* the caller's: who is said to be, now; NULL: nobody */
	struct provenance_clocks clocks; /* readings of the clock */
	struct provenance_files files;   /* all of the archive */
};

/* SHA-256 of a file in the form of sha256sum; empty for one that is not complete. */
void provenance_digest(const struct catalog_warc *w, char out[DIGEST_TEXT_SIZE]);

/* How time was kept, as a sentence; empty where no reading says so. */
enum { PROVENANCE_CLOCK_SIZE = 400 };
void provenance_clock(const struct provenance *p, char out[PROVENANCE_CLOCK_SIZE]);

/* The members program, operator, clock and warc_files of a report. */
void provenance_json(const struct provenance *p, struct json *j);

/* A leg of a page, as the attempt that counts left it (legs.h). Wall clock, ns; 0 for what did not
 * happen. */
struct report_leg {
	int64_t start, end;
	int64_t modified; /* Last-Modified */
	uint32_t attempts;
	uint32_t number; /* of the attempt that counts, from 1; 0: none */
	uint16_t status; /* 0: no answer, or not made */
	bool made;
};

/* Strings are the report's. */
struct report_page {
	slice url, kind;
	slice reason;     /* of the verdict; ptr NULL for none */
	uint8_t evidence; /* enum same_by */
	slice rules;      /* that were needed to compare its looks, "nonces=5 …"; may be empty */
	slice changed_in; /* of one that has changed: "text,code"; may be empty */
	unsigned masked;  /* millionths of the visible text that rules explain */
	uint8_t rule_set; /* version of the rules; 0: none were applied */
	bool close_delimited; /* one of its looks */
	bool cached;          /* the same: a cache says that it answered */
	int8_t origin;        /* 1: the claim reaches the origin; 0: a cache stood between;
			       * -1: there is no telling */
	bool foreign_times;   /* the same: its times are only known by the date of its record */
	slice deceit;         /* signs of it, a line of formats/deceit.h; may be empty */
	int8_t cloaked;       /* 1: a browser gets another page; 0: not; -1: nobody asked */
	bool login_box;       /* its visit showed one, and little else */
	bool variant;         /* it differs without cookies, or in another language */
	double rate, shape;   /* of its survival function */
	float weight;
	uint8_t verdict;   /* enum verdict */
	uint8_t left_out;  /* enum left_out */
	uint8_t content;   /* enum catalog_content */
	uint8_t composite; /* enum composite */
	uint32_t spoiled;  /* pages that are sharp, but not together with this one */
	bool taken;
	bool is_told; /* it was there in an earlier capture, which led to it */
	bool hopeless;
	bool late; /* its visit was made behind the barrier */
	bool usable_visit;
	bool usable_revisit;
	struct report_leg visit, revisit;
	uint32_t looks;    /* of a watch, that were usable */
	int64_t last_look; /* the end of the last one, ns */
};

/* A rule about URLs that show what others show. */
struct report_dust {
	slice rule;
	uint64_t urls; /* that it saved or would save */
	bool applied;
	bool is_mirror; /* about a host: site repeats of */
	slice site, of;
	uint32_t agreed, disagreed, passed;
};

/* By their number. A large capture's need not be in memory: see report_page_at. */
enum { REPORT_PAGES_AT_ONCE = 1 << 14 };

struct report_pages {
	struct report_page *ptr;
	size_t len;
	struct mapped memory;
};

VEC_DECLARE(report_dusts, struct report_dust);

/* Fields may be read, not written, but for lists_requisites. */
struct report {
	struct catalog_capture capture; /* strings are the report's */
	struct stillpoint window;
	struct report_pages pages; /* by their number */
	uint64_t totals[VERDICT_COUNT];
	uint64_t sharp_bytes, sharp_normalised;
	unsigned rule_set;                 /* version of the rules; 0: none were applied */
	char ignore[DIGEST_TEXT_SIZE];     /* the same of the user's; empty: there are none */
	struct acted_rules rules;          /* that pages which are sharp by rules needed */
	size_t learned;                    /* rules that the capture has learned */
	uint64_t gated;                    /* pages that are shown only with a cookie */
	slice gate_cookie;                 /* its name */
	uint64_t on_rule_set_1;            /* sharp pages by rules of version 1 */
	uint64_t changed_inside;           /* changed in code, style or data only */
	uint64_t variants;                 /* pages that showed something else to a probe */
	uint64_t cookies;                  /* pages that were asked for with cookies */
	uint64_t sessions;                 /* probes whether pages need them */
	uint64_t captured;                 /* pages with a verdict that verdict_is_captured */
	uint64_t not_captured;             /* the others, but for those out of the scope */
	uint64_t out_of_scope;             /* pages that are only known as links out of the scope */
	bool rates_differ;                 /* among the pages that were taken */
	uint64_t left_out[LEFT_OUT_COUNT]; /* by reason; those without a page included */
	uint64_t unkept;                   /* links that were left out and have no page */
	uint64_t soft_404;                 /* pages that only say that there is nothing */
	uint64_t vanished;                 /* absent ones that were there in an earlier capture */
	uint64_t asserted;                 /* pages with evidence "asserted" */
	struct known known;                /* intervals of the pages, the best instant */
	struct {
		uint64_t pages, sharp;
	} composites; /* proof/composite.h */
	struct report_dusts dust;
	struct requisites requisites; /* of the pages */
	bool lists_requisites;        /* the caller's: report_json lists them */
	struct provenance provenance;
	double expected_sharp; /* proof/expect.h; NAN without revisits of ours, or of unknown rates
				*/
	struct expect_range expected_range;
	uint64_t expected_unknown; /* pages of these of which nothing was known */
	double blur;               /* the same; NAN where a page's rate was not known */
	struct arena arena;
	struct words words; /* strings that many pages share */
};

/*
 * A page, for who passes through all of them: those before need not stay in memory. Pointers to
 * them stay valid.
 */
static inline struct report_page *report_page_at(const struct report *r, size_t i)
{
	if (i % REPORT_PAGES_AT_ONCE == 0)
		mapped_rest(&r->pages.memory);
	return &r->pages.ptr[i];
}

/* Room for so many pages, which are empty: 0 or ERR_IO. */
int report_make_pages(struct report *r, size_t pages, struct err *err) SP_MUST_CHECK;

/*
 * The report of a capture (0: the last one), as it was saved when the capture ended
 * (report_saved.h), else computed. 0, ERR_NOTFOUND when there is none, or as the catalog's
 * functions; the report is then empty. To be released in any case.
 */
int report_load(
	struct report *r, struct catalog *catalog, uint32_t capture, struct err *err) SP_MUST_CHECK;

/* Who wants to see the observations that a report is computed from, each once, in their order. */
struct report_observer {
	catalog_on_observation *call;
	void *context;
};

/* The same, computed from the rows in any case. also: NULL for nobody. */
int report_compute(struct report *r, struct catalog *catalog, uint32_t capture,
	const struct report_observer *also, struct err *err) SP_MUST_CHECK;

/*
 * The same as report_load for who asks about one page, and what it is made of: other pages may be
 * empty.
 */
int report_load_page(struct report *r, struct catalog *catalog, uint32_t capture, uint32_t page,
	struct err *err) SP_MUST_CHECK;

/* Appends the numbers of all captures, in their order: 0, or as the catalog's functions. */
int report_captures(struct catalog *catalog, struct u32_vec *ids, struct err *err) SP_MUST_CHECK;

/* Archives of other crawlers: nothing was planned or expected. */
bool report_is_judged(const struct report *r);

/* Whether it is a site under watch: its pages are looked at, not visited and revisited. */
bool report_is_watched(const struct report *r);

/* Known as a link that leads out of the scope, and no more. */
bool report_is_out_of_scope(const struct report_page *p);

void report_release(struct report *r);

#endif
