/*
 * /NAME/composite/TIMESTAMP/URL: a page and its requisites at one instant, and whether the whole
 * picture is known to have existed then.
 *
 *	sharp		page and requisites are proven at T
 *	incomplete	the page names something that is not archived
 *	blurred		everything is there, but not all of it is proven at T
 */
#include "archive/warc_date.h"
#include "base/clock.h"
#include "base/json.h"
#include "http/served.h"
#include "quality/coherence.h"
#include "quality/report_json.h"
#include "replay/answers.h"
#include "replay/parts.h"
#include "replay/record.h"

struct composite {
	struct asked *a;
	struct json j;
	struct parts requisites;
	int64_t page_time; /* when the page was looked at, or T where it is proven */
	uint32_t capture;  /* of the page; its edges lead from page to requisite */
	bool from_edges;
	bool missing, unproven;
};

/* Rounded inwards: the printed interval lies within the proven one. */
static void put_proven(struct json *j, const struct found *f)
{
	json_key(j, "proven");
	if (!f->memento || f->ground != CHOICE_PROVEN) {
		json_null(j);
		return;
	}
	json_object_begin(j);
	report_json_time(j, "from", f->interval.from, CLOCK_ROUND_UP);
	report_json_time(j, "to", f->interval.to, CLOCK_ROUND_DOWN);
	json_object_end(j);
}

/* Other tools know whole seconds (quality/coherence.h). */
static int64_t coherence_time(const struct composite *x, int64_t time)
{
	return x->a->collection->live ? time : warc_date_truncate(time);
}

static const char *state_of(struct composite *x, const struct found *f)
{
	struct coherence_facts facts = {
		.page = coherence_time(x, x->page_time),
		.requisite = coherence_time(x, f->memento->seen),
		.has_other = f->has_other,
		.other = coherence_time(x, f->other),
	};
	struct record *r = NULL;
	struct err ignored = {0};
	struct served served;

	if (record_open_head(x->a->collection, f->memento, &r, &ignored) == 0) {
		served_read(record_head(r)->fields, f->memento->seen, &served);
		facts.has_last_modified = served.modified != 0;
		facts.last_modified = served.modified;
		record_close(r);
	}
	return coherence_name(coherence_state(&facts));
}

static void put_part(struct composite *x, slice url, const struct found *f)
{
	struct json *j = &x->j;

	json_object_begin(j);
	json_text(j, "url", url);
	if (f->memento)
		report_json_time(j, "memento", f->memento->seen, CLOCK_ROUND_DOWN);
	else
		json_put_string(j, "memento", NULL);
	put_proven(j, f);
	json_put_string(j, "evidence",
		f->memento && f->ground != CHOICE_NEAREST
			? interval_evidence_name(f->interval.evidence)
			: NULL);
	json_put_string(j, "state", f->memento ? state_of(x, f) : NULL);
	json_object_end(j);
	x->missing = x->missing || !f->memento;
	x->unproven = x->unproven || (f->memento && f->ground != CHOICE_PROVEN);
}

static int find(struct composite *x, slice url, struct found *ret, struct err *err)
{
	struct asked *a = x->a;
	struct wanted wanted = {
		.page = url,
		.time = a->route.time.last,
		.digits = a->route.digits,
		.window = a->replay->window_ns,
		.capture = x->capture,
	};

	return choice_find_page(a->collection, &wanted, ret, err);
}

/* What requisites name is found while they are listed: the list grows meanwhile. */
static int put_requisites(struct composite *x, struct err *err)
{
	int rc = 0;

	json_key(&x->j, "requisites");
	json_array_begin(&x->j);
	for (size_t i = 0; rc == 0 && i < x->requisites.urls.len; i++) {
		slice url = x->requisites.urls.ptr[i];
		struct found f = {0};

		rc = work_check(x->a->request->work, err);
		if (rc == 0)
			rc = find(x, url, &f, err);
		if (rc == 0 && x->from_edges)
			rc = parts_from_archive(
				&x->requisites, x->a->collection, url, x->capture, err);
		else if (rc == 0 && f.memento)
			rc = parts_from_body(&x->requisites, x->a->collection, f.memento, err);
		if (rc == 0)
			put_part(x, url, &f);
		found_release(&f);
	}
	json_array_end(&x->j);
	return rc;
}

static int list_requisites(struct composite *x, const struct found *page, struct err *err)
{
	struct collection *c = x->a->collection;
	int rc = err_code(err, strmap_put(&x->requisites.seen, page->memento->url, 0));

	if (rc == 0)
		rc = parts_from_archive(&x->requisites, c, page->memento->url, page->capture, err);
	x->from_edges = x->requisites.urls.len > 0;
	if (rc == 0 && !x->from_edges)
		rc = parts_from_body(&x->requisites, c, page->memento, err);
	return rc;
}

static int put_composite(struct composite *x, const struct found *page, struct err *err)
{
	int rc = list_requisites(x, page, err);

	if (rc)
		return rc;
	json_init_buf(&x->j, &x->a->response->body, JSON_LINES);
	json_object_begin(&x->j);
	json_key(&x->j, "page");
	put_part(x, page->memento->url, page);
	rc = put_requisites(x, err);
	json_put_string(&x->j, "verdict",
		x->missing || x->requisites.cut ? "incomplete"
		: x->unproven                   ? "blurred"
						: "sharp");
	json_object_end(&x->j);
	return rc ? rc : err_code(err, json_finish(&x->j));
}

void answer_composite(struct asked *a)
{
	struct composite x = {.a = a};
	struct found page = {0};
	struct err err = {0};
	int rc;

	if (!asked_is_read(a))
		return;
	parts_init(&x.requisites);
	rc = find(&x, a->page, &page, &err);
	if (rc == 0 && !page.memento) {
		answer_missing(a, &page);
	} else if (rc == 0) {
		/* A page that is proven at T counts as captured at T. */
		x.page_time =
			page.ground == CHOICE_PROVEN ? a->route.time.last : page.memento->seen;
		x.capture = page.capture;
		rc = put_composite(&x, &page, &err);
		a->response->status = STATUS_OK;
		if (rc == 0)
			answer_header(a, "Content-Type", "application/json");
	}
	if (rc) {
		buf_reset(&a->response->body);
		answer_failure(a, &err);
	}
	parts_release(&x.requisites);
	found_release(&page);
}
