/* What was read off the WARC files, held against what the catalog says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/lists.h"
#include "base/mem.h"
#include "proof/intervals.h"
#include "proof/report.h"
#include "proof/report_saved.h"
#include "proof/verify.h"
#include "proof/verify_run.h"
#include "warc/warc_writer.h"

/*
 * Damage may take the URL of a record with it. The catalog knows which page's record lies where:
 * problems that have a place alone get the page of the record there or, since an attempt's request
 * and metadata follow its response, of the last one before it.
 */

/* A problem without a name, and the best that is known of whose it is. */
struct nameless {
	size_t problem; /* its index */
	slice file;     /* as the catalog names it */
	uint64_t offset;
	slice url;       /* ptr NULL while nothing is known */
	uint64_t record; /* offset of the record whose URL that is */
};

VEC_DECLARE(nameless_vec, struct nameless);

/* "warc/NAME.open" and "NAME" are the same file. */
static slice bare_name(slice shown)
{
	return warc_closed_name(slice_sub(shown, sizeof "warc/" - 1, shown.len));
}

static int compare_places(slice file_a, uint64_t a, slice file_b, uint64_t b)
{
	size_t len = file_a.len < file_b.len ? file_a.len : file_b.len;
	int order = len > 0 ? memcmp(file_a.ptr, file_b.ptr, len) : 0;

	if (order == 0)
		order = (file_a.len > file_b.len) - (file_a.len < file_b.len);
	return order ? order : (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct nameless *p = a, *q = b;

	return compare_places(p->file, p->offset, q->file, q->offset);
}

/* The nameless problems so far, by file and offset. */
static struct nameless_vec find_nameless(const struct verify *v)
{
	const struct verify_problem *p = v->problems.ptr;
	struct nameless_vec list = {0};

	for (size_t i = 0; i < v->problems.len; i++)
		if (!p[i].url.ptr && p[i].file.ptr)
			nameless_vec_push(&list, (struct nameless){
							 .problem = i,
							 .file = bare_name(p[i].file),
							 .offset = p[i].offset,
						 });
	if (list.len > 1)
		qsort(list.ptr, list.len, sizeof list.ptr[0], by_place);
	return list;
}

/* A page has a record there: it is offered to the first problem at or behind that place. */
static void offer_name(
	struct verify *v, struct nameless_vec *list, slice url, slice file, uint64_t offset)
{
	size_t low = 0, high = list->len;
	struct nameless *x;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		x = &list->ptr[mid];
		if (compare_places(x->file, x->offset, file, offset) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == list->len)
		return;
	x = &list->ptr[low];
	if (!slice_eq(x->file, file) || (x->url.ptr && x->record >= offset))
		return;
	x->record = offset;
	x->url = words_copy(&v->words, url);
}

/* One that has no record between it and the problem before shares that one's page. */
static void write_names(struct verify *v, const struct nameless_vec *list)
{
	for (size_t i = 0; i < list->len; i++) {
		struct nameless *x = &list->ptr[i];

		if (!x->url.ptr && i > 0 && slice_eq(x->file, x[-1].file))
			x->url = x[-1].url;
		v->problems.ptr[x->problem].url = x->url;
	}
}

enum { FILE_TEXT_SIZE = sizeof "warc/" + WARC_NAME_MAX };

/* One capture of the catalog. */
struct comparison {
	struct verify *v;
	struct verify_capture *warc;
	const struct report *report;
	struct nameless_vec *nameless;
	bool *told;     /* by page: what is wrong with it has been said */
	uint32_t *lost; /* by page: the loss of the file that has a record of it (verify.h) */
	struct catalog *catalog;
	struct catalog_looks looks; /* the batch of looks that was asked for last */
	struct arena arena;         /* its strings */
	struct err *err;
};

static struct legs find_legs(const struct comparison *c, slice url)
{
	uint32_t at;

	return seen_find(&c->warc->urls, url, &at) ? verify_legs(c->v, c->warc, at)
						   : (struct legs){0};
}

/* ---- pages ---- */

static bool same_times(const struct report_leg *a, const struct observation *b)
{
	return a->start == b->start && a->end == b->end && a->status == b->status;
}

/* Of its verdict. What the server asserts is no part of that: the report adds it. */
static enum same_by own_evidence(const struct report_page *p)
{
	return p->evidence == SAME_ASSERTED ? SAME_NOT : (enum same_by)p->evidence;
}

static const char *find_difference(const struct report_page *p, const struct legs *l)
{
	if (p->visit.attempts > l->visits || p->revisit.attempts > l->revisits)
		return "the catalog has an attempt that the WARC has not";
	if (p->visit.attempts < l->visits || p->revisit.attempts < l->revisits)
		return "the WARC has an attempt that the catalog has not";
	if (!same_times(&p->visit, &l->visit))
		return "the catalog has another time or status of its visit than the WARC";
	if (!same_times(&p->revisit, &l->revisit))
		return "the catalog has another time or status of its revisit than the WARC";
	return NULL;
}

/* What a page lacks is due to its file, or to that which its bodies may be in. */
static uint32_t loss_of_page(const struct comparison *c, size_t page)
{
	return c->lost[page] ? c->lost[page] : c->v->loss;
}

static uint32_t loss_of(const struct verify *v, slice file)
{
	uint32_t number;

	return strmap_get(&v->file_names.map, file, &number) ? v->files.ptr[number].loss : 0;
}

static int on_place(void *context, const struct attempt *o)
{
	struct comparison *c = context;

	if (o->warc.ptr && o->page < c->report->pages.len && !c->lost[o->page])
		c->lost[o->page] = loss_of(c->v, o->warc);
	return 0;
}

static void compare_page(struct comparison *c, size_t page)
{
	const struct report_page *p = &c->report->pages.ptr[page];
	struct legs l = find_legs(c, p->url);
	struct legs_terms terms = verify_terms(c->warc);
	struct judgement j = legs_judge(&l, &terms);
	enum verdict says = (enum verdict)p->verdict, is = j.verdict;
	const char *other = find_difference(p, &l);

	if (!other && p->taken && own_evidence(p) != j.evidence)
		other = "the catalog has other evidence of its verdict than the WARC";
	c->told[page] = other || (p->taken && says != is);
	if (p->taken && says != is)
		verify_lost(c->v, loss_of_page(c, page), p->url, NULL,
			"catalog says %s, the WARC says %s", verdict_name(says), verdict_name(is));
	else if (other)
		verify_lost(c->v, loss_of_page(c, page), p->url, NULL, "%s", other);
}

static void find_unknown(struct comparison *c)
{
	struct seen known;

	seen_init(&known, hash_key_random());
	for (uint32_t i = 0; i < c->report->pages.len; i++)
		if (seen_add(&known, c->report->pages.ptr[i].url, i) == ERR_EXISTS)
			verify_problem(c->v, c->report->pages.ptr[i].url, NULL,
				"the catalog has the page twice");
	for (uint32_t i = 0; i < c->warc->pages.len; i++) {
		slice url = verify_url(c->v, c->warc, i);

		if (!seen_find(&known, url, NULL))
			verify_problem(
				c->v, url, NULL, "the WARC has a page that the catalog has not");
	}
	seen_release(&known);
}

/* ---- stored verdicts ---- */

static void compare_evidence(struct comparison *c, const struct report_page *p, slice stored)
{
	const char *name = same_by_name((enum same_by)p->evidence);
	slice computed = slice_str(name ? name : "none");

	if (!stored.ptr)
		stored = SLICE("none");
	if (!slice_eq(stored, computed))
		verify_problem(c->v, p->url, NULL, "stored evidence is %.*s, the WARC says %.*s",
			(int)stored.len, stored.ptr, (int)computed.len, computed.ptr);
}

static int on_verdict(void *context, const struct catalog_verdict *stored)
{
	struct comparison *c = context;
	const struct report_page *p;
	slice computed;

	if (stored->page >= c->report->pages.len) {
		verify_problem(c->v, (slice){0}, NULL,
			"the catalog has a verdict of a page %u, which it has not", stored->page);
		return 0;
	}
	p = &c->report->pages.ptr[stored->page];
	computed = slice_str(verdict_name((enum verdict)p->verdict));
	/* The word of earlier versions for pages that were never asked for. */
	if (p->verdict == VERDICT_UNVISITED && slice_eq(stored->verdict, SLICE("failed")))
		return 0;
	if (c->told[stored->page])
		return 0;
	if (slice_eq(stored->verdict, computed)) {
		compare_evidence(c, p, stored->evidence);
		return 0;
	}
	verify_lost(c->v, loss_of_page(c, stored->page), p->url, NULL,
		"stored verdict is %.*s, the WARC says %.*s", (int)stored->verdict.len,
		stored->verdict.ptr, (int)computed.len, computed.ptr);
	return 0;
}

/* ---- records ---- */

static const char *find_fault(
	const struct verify *v, const struct evidence *e, const struct attempt *o)
{
	if (!o->warc.ptr || e->is_compact != o->is_compact || e->offset != o->offset ||
		!slice_eq(words_text(&v->words, e->file), o->warc))
		return "its record is not where the catalog says";
	if (!e->sound || !e->shown.has_state)
		return NULL; /* has been told */
	if (o->has_payload && !digest_fits(&o->payload, &e->shown.payload))
		return "the catalog has another payload digest than the WARC";
	if (o->has_state && (!e->shown.whole || !digest_fits(&o->state, &e->shown.state)))
		return "the catalog has another state than the WARC";
	/* Earlier versions did not keep it. */
	if (evidence_served(&v->evidence, o) && evidence_served(&v->evidence, o) != e->served)
		return "the catalog has another Last-Modified, ETag, Age or cache than the WARC";
	/* Imported records have no attempt in the WARC. */
	return e->claimed && !evidence_claims_same(&v->evidence, e, o)
		       ? "the catalog has another comparison with an earlier look than the WARC"
		       : NULL;
}

/* A look of a batch is where the batch is: in a WARC file, or waiting in the catalog. */
static int find_batch(struct comparison *c, struct attempt *o)
{
	int rc = 0;

	if (!o->is_compact)
		return 0;
	if (c->looks.batch != o->offset) {
		arena_reset(&c->arena);
		rc = catalog_get_looks(c->catalog, o->offset, &c->arena, &c->looks, c->err);
	}
	if (rc == ERR_NOTFOUND) {
		c->looks = (struct catalog_looks){
			.batch = o->offset, .warc = SLICE("catalog.sqlite"), .offset = o->offset};
		*c->err = (struct err){0};
		rc = 0;
	}
	o->warc = c->looks.warc;
	o->offset = c->looks.offset;
	return rc;
}

static void compare_record(struct comparison *c, const struct attempt *o)
{
	bool is_page = o->page < c->report->pages.len;
	slice url = is_page ? c->report->pages.ptr[o->page].url : o->url;
	struct verify_place place = {.offset = o->offset};
	char file[FILE_TEXT_SIZE];
	const char *fault;
	struct evidence e;

	if (!o->warc.ptr && !o->record_id.ptr)
		return;
	if (!o->is_compact && o->warc.ptr)
		offer_name(c->v, c->nameless, url, o->warc, o->offset);
	fault = evidence_find(&c->v->evidence, o->record_id, &e) == EVIDENCE_NONE
			? "its record is missing"
			: find_fault(c->v, &e, o);
	if (!fault)
		return;
	(void)snprintf(file, sizeof file, "warc/%.*s", (int)o->warc.len, o->warc.ptr);
	place.file = slice_str(file);
	verify_lost(c->v, loss_of(c->v, o->warc), url, &place, "%s", fault);
}

static int on_observation(void *context, const struct attempt *o)
{
	struct comparison *c = context;
	struct attempt placed = *o;
	int rc = find_batch(c, &placed);

	if (rc == 0)
		compare_record(c, &placed);
	return rc;
}

/* ---- captures ---- */

static bool same_window(const struct stillpoint *a, const struct stillpoint *b)
{
	return a->from == b->from && a->to == b->to && a->clock_set == b->clock_set;
}

/*
 * Earlier versions let a visit end the window that had sent nothing, and stored a beginning that is
 * later than need be: what they claim is true.
 */
static bool is_claimable(const struct stillpoint *stored, const struct stillpoint *window)
{
	return stored->from >= window->from && stored->to == window->to;
}

static void compare_window(struct comparison *c)
{
	const struct catalog_capture *k = &c->report->capture;
	struct stillpoint stored = {.from = k->still_from, .to = k->still_to};

	if (!same_window(&c->report->window, &c->warc->window))
		verify_lost(c->v, c->v->loss, k->site, NULL,
			"capture %u: the catalog has another still point than the WARC", k->id);
	else if (stillpoint_is_known(&stored) && !is_claimable(&stored, &c->warc->window))
		verify_lost(c->v, c->v->loss, k->site, NULL,
			"capture %u: the still point that is stored is not that of the WARC",
			k->id);
}

/* Archives of earlier versions do not say it: what neither has differs in nothing. */
static void compare_end(struct comparison *c)
{
	const struct catalog_capture *k = &c->report->capture;
	const char *says = catalog_end_name(k->ended_by);
	const char *is = catalog_end_name(c->warc->ended_by);

	if (k->state != CATALOG_RUNNING && k->ended_by != c->warc->ended_by)
		verify_problem(c->v, k->site, NULL,
			"capture %u: the limit that ended it is %s in the catalog, %s in the WARC",
			k->id, says ? says : "none", is ? is : "none");
}

static int compare_all(struct comparison *c, struct catalog *catalog)
{
	uint32_t id = c->report->capture.id;
	int rc;

	if (c->v->loss)
		TRY(catalog_each_observation(catalog, id, on_place, c, c->err));
	for (size_t i = 0; i < c->report->pages.len; i++)
		compare_page(c, i);
	find_unknown(c);
	rc = catalog_each_verdict(catalog, id, on_verdict, c, c->err);
	if (rc == 0)
		rc = catalog_each_observation(catalog, id, on_observation, c, c->err);
	if (rc == 0)
		rc = verify_clock_compare(c->v, c->warc, catalog, c->err);
	if (rc == 0)
		rc = verify_table_compare(c->v, c->warc, catalog, c->err);
	compare_window(c);
	compare_end(c);
	return rc;
}

static void on_saved_difference(
	void *context, const struct report_page *computed, const struct report_page *saved)
{
	struct comparison *c = context;

	if (computed)
		verify_problem(c->v, computed->url, NULL,
			"the saved report says %s, or another time of it, the catalog %s",
			verdict_name((enum verdict)saved->verdict),
			verdict_name((enum verdict)computed->verdict));
	else
		verify_problem(c->v, (slice){0}, NULL,
			"the saved report has other totals, or another still point, than the "
			"catalog");
}

static int compare_capture(struct verify *v, struct nameless_vec *nameless, struct catalog *catalog,
	uint32_t id, struct err *err)
{
	struct comparison c = {.v = v, .nameless = nameless, .catalog = catalog, .err = err};
	struct report report;
	int rc;

	TRY(report_compute(&report, catalog, id, NULL, err)); /* not what is saved of it */
	arena_init_small(&c.arena, 1 << 20);
	c.report = &report;
	c.told = mem_new(report.pages.len + 1, sizeof *c.told);
	c.lost = mem_new(report.pages.len + 1, sizeof *c.lost);
	c.warc = verify_find_capture(c.v, report.capture.uuid);
	c.warc->id = id;
	rc = compare_all(&c, catalog);
	if (rc == 0)
		report_check_saved(&report, catalog, on_saved_difference, &c);
	free(c.told);
	free(c.lost);
	arena_release(&c.arena);
	report_release(&report);
	return rc;
}

static void find_unknown_captures(struct verify *v)
{
	for (size_t i = 0; i < v->captures.len; i++) {
		const struct verify_capture *c = &v->captures.ptr[i];

		if (c->id == 0 && c->is_imported)
			verify_note(v, (slice){0}, NULL,
				"a capture of another archive, in imported files: %.*s",
				(int)c->uuid.len, c->uuid.ptr);
		else if (c->id == 0)
			verify_problem(v, (slice){0}, NULL,
				"the WARC has a capture that the catalog has not: %.*s",
				(int)c->uuid.len, c->uuid.ptr);
	}
}

int verify_compare(struct verify *v, struct catalog *catalog, struct err *err)
{
	struct nameless_vec nameless = find_nameless(v);
	struct u32_vec ids = {0};
	int rc = report_captures(catalog, &ids, err);

	for (size_t i = 0; rc == 0 && i < ids.len; i++)
		rc = compare_capture(v, &nameless, catalog, ids.ptr[i], err);
	write_names(v, &nameless);
	nameless_vec_release(&nameless);
	u32_vec_release(&ids);
	find_unknown_captures(v);
	return rc;
}
