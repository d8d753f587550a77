/*
 * The header of a record: its fields as they are read, the names of records, and records to be
 * written.
 */
#ifndef WARC_WARC_HEADER_H
#define WARC_WARC_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/slice.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

/* ---- fields ---- */

/*
 * The header of a WARC record (ISO 28500:2009 and :2017, versions 0.17 to 1.1): its named fields
 * and what they mean. Read as producers write them: wget's angle brackets around the target URI,
 * folded lines, LF line ends, fields in any order and case (see fields.h).
 */

enum warc_type {
	WARC_TYPE_UNKNOWN, /* none given, or one that no standard has */
	WARC_TYPE_WARCINFO,
	WARC_TYPE_RESPONSE,
	WARC_TYPE_RESOURCE,
	WARC_TYPE_REQUEST,
	WARC_TYPE_METADATA,
	WARC_TYPE_REVISIT,
	WARC_TYPE_CONVERSION,
	WARC_TYPE_CONTINUATION,
};

/* Far beyond what producers write, so that no record is lost for a long list in its header. */
enum {
	WARC_HEAD_MAX = 4 << 20,    /* bytes of a header, its empty line included */
	WARC_FIELDS_MAX = 64 << 10, /* fields of it that are read; further ones are left out */
};

/* Slices point into the head that was parsed. Zero-initialise; may be used again and again. */
struct warc_header {
	struct fields fields;
	unsigned version; /* 100 × major + minor: 17, 18, 100, 101 */
	enum warc_type type;
	bool has_length;
	bool bad_length; /* there is a Content-Length, but it is no number */
	bool has_date;
	uint64_t length;    /* of the block */
	int64_t date;       /* ns since 1970 */
	slice url;          /* WARC-Target-URI; ptr is NULL when there is none */
	slice content_type; /* of the block; the same */
};

/*
 * Reads a head that ends in its empty line. It is borrowed while h is in use, and changed in place.
 * 0, ERR_SYNTAX when it does not begin with "WARC/" and a version.
 */
int warc_header_parse(struct warc_header *h, char *head, size_t len, struct err *err) SP_MUST_CHECK;

void warc_header_release(struct warc_header *h);

/* Value of a field as it stands, and without angle brackets around it; ptr NULL when missing. */
slice warc_header_get(const struct warc_header *h, slice name);
slice warc_header_uri(const struct warc_header *h, slice name);

/* Whether bytes begin like a record: "WARC/", digit, ".", digit. Eight bytes are enough to tell. */
enum { WARC_MAGIC_SIZE = 8 };
bool warc_header_is_start(slice bytes);

/* The same, and nothing else is on the line. For searching: text about WARC looks like the former.
 */
enum { WARC_VERSION_SIZE = 10 };
bool warc_header_is_version(slice bytes);

/*
 * Appends "name: value" and CRLF; nothing for a value whose ptr is NULL. 0, ERR_SYNTAX for a value
 * with a line break or NUL in it, which would forge a field, or a name that is none, or as buf_add;
 * out may have grown by part of the line.
 */
int warc_header_add(struct buf *out, slice name, slice value) SP_MUST_CHECK;

/* ---- names of records ---- */

/* Names of records: "<urn:uuid:…>", and the 16 bytes of ours. */

enum {
	WARC_ID_SIZE = sizeof("<urn:uuid:00000000-0000-4000-8000-000000000000>"),
	WARC_ID_BYTES = 16,
};

/* A record's name, with its angle brackets. */
struct warc_id {
	char text[WARC_ID_SIZE];
};

/* A new one: a version 4 UUID (RFC 9562 §5.4). */
void warc_id_make(struct rng *rng, struct warc_id *ret);

/* The bytes of a name of this form, in small letters; false for any other. */
bool warc_id_pack(slice id, unsigned char ret[WARC_ID_BYTES]);

void warc_id_unpack(const unsigned char bytes[WARC_ID_BYTES], struct warc_id *ret);

/* ---- records to be written ---- */

/*
 * A record to be written, and its header as WARC 1.1 (ISO 28500:2017) has it.
 */

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
	slice lines;  /* the same as lines of the header, each with its end */
	bool follows; /* it goes into the file of the record before it, however large that is */

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
	bool has_block;       /* a response whose payload has a digest needs no other */
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
 * ERR_LIMIT.
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
