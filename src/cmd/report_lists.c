/* Lists of a report: all pages as CSV, and where the requests went. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"
#include "cmd/report_print.h"
#include "cmd/text.h"

enum { NAME_WIDTH = 36 };

static const char *const NAMES[] = {
	[TALLY_HOSTS] = "host",
	[TALLY_TYPES] = "type",
	[TALLY_STATUS] = "status",
};

static void put_time(FILE *file, int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE];

	if (time)
		clock_format(time, round, text);
	(void)fprintf(file, ",%s", time ? text : "");
}

static void put_page(const struct report_page *p, FILE *file)
{
	csv_write_field(file, p->url);
	(void)putc(',', file);
	csv_write_field(file, p->kind);
	(void)fprintf(file, p->visit.status ? ",%u" : ",", p->visit.status);
	put_time(file, p->visit.start, CLOCK_ROUND_DOWN);
	put_time(file, p->visit.end, CLOCK_ROUND_UP);
	put_time(file, p->revisit.start, CLOCK_ROUND_DOWN);
	put_time(file, p->revisit.end, CLOCK_ROUND_UP);
	(void)fprintf(file, ",%s,%s,", verdict_name((enum verdict)p->verdict),
		p->evidence ? p->evidence : "");
	csv_write_field(file, p->reason);
	(void)fprintf(file, ",%.9g,%.9g,%s\n", p->rate, (double)p->weight,
		p->hopeless ? "true" : "false");
}

void report_csv(const struct report *r, FILE *file)
{
	(void)fputs("url,kind,status,visit_start,visit_end,revisit_start,revisit_end,verdict,"
		    "evidence,reason,rate,weight,hopeless\n",
		file);
	for (size_t i = 0; i < r->pages.len; i++)
		put_page(&r->pages.ptr[i], file);
}

void report_tally_print(const struct tally *t, enum tally_by by, FILE *file)
{
	(void)fprintf(file, "%-*s%9s%10s%9s%8s%12s%14s\n", NAME_WIDTH, NAMES[by], "pages",
		"requests", "retries", "errors", "stored", "downloading");
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct tally_row *row = &t->rows.ptr[i];
		char size[TEXT_SIZE_SIZE], busy[TEXT_DURATION_SIZE];

		text_size(row->bytes, size);
		text_duration(clock_seconds(row->busy), busy);
		text_name(file, row->name, NAME_WIDTH);
		(void)fprintf(file, "%9" PRIu64 "%10" PRIu64 "%9" PRIu64 "%8" PRIu64 "%12s%14s\n",
			row->pages, row->requests, row->retries, row->errors, size, busy);
	}
}

void report_tally_csv(const struct tally *t, enum tally_by by, FILE *file)
{
	(void)fprintf(file, "%s,pages,requests,retries,errors,bytes,seconds\n", NAMES[by]);
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct tally_row *row = &t->rows.ptr[i];

		csv_write_field(file, row->name);
		(void)fprintf(file,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.3f\n",
			row->pages, row->requests, row->retries, row->errors, row->bytes,
			clock_seconds(row->busy));
	}
}

int report_tally_json(const struct tally *t, enum tally_by by, FILE *file)
{
	struct json j;

	json_init_file(&j, file, JSON_LINES);
	json_object_begin(&j);
	json_put_string(&j, "by", NAMES[by]);
	json_key(&j, "rows");
	json_array_begin(&j);
	for (size_t i = 0; i < t->rows.len; i++) {
		const struct tally_row *row = &t->rows.ptr[i];

		json_object_begin(&j);
		json_text(&j, NAMES[by], row->name);
		json_put_uint(&j, "pages", row->pages);
		json_put_uint(&j, "requests", row->requests);
		json_put_uint(&j, "retries", row->retries);
		json_put_uint(&j, "errors", row->errors);
		json_put_uint(&j, "bytes", row->bytes);
		json_put_double(&j, "seconds", clock_seconds(row->busy));
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j);
}
