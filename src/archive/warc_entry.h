/*
 * A record to be written, and its header as WARC 1.1 (ISO 28500:2017) has it.
 */
#ifndef ARCHIVE_WARC_ENTRY_H
#define ARCHIVE_WARC_ENTRY_H

#include <stdint.h>

#include "archive/warc_header.h"
#include "archive/warc_id.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "http/digest.h"
#include "http/fields.h"

/* Why a revisit record has no payload (ISO 28500:2017 §6.7). */
enum warc_profile {
	WARC_PROFILE_IDENTICAL,    /* identical-payload-digest: we compared */
	WARC_PROFILE_NOT_MODIFIED, /* server-not-modified: the server says so */
};

/* A body in a file, read from its start. */
struct warc_spool {
	int fd;
	uint64_t size;
};

/*
 * All is borrowed for the call it is passed to. What is left out is zero: a slice whose ptr is
 * NULL writes no field. The block is head, then body, then spool.
 */
struct warc_entry {
	enum warc_type type;       /* of those that warc_type_is_written */
	enum warc_profile profile; /* of a revisit */
	slice id;                  /* with angle brackets; none: a new one */
	int64_t date;              /* ns since 1970, when the capture began */
	slice url;                 /* required but for warcinfo */
	slice content_type;        /* of the block; has a default but for resource */
	slice ip;
	slice head; /* of an HTTP message: exact bytes up to and with the empty line */
	slice body; /* exact bytes as sent */
	const struct warc_spool *spool;
	const char *truncated;     /* "length", "time", "disconnect", "unspecified" */
	slice concurrent;          /* id of a record of the same exchange */
	const struct field *extra; /* further fields */
	size_t extra_count;

	/* Known to the caller, or for a revisit that of the original; else it is computed. */
	const struct digest *payload;

	/* A revisit: all are required, and payload when identical. */
	slice refers_to; /* record id, with angle brackets */
	slice refers_to_url;
	int64_t refers_to_date;
};

/* What an entry's header says besides. */
struct warc_entry_facts {
	struct warc_id id;
	const char *filename; /* of a warcinfo record */
	const char *warcinfo; /* of other records: id of that of their file */
	struct digest block;
	bool has_payload;
	struct digest payload;
	uint64_t length; /* of the block */
};

/* Whether what must be there is there: 0 or ERR_USAGE. */
int warc_entry_check(const struct warc_entry *e, struct err *err) SP_MUST_CHECK;

/* Whether the record states a payload digest: a response, a resource, a revisit. */
bool warc_entry_has_payload(const struct warc_entry *e);

/* The content type that is given, or the default. */
slice warc_entry_content_type(const struct warc_entry *e);

/*
 * Appends the header with its empty line: 0, ERR_SYNTAX for a value that has a line break in it,
 * ERR_LIMIT, ERR_NOMEM.
 */
int warc_entry_format(const struct warc_entry *e, const struct warc_entry_facts *facts,
	struct buf *out, struct err *err) SP_MUST_CHECK;

/*
 * Appends the whole record, uncompressed: header, block, end. Of the facts it needs the id, and
 * computes the rest; the entry has no spool. As warc_entry_format.
 */
int warc_entry_record(const struct warc_entry *e, const struct warc_entry_facts *facts,
	struct buf *out, struct err *err) SP_MUST_CHECK;

#endif
