#include "archive_sample.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "proof/report.h"

enum { TEXT_MAX = 1 << 20 };

static void must(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "archive_sample: %s\n", err ? err->text : err_name(rc));
	abort();
}

static char *join(const char *dir, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		abort();
	return path;
}

static int64_t at(double ms)
{
	return ms > 0 ? SAMPLE_BASE + (int64_t)(ms * (double)SAMPLE_MS) : 0;
}

static struct sample *begin(const char *dir, bool single, const char *uuid)
{
	static const struct field INFO[] = {{SLICE_INIT("software"), SLICE_INIT("sample")}};
	char *warc = join(dir, "warc"), *file = join(dir, "catalog.sqlite");
	struct sample *s = calloc(1, sizeof(*s));
	struct err err = {0};

	if (!s)
		abort();
	(void)mkdir(warc, 0777);
	clock_manual_init(&s->clock, SAMPLE_BASE);
	must(catalog_open(file, CATALOG_CREATE, &s->catalog, &err), &err);
	must(warc_writer_open(&(struct warc_writer_params){.dir = warc,
				      .name = "sample-%n",
				      .coding = WARC_CODING_GZIP,
				      .info = INFO,
				      .info_count = 1,
				      .clock = &s->clock.clock,
				      .seed = strlen(uuid) + (unsigned char)uuid[strlen(uuid) - 1]},
		     &s->writer, &err),
		&err);
	s->state = state_new(NULL, NULL);
	s->capture = (struct catalog_capture){
		.uuid = slice_str(uuid),
		.site = SLICE("http://example.org/"),
		.strategy = SLICE("stillpoint-online"),
		.settings = SLICE("{}"),
		.single = single,
		.started = SAMPLE_BASE,
	};
	must(catalog_add_capture(s->catalog, &s->capture, &s->capture.id, &err), &err);
	free(warc);
	free(file);
	return s;
}

struct sample *sample_open(const char *dir, bool single)
{
	return begin(dir, single, "urn:uuid:00000000-0000-4000-8000-000000000001");
}

struct sample *sample_again(const char *dir, bool single)
{
	return begin(dir, single, "urn:uuid:00000000-0000-4000-8000-000000000002");
}

static slice or_else(const char *text, const char *usual)
{
	return slice_str(text ? text : usual);
}

static enum left_out left_out_of(const struct sample_page *page)
{
	if (!page->refused)
		return LEFT_OUT_NOT;
	return page->rule && strncmp(page->rule, "robots", strlen("robots")) == 0 ? LEFT_OUT_ROBOTS
										  : LEFT_OUT_SCOPE;
}

uint32_t sample_add(struct sample *s, const struct sample_page *page)
{
	uint32_t number = s->pages++;
	struct err err = {0};

	if (number >= SAMPLE_PAGES_MAX)
		abort();
	s->urls[number] = strdup(page->url);
	must(catalog_put(s->catalog, CATALOG_ROW_ADD_PAGE, s->capture.id,
		     &(struct catalog_page){
			     .number = number,
			     .url = slice_str(page->url),
			     .kind = or_else(page->kind, "page"),
			     .via = page->via ? (uint32_t)page->via - 1 : CATALOG_NO_PAGE,
			     .found = or_else(page->found, "link"),
			     .taken = !page->refused,
			     .rule = or_else(page->rule, "host example.org"),
			     .left_out = left_out_of(page),
			     .rate = page->rate,
			     .weight = 1,
		     },
		     &err),
		&err);
	must(catalog_put(s->catalog, CATALOG_ROW_PLAN, s->capture.id,
		     &(struct catalog_plan){number, number, -1, page->hopeless}, &err),
		&err);
	return number;
}

/* Records follow one another in one file. */
static void add_record(struct sample *s, struct warc_entry *entry, struct warc_place *ret)
{
	struct err err = {0};

	must(warc_writer_add(s->writer, entry, ret, &err), &err);
	memcpy(s->file, ret->file, sizeof s->file);
	s->size = ret->offset + ret->length;
}

static struct state_result read_state(struct sample *s, slice response, slice *head, slice *body)
{
	struct state_result r;
	struct err err = {0};
	size_t from = 0, end = fields_find_end(response, &from);

	*head = slice_sub(response, 0, end);
	*body = slice_sub(response, end, response.len);
	must(state_start(s->state, *head, &err), &err);
	must(state_feed(s->state, *body), NULL);
	must(state_finish(s->state, &r), NULL);
	return r;
}

/* The response, or a revisit record when the body is that of the visit. */
static void add_response(struct sample *s, uint32_t page, struct attempt *o,
	const struct sample_fetch *f, struct warc_place *ret)
{
	slice head, body;
	struct state_result r = read_state(s, slice_str(f->response), &head, &body);
	struct warc_entry entry = {
		.type = WARC_TYPE_RESPONSE,
		.date = o->wall.sent,
		.url = f->target ? slice_str(f->target) : o->url,
		.head = head,
		.body = body,
		.payload = &r.payload,
		.truncated = r.whole ? NULL : "disconnect",
	};
	bool again =
		o->leg == ATTEMPT_REVISIT && r.whole && digest_eq(&r.payload, &s->payloads[page]);

	o->status = r.status;
	o->truncated = !r.whole;
	o->has_state = r.whole;
	o->state = r.state;
	o->has_payload = true;
	o->payload = r.payload;
	if (again) {
		entry.type = WARC_TYPE_REVISIT;
		entry.body = (slice){0};
		entry.refers_to = slice_str(s->visits[page].id.text);
		entry.refers_to_url = o->url;
		entry.refers_to_date = s->dates[page];
	}
	add_record(s, &entry, ret);
	if (o->leg == ATTEMPT_VISIT) {
		s->visits[page] = *ret;
		s->dates[page] = entry.date;
		s->payloads[page] = r.payload;
	}
}

static void add_rest(struct sample *s, const struct attempt *a)
{
	int64_t date = a->wall.sent ? a->wall.sent : a->wall.last_byte;
	struct warc_place request, metadata;
	struct buf block;

	add_record(s,
		&(struct warc_entry){.type = WARC_TYPE_REQUEST,
			.date = date,
			.url = a->url,
			.head = SLICE("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
			.concurrent = a->record_id},
		&request);
	buf_init(&block, TEXT_MAX);
	must(attempt_format(a, &block), NULL);
	add_record(s,
		&(struct warc_entry){.type = WARC_TYPE_METADATA,
			.date = date,
			.url = a->url,
			.body = buf_slice(&block),
			.concurrent = a->record_id.ptr ? a->record_id : slice_str(request.id.text)},
		&metadata);
	buf_release(&block);
}

static struct attempt describe(
	struct sample *s, uint32_t page, const struct sample_fetch *f, bool side)
{
	struct attempt a = {
		.page = page,
		.capture = s->capture.uuid,
		.url = side ? SLICE("http://example.org/robots.txt") : slice_str(s->urls[page]),
		.kind = SLICE("page"),
		.leg = f->leg,
		.single = s->capture.single,
		.number = side ? 1 : ++s->attempts[page][f->leg],
		.wall = {.sent = at(f->sent), .last_byte = at(f->end)},
		.clock = {.sent = at(f->sent), .last_byte = at(f->end)},
	};

	if (f->failure)
		a.failure = slice_str(f->failure);
	return a;
}

void sample_fetch(struct sample *s, uint32_t page, const struct sample_fetch *f)
{
	bool side = page == CATALOG_NO_PAGE;
	struct attempt o = describe(s, page, f, side);
	struct warc_place place = {0};
	struct attempt stated;
	struct err err = {0};

	if (f->response) {
		add_response(s, side ? SAMPLE_PAGES_MAX - 1 : page, &o, f, &place);
		o.warc = slice_str(place.file);
		o.offset = place.offset;
		o.length = place.length;
		o.record_id = slice_str(place.id.text);
	}
	stated = o;
	if (f->lies)
		stated.state.bytes[0] ^= 1;
	add_rest(s, &stated);
	if (!f->forgotten)
		must(catalog_add_observation(s->catalog, s->capture.id, &o, &err), &err);
}

static void store_verdicts(struct sample *s)
{
	struct report r;
	struct err err = {0};

	must(report_load(&r, s->catalog, s->capture.id, &err), &err);
	for (uint32_t i = 0; i < r.pages.len; i++) {
		const struct report_page *p = &r.pages.ptr[i];
		struct catalog_verdict v = {
			.page = i,
			.verdict = slice_str(verdict_name((enum verdict)p->verdict)),
			.reason = p->reason,
		};

		if (p->evidence)
			v.evidence = slice_str(same_by_name((enum same_by)p->evidence));
		must(catalog_put(s->catalog, CATALOG_ROW_VERDICT, s->capture.id, &v, &err), &err);
	}
	s->capture.still_from = r.window.from;
	s->capture.still_to = r.window.to;
	report_release(&r);
}

void sample_end(struct sample *s, enum catalog_end limit)
{
	static const struct catalog_clock END = {
		.moment = SLICE_INIT("end"),
		.wall = SAMPLE_BASE + 10 * CLOCK_NS_PER_SECOND,
		.monotonic = 10 * CLOCK_NS_PER_SECOND,
	};
	struct warc_place place;
	struct err err = {0};
	struct buf block;

	buf_init(&block, TEXT_MAX);
	must(buf_printf(&block, "moment: end\r\nmonotonic: %lld\r\n", (long long)END.monotonic),
		NULL);
	if (limit != CATALOG_END_NONE)
		must(buf_printf(&block, "endedBy: %s\r\n", catalog_end_name(limit)), NULL);
	add_record(s,
		&(struct warc_entry){.type = WARC_TYPE_METADATA,
			.date = END.wall,
			.url = s->capture.uuid,
			.body = buf_slice(&block)},
		&place);
	must(catalog_put(s->catalog, CATALOG_ROW_CLOCK, s->capture.id, &END, &err), &err);
	s->capture.ended_by = limit;
	buf_release(&block);
}

void sample_close(struct sample *s, enum catalog_state state)
{
	struct err err = {0};
	bool ended = state != CATALOG_RUNNING;

	s->capture.state = state;
	if (ended) {
		must(catalog_commit(s->catalog, &err), &err);
		store_verdicts(s);
		s->capture.finished = SAMPLE_BASE + 60000 * SAMPLE_MS;
	}
	must(warc_writer_close(s->writer, &err), &err);
	must(catalog_put(s->catalog, CATALOG_ROW_WARC, 0,
		     &(struct catalog_warc){
			     .name = slice_str(s->file), .size = s->size, .complete = ended},
		     &err),
		&err);
	must(catalog_put(s->catalog, CATALOG_ROW_CAPTURE, 0, &s->capture, &err), &err);
	must(catalog_commit(s->catalog, &err), &err);
	catalog_close(s->catalog);
	state_free(s->state);
	for (uint32_t i = 0; i < s->pages; i++)
		free(s->urls[i]);
	free(s);
}

#define OK    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
#define LONG  "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nnot fifty"
#define GONE  "HTTP/1.1 404 Not Found\r\n\r\nnothing"
#define BUSY  "HTTP/1.1 503 Service Unavailable\r\n\r\nlater"
#define NEVER "HTTP/1.1 403 Forbidden\r\n\r\nno"
#define MOVED "HTTP/1.1 301 Moved Permanently\r\nLocation: /a/\r\n\r\n"
#define CHUNK OK "Transfer-Encoding: chunked\r\n\r\n"

#define FETCH(which, from, to, answer)                                                    \
	{                                                                                 \
		.leg = ATTEMPT_##which, .sent = (from), .end = (to), .response = (answer) \
	}
#define BROKEN(which, from, to, answer, why)                                               \
	{                                                                                  \
		.leg = ATTEMPT_##which, .sent = (from), .end = (to), .response = (answer), \
		.failure = (why)                                                           \
	}
#define TORN "reset: it went away"

void sample_sharp(struct sample *s, const char *url, double visit, double revisit)
{
	static const char PAGE[] = OK "Content-Length: 9\r\n\r\nunchanged";
	uint32_t page = sample_add(s, &(struct sample_page){.url = url, .rate = 1e-5});

	sample_fetch(s, page, &(struct sample_fetch)FETCH(VISIT, visit, visit + 10.5, PAGE));
	sample_fetch(s, page, &(struct sample_fetch)FETCH(REVISIT, revisit, revisit + 10.5, PAGE));
}

/* One page with its attempts; those that were not made have no time. */
struct site_row {
	struct sample_page page;
	struct sample_fetch fetches[3];
};

static const struct site_row SITE[] = {
	{{.url = "http://example.org/", .kind = "page", .found = "seed", .rate = 1e-4},
		{FETCH(VISIT, 100, 120.25, OK "\r\nhome"),
			FETCH(REVISIT, 9900, 9920, OK "\r\nhome")}},
	{{.url = "http://example.org/a/", .via = 1, .rate = 2e-4},
		{FETCH(VISIT, 200, 220, CHUNK "3\r\nabc\r\n0\r\n\r\n"),
			FETCH(REVISIT, 9800, 9820, OK "\r\nabc")}},
	{{.url = "http://example.org/a/moved", .via = 2, .rate = 1e-6},
		{FETCH(VISIT, 300, 320, MOVED), FETCH(REVISIT, 9700, 9720, MOVED)}},
	{{.url = "http://example.org/a/news", .via = 2, .rate = 0.5, .hopeless = true},
		{FETCH(VISIT, 400, 420, OK "\r\nold"), FETCH(REVISIT, 9600, 9620, OK "\r\nnew")}},
	{{.url = "http://example.org/a/price?eur=1", .via = 2, .rate = 1e-3},
		{FETCH(VISIT, 500, 520, OK "\r\n1 EUR"),
			FETCH(REVISIT, 9500, 9520, OK "\r\n2 EUR")}},
	{{.url = "http://example.org/b/missing", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 600, 620, GONE), FETCH(REVISIT, 9400, 9420, GONE)}},
	{{.url = "http://example.org/b/new", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 700, 720, GONE), FETCH(REVISIT, 9300, 9320, OK "\r\nhere")}},
	{{.url = "http://example.org/b/old", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 800, 820, OK "\r\nhere"), FETCH(REVISIT, 9200, 9220, GONE)}},
	{{.url = "http://example.org/b/busy", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 900, 920, BUSY), FETCH(VISIT, 2000, 2020, OK "\r\nfine"),
			FETCH(REVISIT, 9100, 9120, BUSY)}},
	{{.url = "http://example.org/b/torn", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 1000, 1020, OK "\r\nfine"), BROKEN(REVISIT, 9000, 9020, LONG, TORN)}},
	{{.url = "http://example.org/c/error", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 1100, 1120, BUSY)}},
	{{.url = "http://example.org/c/cut", .via = 1, .rate = 1e-5},
		{BROKEN(VISIT, 1200, 1220, LONG, TORN)}},
	{{.url = "http://example.org/c/lost", .via = 1, .rate = 1e-5},
		{BROKEN(VISIT, 1300, 1320, NULL, "timeout: no answer within 30 s")}},
	{{.url = "http://nowhere.example/", .via = 1, .rule = "requisite of a page", .rate = 1e-5},
		{BROKEN(VISIT, 0, 1420, NULL, "dns: nowhere.example resolves to nothing")}},
	{{.url = "http://example.org/login", .via = 1, .rate = 1e-5},
		{FETCH(VISIT, 1500, 1520, NEVER)}},
	{{.url = "http://example.org/private/",
		 .rule = "robots.txt: Disallow: /private/",
		 .via = 1,
		 .refused = true},
		{{0}}},
	{{.url = "http://elsewhere.example/", .rule = "another host", .via = 1, .refused = true},
		{{0}}},
	{{.url = "http://example.org/late", .via = 7, .rate = 1e-5},
		{FETCH(LATE, 10000, 10020, OK "\r\nlate")}},
	{{.url = "http://example.org/unseen", .via = 7, .rate = 1e-5}, {{0}}},
};

enum { SITE_COUNT = sizeof SITE / sizeof SITE[0] };

/* Visits of all pages, then revisits from the last to the first. */
void sample_site(const char *dir)
{
	static const enum attempt_leg LEGS[] = {ATTEMPT_VISIT, ATTEMPT_REVISIT, ATTEMPT_LATE};
	struct sample *s = sample_open(dir, false);

	for (size_t i = 0; i < SITE_COUNT; i++)
		(void)sample_add(s, &SITE[i].page);
	sample_fetch(s, CATALOG_NO_PAGE,
		&(struct sample_fetch)FETCH(SIDE, 10, 20,
			"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /private/\n"));
	for (size_t leg = 0; leg < 3; leg++)
		for (uint32_t i = 0; i < SITE_COUNT; i++)
			for (size_t k = 0; k < 3; k++) {
				const struct sample_fetch *f = &SITE[i].fetches[k];

				if (f->end > 0 && f->leg == LEGS[leg])
					sample_fetch(s, i, f);
			}
	sample_close(s, CATALOG_FINISHED);
}

char *sample_warc_path(const char *dir)
{
	char *warc = join(dir, "warc"), *found = NULL;
	const struct dirent *entry;
	DIR *d = opendir(warc);

	while (d && !found && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			found = join(warc, entry->d_name);
	if (!d || !found)
		abort();
	(void)closedir(d);
	free(warc);
	return found;
}
