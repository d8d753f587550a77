/* Names of records: "<urn:uuid:…>", and the 16 bytes of ours. */
#ifndef ARCHIVE_WARC_ID_H
#define ARCHIVE_WARC_ID_H

#include <stdbool.h>

#include "base/rng.h"
#include "base/slice.h"

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

#endif
