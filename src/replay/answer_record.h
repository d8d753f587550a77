/* An archived response as it is: /NAME/TIMESTAMPid_/URL. */
#ifndef REPLAY_ANSWER_RECORD_H
#define REPLAY_ANSWER_RECORD_H

#include "replay/asked.h"
#include "replay/memento.h"
#include "replay/record.h"

/* Takes over the record. */
void answer_raw(struct asked *a, const struct memento *m, struct record *record);

/* X-Archive-Orig-… for all fields of the response. */
void answer_original_fields(struct asked *a, const struct fields *fields);

/*
 * Sends the body as archived, with Content-Length, Range and If-None-Match; the content coding is
 * undone where the client does not accept it. Takes over the record.
 */
void answer_body(struct asked *a, const struct memento *m, struct record *record);

#endif
