/*
 * Records of looks as compact looks (archive/compact.h): the way back from what copier.h makes of
 * these. A response or revisit record, its request and its metadata become a row when nothing of
 * them is lost by it, and when a crawl would have made a row of them, too:
 *
 *	- they were a row before: their names say so;
 *	- or it is a revisit, or a look of a watch, with the state of the record of its page before
 *	  it or, as the rules against noise have it, with the same content.
 *
 * So all versions of a page stay records. The names of the three records follow from the attempt in
 * a row, so those of records that were none before change.
 */
#ifndef EXPORT_PACKER_H
#define EXPORT_PACKER_H

#include "archive/warc_reader.h"
#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum { PACKER_RECORD_MAX = 9 << 20 }; /* bytes of a record's block that it takes */

/* Writes a record, which is given uncompressed; *ret_offset is where it begins. 0 or an error. */
typedef int packer_put(void *context, slice record, uint64_t *ret_offset, struct err *err);

struct packer_params {
	const char *dir; /* where the output is written, … */
	const char *now; /* … its name there, … */
	slice file;      /* … and the one that it will have, by which patches know it */
	packer_put *put;
	void *context;
};

struct packer; /* opaque */

/* params are copied, strings borrowed. 0 or ERR_NOMEM. */
int packer_open(
	const struct packer_params *params, struct packer **ret, struct err *err) SP_MUST_CHECK;
void packer_close(struct packer *p); /* NULL is fine */

/*
 * The next record: its header as text with the empty line, and its block. It is written, or held
 * until it is clear what becomes of it. 0, ERR_NOMEM, or what put returned.
 */
int packer_add(struct packer *p, const struct warc_header *h, slice head, slice block,
	struct err *err) SP_MUST_CHECK;

/* Writes all that is held. As above. */
int packer_flush(struct packer *p, struct err *err) SP_MUST_CHECK;

#endif
