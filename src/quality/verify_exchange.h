/*
 * The headers of an attempt's records against each other: no digest covers them. Its metadata,
 * request and response were written together, so they have one date, one URL and one address, and
 * name each other.
 */
#ifndef QUALITY_VERIFY_EXCHANGE_H
#define QUALITY_VERIFY_EXCHANGE_H

#include "archive/attempt.h"
#include "archive/warc_reader.h"
#include "quality/verify_run.h"

/* The request record that was read last. Fields are its own, but for made. */
struct verify_request {
	bool made; /* there is one that no attempt was read behind */
	bool has_digest;
	bool has_date;
	uint64_t url; /* hash, as in struct evidence */
	int64_t date;
	uint32_t ip;
	struct buf id, concurrent;
};

void verify_request_init(struct verify_request *q);
void verify_request_release(struct verify_request *q);

/* Remembers the record: 0 or ERR_NOMEM. */
int verify_request_keep(
	struct verify *v, struct verify_request *q, const struct warc_record *record) SP_MUST_CHECK;

/* The number of the record's address: 0 or ERR_NOMEM. */
int verify_address(struct verify *v, const struct warc_record *record, uint32_t *ret) SP_MUST_CHECK;

/* Whether a record may state that date: ours are in seconds, earlier ones in microseconds. */
bool verify_is_date_of(int64_t stated, int64_t time);

struct verify_exchange {
	const struct verify_place *place;
	const struct warc_record *metadata;
	const struct verify_request *request;
	const struct evidence *response; /* NULL: there is none */
	bool is_split;                   /* its request may be at the end of another file */
};

/* Tells what does not fit: 0 or ERR_NOMEM. */
int verify_exchange(
	struct verify *v, const struct verify_exchange *x, const struct attempt *a) SP_MUST_CHECK;

#endif
