/*
 * A database that only a search form opens: records of words, and how many queries it takes to get
 * a share of them, by three ways of choosing the words. The words of a record are drawn from Zipf's
 * law; some of them from the topic of the record, so that words occur together as they do in texts.
 */
#ifndef SIM_HIDDEN_DATABASE_H
#define SIM_HIDDEN_DATABASE_H

#include <stdint.h>

#include "base/api.h"
#include "base/rng.h"

struct hidden_params {
	uint32_t records;
	uint32_t words;     /* different ones */
	uint32_t shortest;  /* words of a record */
	uint32_t longest;   /* the same */
	uint32_t topics;    /* 0: none */
	double topic_share; /* of a record's words that are drawn from its topic */
	double skew;        /* Zipf's exponent */
	uint32_t skipped;   /* of the most frequent words that no record has */
	uint32_t shown;     /* records on the site's pages, from which the first words come */
	double coverage;    /* share of the records that is asked for */
};

/* Queries until that share is found; queries_max + 1 if it is not. */
struct hidden_result {
	uint32_t oracle;   /* always the word with most new records: knows the database */
	uint32_t adaptive; /* text/form_vocabulary.h */
	uint32_t random;   /* words of the database in random order, without repetition */
};

/* queries_max: for each of them. 0 or ERR_NOMEM. */
int hidden_database_run(const struct hidden_params *p, struct rng *rng, uint32_t queries_max,
	struct hidden_result *ret) SP_MUST_CHECK;

#endif
