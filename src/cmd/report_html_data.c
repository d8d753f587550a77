/*
 * The pages of a report as columns, which compress far better than rows. Times are milliseconds
 * since the start of the capture, rounded outwards; -1 for what did not happen. Words that many
 * pages share are numbers of a list; -1 for none.
 */
#include "base/clock.h"
#include "cmd/report_html.h"
#include "cmd/report_page.h"

static void put_time(struct json *j, const void *context, int64_t time, bool up)
{
	const struct report_page_parts *parts = context;

	page_time(j, parts->report->capture.started, time, up);
}

static const struct report_page *page_of(const void *context, uint32_t page)
{
	const struct report_page_parts *parts = context;

	return &parts->report->pages.ptr[page];
}

static const struct page_records *records_of(const void *context, uint32_t page)
{
	const struct report_page_parts *parts = context;

	return &parts->records->pages.ptr[page];
}

static void put_url(struct json *j, const void *parts, uint32_t page)
{
	json_slice(j, page_of(parts, page)->url);
}

static void put_verdict(struct json *j, const void *parts, uint32_t page)
{
	json_uint(j, page_of(parts, page)->verdict);
}

static void put_evidence(struct json *j, const void *parts, uint32_t page)
{
	json_string(j, page_of(parts, page)->evidence);
}

static void put_reason(struct json *j, const void *parts, uint32_t page)
{
	slice reason = page_of(parts, page)->reason;

	if (reason.ptr)
		json_slice(j, reason);
	else
		json_null(j);
}

static void put_status(struct json *j, const void *parts, uint32_t page)
{
	json_uint(j, page_of(parts, page)->visit.status);
}

static void put_status_again(struct json *j, const void *parts, uint32_t page)
{
	json_uint(j, page_of(parts, page)->revisit.status);
}

static void put_visit_start(struct json *j, const void *parts, uint32_t page)
{
	put_time(j, parts, page_of(parts, page)->visit.start, false);
}

static void put_visit_end(struct json *j, const void *parts, uint32_t page)
{
	put_time(j, parts, page_of(parts, page)->visit.end, true);
}

static void put_revisit_start(struct json *j, const void *parts, uint32_t page)
{
	put_time(j, parts, page_of(parts, page)->revisit.start, false);
}

static void put_revisit_end(struct json *j, const void *parts, uint32_t page)
{
	put_time(j, parts, page_of(parts, page)->revisit.end, true);
}

static void put_rate(struct json *j, const void *parts, uint32_t page)
{
	json_double(j, page_of(parts, page)->rate);
}

static void put_place(struct json *j, const struct record_place *place)
{
	json_int(j, place->known ? (int64_t)place->file : -1);
}

static void put_visit_file(struct json *j, const void *parts, uint32_t page)
{
	put_place(j, &records_of(parts, page)->visit);
}

static void put_visit_offset(struct json *j, const void *parts, uint32_t page)
{
	json_uint(j, records_of(parts, page)->visit.offset);
}

static void put_revisit_file(struct json *j, const void *parts, uint32_t page)
{
	put_place(j, &records_of(parts, page)->revisit);
}

static void put_revisit_offset(struct json *j, const void *parts, uint32_t page)
{
	json_uint(j, records_of(parts, page)->revisit.offset);
}

static void put_digest(struct json *j, const struct digest *digest)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(digest, text);
	json_string(j, text);
}

static void put_visit_digest(struct json *j, const void *parts, uint32_t page)
{
	const struct record_place *place = &records_of(parts, page)->visit;

	if (place->has_payload)
		put_digest(j, &place->payload);
	else
		json_null(j);
}

/* Null also where it is that of the visit. */
static void put_revisit_digest(struct json *j, const void *parts, uint32_t page)
{
	const struct page_records *r = records_of(parts, page);

	if (r->revisit.has_payload &&
		!(r->visit.has_payload && digest_eq(&r->visit.payload, &r->revisit.payload)))
		put_digest(j, &r->revisit.payload);
	else
		json_null(j);
}

static const struct page_column COLUMNS[] = {
	{"url", put_url},
	{"verdict", put_verdict},
	{"evidence", put_evidence},
	{"reason", put_reason},
	{"status", put_status},
	{"revisitStatus", put_status_again},
	{"visitStart", put_visit_start},
	{"visitEnd", put_visit_end},
	{"revisitStart", put_revisit_start},
	{"revisitEnd", put_revisit_end},
	{"rate", put_rate},
	{"visitFile", put_visit_file},
	{"visitOffset", put_visit_offset},
	{"visitDigest", put_visit_digest},
	{"revisitFile", put_revisit_file},
	{"revisitOffset", put_revisit_offset},
	{"revisitDigest", put_revisit_digest},
};

/* Ends of the proven intervals of all pages, for the sharpness curve. */
static void put_ends(struct json *j, const struct report_page_parts *parts, bool to)
{
	json_key(j, to ? "provenTo" : "provenFrom");
	json_array_begin(j);
	for (uint32_t i = 0; i < parts->report->pages.len; i++) {
		size_t count;
		const struct interval *list = known_proven(&parts->report->known, i, &count);

		/* Rounded inwards: what is drawn is known. */
		for (size_t n = 0; n < count; n++)
			put_time(j, parts, to ? list[n].to : list[n].from, !to);
	}
	json_array_end(j);
}

static void put_words(struct json *j, const struct report_page_parts *parts)
{
	const struct slice_vec *files = &parts->records->files.list;

	json_key(j, "verdicts");
	json_array_begin(j);
	for (int v = 0; v < VERDICT_COUNT; v++)
		json_string(j, verdict_name((enum verdict)v));
	json_array_end(j);
	json_key(j, "files");
	json_array_begin(j);
	for (size_t i = 0; i < files->len; i++)
		json_slice(j, files->ptr[i]);
	json_array_end(j);
}

void report_html_data(const void *context, struct json *j)
{
	const struct report_page_parts *parts = context;
	const struct report *r = parts->report;

	json_object_begin(j);
	json_key(j, "started");
	json_int(j, r->capture.started / PAGE_NS_PER_MS);
	json_key(j, "stillFrom");
	put_time(j, parts, stillpoint_is_known(&r->window) ? r->window.from : 0, true);
	json_key(j, "stillTo");
	put_time(j, parts, stillpoint_is_known(&r->window) ? r->window.to : 0, false);
	json_put_string(j, "replay", parts->replay);
	put_words(j, parts);
	put_ends(j, parts, false);
	put_ends(j, parts, true);
	page_columns(j, COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0], parts, r->pages.len);
	json_object_end(j);
}
