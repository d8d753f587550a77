/*
 * What an archive knows of change rates when a crawl begins, for its plan: earlier captures,
 * imported ones, what sitemaps said, and a trained model (rates.model in the archive). The answer
 * for a page is a Gamma distribution of its rate: the shape says how sure that is.
 *
 * Memory while reading grows with the pages of the archive (at most 16 looks of each are kept),
 * then 32 bytes for each page and its classes. Once loaded, several threads may ask.
 */
#ifndef ARCHIVE_RATES_KNOWN_H
#define ARCHIVE_RATES_KNOWN_H

#include "archive/rates_model.h"
#include "archive/rates_observed.h"
#include "base/api.h"
#include "base/hash.h"
#include "catalog/catalog.h"

struct known_rate;

/* Fields are its own. */
struct known_rates {
	struct hash_key key;
	struct known_rate *slots; /* by hash of the URL; linear probing */
	size_t slot_count;        /* a power of two, or 0 */
	size_t pages;
	struct predict_model predictor;
	struct rates_model *model;
};

/*
 * Reads the catalog, and the model if that file is there (NULL: none). Captures of other owners'
 * sites than these are only sampled (RATES_SAMPLE; NULL: none are). 0; ERR_SYNTAX and the like
 * for a bad model, with its path in err; as the catalog's functions; ERR_NOMEM. Release in every
 * case; safe on a zeroed struct. Does not move afterwards.
 */
int known_rates_load(struct known_rates *k, struct catalog *catalog, const char *model,
	enum rates_change change, const struct strmap *owners, struct err *err) SP_MUST_CHECK;
void known_rates_release(struct known_rates *k);

/* What is known of a page. 0 or ERR_NOMEM. */
int known_rates_find(const struct known_rates *k, const struct rates_page *page,
	struct rate_gamma *ret) SP_MUST_CHECK;

#endif
