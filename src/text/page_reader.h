/*
 * HTML pages in WARC files, with their titles and visible text: answers with a status of 2xx, and
 * resources. Damaged records are passed over; of a body that is cut, what there is is read. What a
 * revisit record refers to is not looked up: who wants to know of them is told.
 */
#ifndef TEXT_PAGE_READER_H
#define TEXT_PAGE_READER_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "formats/text.h"
#include "warc/warc_input.h"
#include "warc/warc_reader.h"

/* Takes a page, both valid for the call; what it returns but 0 ends the work. */
typedef int page_reader_call(void *context, const struct warc_record *rec,
	const struct page_text *text, struct err *err);

struct page_reader; /* opaque */

struct page_reader *page_reader_open(page_reader_call *call, void *context);
void page_reader_close(struct page_reader *p); /* NULL is fine */

/* Calls for revisit records, too: their body is another record's. The text is NULL then. */
void page_reader_with_revisits(struct page_reader *p);

/* Calls for each page of a file. 0, ERR_IO, ERR_NOMEM, or as warc_reader_open and the call. */
int page_reader_read(
	struct page_reader *p, const struct warc_source *source, struct err *err) SP_MUST_CHECK;

/* Date of the newest record so far, of any type; 0: none. */
int64_t page_reader_newest(const struct page_reader *p);

#endif
