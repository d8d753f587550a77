/*
 * How often pages change, from all that is known of them: the prior of a page's class times the
 * page's own evidence. Rates are per second.
 *
 *	class     its host, the word that a sitemap has for it (changefreq), its directories. A
 *	          Gamma prior for each is fitted to all pages (plan/rate_grid.h): a page with no
 *	          observation gets the rate of its kind.
 *	model     a trained predictor, if there is one, weighs as much as PRIOR_STRENGTH pages of
 *	          the class.
 *	evidence  captures, and what trusted hosts say of their last change (archive/page_table.h).
 *	          What a page did before its behaviour changed is forgotten (plan/rate_grid.h).
 *
 * The posterior of a page is exact (plan/posterior.h), or the light one (plan/gamma_poisson.h) for
 * millions of pages.
 */
#ifndef ARCHIVE_RATES_MODEL_H
#define ARCHIVE_RATES_MODEL_H

#include "archive/page_table.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "plan/gamma_poisson.h"
#include "plan/posterior.h"
#include "plan/predict_model.h"
#include "plan/rate_estimate.h"
#include "plan/rate_grid.h"

/*
 * Whether the word of a host counts: Last-Modified of its responses, lastmod of its sitemaps. It
 * does until captures contradict it (page_entry_lies), once, on any of its pages; then it counts
 * nowhere on that host. The two are trusted separately.
 */

/* Fields are its own. */
struct rates_trust {
	struct arena names;
	struct strmap liars; /* origins with a byte of enum page_word behind */
};

/* Whose word counts for a page: a set of enum page_word. */
unsigned rates_trust_of(const struct rates_trust *t, slice url);

enum {
	RATES_DIRECTORIES_MAX = 4, /* that are told apart below a host; deeper ones are one */
	RATES_FIT_MAX = 1 << 16,   /* pages that priors are fitted to: a sample of more */
};

/* Fields may be read, not written. */
struct rates_model {
	const struct page_table *table;  /* borrowed; NULL when only priors are left */
	struct predict_model *predictor; /* borrowed; NULL for none; read only */
	struct directories directories;
	struct rates_trust trust;
	int64_t *firsts; /* what pages said at their first look, ns, sorted */
	size_t first_count;
	struct rate_grid grid;
	struct rate_gamma *priors;       /* by class */
	uint32_t *evidence;              /* by class: pages in and below it with an interval */
	struct rate_intervals intervals; /* scratch: of the last page answered */
	struct rate_posterior posterior; /* scratch: the same */
};

/* What a page is, apart from its captures. */
struct rates_page {
	slice url;             /* url_page */
	enum frequency word;   /* of a sitemap */
	int64_t lastmod, read; /* of a sitemap, and when it was read, ns; 0: unknown */
};

/* Where a prior comes from. */
struct rates_prior {
	struct rate_gamma gamma; /* of class and predictor together */
	uint32_t class;
	bool predicted;
	double predicted_rate;
};

/* One answer. */
struct rates_answer {
	slice url;              /* of a site: its first page's origin */
	double rate, low, high; /* mean, and 95 % credible interval */
	double variance;
	uint64_t captures;
	uint64_t compared,
		changes;     /* intervals that say whether it changed, and those where it did */
	uint64_t forgotten;  /* intervals before its behaviour changed */
	int64_t last_change; /* ns; 0: none known */
	unsigned sources;    /* page_entry.sources */
	unsigned words;      /* set of enum page_word */
	bool has_word;       /* of a sitemap's changefreq */
	bool predicted;
	double changed; /* probability of a change between the last capture and a given time */
};

VEC_DECLARE(rates_answers, struct rates_answer);

/*
 * Fits the priors; table and predictor are borrowed. 0 or ERR_NOMEM; release after both. The table
 * must not change any more. Does not move afterwards.
 */
int rates_model_init(struct rates_model *m, const struct page_table *table,
	struct predict_model *predictor) SP_MUST_CHECK;
void rates_model_release(struct rates_model *m);

/* What is assumed of a page without captures. Threads may ask at the same time. */
int rates_model_prior(const struct rates_model *m, const struct rates_page *page,
	struct rates_prior *ret) SP_MUST_CHECK;

/*
 * What is known of a page; m->posterior and m->intervals are left for who wants to know more.
 * `by`, in ns, is for rates_answer.changed. 0 or ERR_NOMEM.
 */
int rates_model_answer(
	struct rates_model *m, uint32_t page, int64_t by, struct rates_answer *ret) SP_MUST_CHECK;

/* The light posterior. 0 or ERR_NOMEM. */
int rates_model_gamma(struct rates_model *m, uint32_t page, struct rate_gamma *ret) SP_MUST_CHECK;

/*
 * A page's name in the tree of classes, into an empty buffer: "example.org/",
 * "example.org/sitemap:daily/news/x". Of a URL that is too long, its beginning: ERR_LIMIT then.
 */
int rates_class_path(slice url, enum frequency word, struct buf *out);

/*
 * Joins answers of pages, sorted by URL, into one for each site, in place: the rate at which any of
 * its pages changes.
 */
void rates_join_sites(struct rates_answers *answers);

/* Keeps the home pages of sites only: those whose path is "/". */
void rates_keep_homepages(struct rates_answers *answers);

/* Model files of `stillpoint train`. */

/* The name of the model in an archive that its captures and `rates` use. */
#define RATES_MODEL_NAME "rates.model"

/*
 * Reads one: 0; ERR_NOTFOUND when there is no such file; ERR_IO; as predict_model_parse. err has
 * "FILE:LINE: …". *ret is untouched on failure; else to be released with predict_model_release.
 */
int rates_model_file_read(
	const char *path, struct predict_model *ret, struct err *err) SP_MUST_CHECK;

/* The same for the one of an archive. */
int rates_model_file_inside(
	const char *path, struct predict_model *ret, struct err *err) SP_MUST_CHECK;

#endif
