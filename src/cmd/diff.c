/* stillpoint diff: the two versions of a page side by side. */
#include "report/diff.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/noise.h"
#include "cmd/option_row.h"
#include "proof/learned_pages.h"
#include "proof/legs.h"
#include "proof/noise_rules.h"
#include "proof/originals.h"
#include "proof/why.h"

enum { CAPTURE_MAX = 1 << 24 };

struct diff_options {
	int64_t capture; /* 0: the newest that has the page */
	const char *html;
	struct text_list without;
	bool json;
};

#define ROW_OF struct diff_options

static const struct option_spec SPECS[] = {
	ROW(INT, capture, "capture", 'c',
		"which capture of the archive, from 1 (default: the newest that has the page)",
		.metavar = "N", .min = 1, .max = UINT32_MAX - 1.0),
	ROW(STRING, html, "html", 0,
		"also write an HTML page with both versions to a file; it makes no request and "
		"has no script",
		.metavar = "FILE"),
	ROW(LIST, without, "without-rule", 'w',
		"switch this rule for noise off; may be given several times (default: all rules "
		"are on)",
		.metavar = "NAME"),
	ROW(FLAG, json, "json", 'j', "print one JSON document"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "diff",
	.usage = "ARCHIVE|FILE URL [OPTION…]",
	.description = "Shows the two versions of a page, its visit and its revisit, side by side: "
		       "every place where they differ, the rule that explains it as noise, or that "
		       "nothing does.",
	.specs = SPECS,
	.min_args = 2,
	.max_args = 2,
};

/* ---- the nearest URL ---- */

struct nearest {
	slice text;
	size_t score; /* of best */
	struct buf best;
};

static int on_page(void *context, const struct catalog_page *p)
{
	struct nearest *n = context;
	size_t longer = p->url.len > n->text.len ? p->url.len : n->text.len;
	slice a = n->text, b = p->url;
	size_t least = a.len < b.len ? a.len : b.len, same = 0;

	while (same < least && a.ptr[same] == b.ptr[same])
		same++;
	a = slice_sub(a, same, a.len);
	b = slice_sub(b, same, b.len);
	for (; a.len > 0 && b.len > 0 && a.ptr[a.len - 1] == b.ptr[b.len - 1]; same++) {
		a.len--;
		b.len--;
	}
	/* A third of it may be wrong; of equals the first. */
	if (!p->taken || same * 3 < longer * 2 || same <= n->score)
		return 0;
	buf_reset(&n->best);
	if (buf_add(&n->best, p->url) == 0)
		n->score = same;
	return 0;
}

/* Adds a proposal to what why_find has said, unless it made one. */
static int propose(struct catalog *c, uint32_t capture, const char *text, struct err *err)
{
	struct nearest n = {.text = slice_str(text)};

	if (strstr(err->text, "did you mean"))
		return ERR_NOTFOUND;
	buf_init(&n.best, URL_MAX);
	if (catalog_each_page(c, capture, on_page, &n, NULL) == 0 && n.best.len)
		(void)err_set(err, ERR_NOTFOUND,
			"%.160s: capture %u does not know this URL; did you mean %.200s ?", text,
			capture, buf_str(&n.best));
	buf_release(&n.best);
	return ERR_NOTFOUND;
}

/* ---- the two looks ---- */

struct looks {
	const struct attempt *visit, *revisit;
};

static const struct attempt *find_attempt(
	const struct why *w, enum attempt_leg leg, unsigned number)
{
	for (size_t i = 0; i < w->attempts.len; i++) {
		const struct attempt *a = &w->attempts.ptr[i];

		if (a->leg == leg && a->number == number)
			return a->status && (a->warc.ptr || a->is_compact) ? a : NULL;
	}
	return NULL;
}

static const char *one_look_reason(const struct catalog_capture *c, const struct legs *l)
{
	if (c->single)
		return "the capture makes no revisits";
	if (l->late)
		return "it was found or fetched after the still point";
	if (l->revisits)
		return "its revisit got no answer";
	return c->state == CATALOG_RUNNING ? "the capture is not finished" : "it was not revisited";
}

/* Those by which the page was judged (proof/legs.h): 0 or ERR_NOTFOUND. */
static int find_looks(
	const struct why *w, const struct catalog_capture *c, struct looks *ret, struct err *err)
{
	const struct catalog_page *page = &w->way.ptr[w->way.len - 1];
	struct legs legs = {0};

	for (size_t i = 0; i < w->attempts.len; i++) {
		struct observation shown = legs_observe(&w->attempts.ptr[i]);

		legs_add(&legs, &w->attempts.ptr[i], &shown);
	}
	ret->visit = find_attempt(w, legs.late ? ATTEMPT_LATE : ATTEMPT_VISIT, legs.visit_number);
	ret->revisit = find_attempt(w, ATTEMPT_REVISIT, legs.revisit_number);
	if (ret->visit && ret->revisit)
		return 0;
	if (!page->taken)
		return err_set(err, ERR_NOTFOUND, "%.*s: capture %u left it out: %s",
			slice_shown(page->url, 200), page->url.ptr, c->id,
			left_out_meaning(page->left_out));
	if (!ret->visit && !ret->revisit)
		return err_set(err, ERR_NOTFOUND,
			"%.*s: capture %u has no answer of it; 'stillpoint report --why' says more",
			slice_shown(page->url, 200), page->url.ptr, c->id);
	return err_set(err, ERR_NOTFOUND, "%.*s: capture %u has one look at it only: %s",
		slice_shown(page->url, 200), page->url.ptr, c->id,
		ret->visit ? one_look_reason(c, &legs) : "its visit got no answer");
}

/* ---- output ---- */

static int write_html(const void *diff, FILE *file)
{
	diff_html(diff, file);
	return 0;
}

static enum cmd_status show(const struct diff *d, const struct diff_options *o)
{
	struct err err = {0};
	struct json j;

	if (o->html && cmd_write_file(o->html, write_html, d, &err))
		return cmd_fail("diff", &err);
	if (!o->json) {
		diff_print(d, stdout);
		return cmd_finish(0);
	}
	json_init_file(&j, stdout, JSON_LINES);
	diff_json(d, &j);
	return cmd_finish(json_finish(&j));
}

static int read_look(
	struct look *l, const struct look_source *from, const struct attempt *a, struct err *err)
{
	int rc = look_read(l, from, a, err);

	if (rc)
		err_prefix(err, "%s %u", attempt_leg_name(a->leg), a->number);
	return rc;
}

/* How two looks at a page are compared, and whether the capture settled that they are the same. */
struct comparison {
	const struct catalog_capture *capture;
	struct pair_terms terms;
	bool is_settled;
};

static const char *same_name(
	const struct look *visit, const struct look *revisit, const struct pair *p, bool is_settled)
{
	if (visit->whole && revisit->whole && digest_eq(&visit->state, &revisit->state))
		return "bytes";
	return p->explained && (p->proof.duties.len == 0 || is_settled) ? "normalised" : NULL;
}

static enum cmd_status compare(const struct look_source *from, const struct looks *looks,
	const struct comparison *c, const struct diff_options *o)
{
	struct look visit = {0}, revisit = {0};
	struct pair pair = {0};
	struct err err = {0};
	enum cmd_status status;
	int rc = read_look(&visit, from, looks->visit, &err);

	if (rc == 0)
		rc = read_look(&revisit, from, looks->revisit, &err);
	if (rc == 0)
		rc = err_code(&err, pair_compare(&visit, &revisit, &c->terms, &pair));
	status = rc ? cmd_fail_archive("diff", &err)
		    : show(&(struct diff){.url = c->terms.url,
				   .capture = c->capture,
				   .visit = &visit,
				   .revisit = &revisit,
				   .pair = &pair,
				   .same = same_name(&visit, &revisit, &pair, c->is_settled),
				   .is_settled = c->is_settled},
			      o);
	pair_release(&pair);
	look_release(&visit);
	look_release(&revisit);
	return status;
}

/* The rules of a capture: its own, without those of the options, and what it learned. */
struct rules {
	struct rulebook book;
	struct learned_pages learned;
	struct proof_learned places; /* that hold for the page */
	struct err *err;
};

static int on_learned(void *context, const struct catalog_learned *line)
{
	struct rules *r = context;
	int rc = learned_pages_add(&r->learned, line->rule);

	/* What a later version wrote says nothing here. */
	return rc == ERR_NOMEM ? err_code(r->err, rc) : 0;
}

static int rules_read(struct rules *r, struct catalog *catalog,
	const struct catalog_capture *capture, proof_rule_set off, struct err *err)
{
	TRY(err_code(err, rulebook_add_settings(&r->book, capture->settings)));
	r->err = err;
	TRY(rulebook_finish(&r->book, "--ignore", err));
	r->book.off |= off;
	return catalog_each_learned(catalog, capture->id, on_learned, r, err);
}

static slice page_url(const struct why *w)
{
	return w->way.ptr[w->way.len - 1].url;
}

static enum cmd_status run_capture(const char *warc_dir, struct catalog *catalog,
	const struct catalog_capture *capture, const char *url, proof_rule_set off,
	const struct diff_options *o)
{
	struct originals originals;
	struct look_source from = {.warc_dir = warc_dir,
		.find = originals_find,
		.context = &originals,
		.catalog = catalog};
	struct err err = {0};
	struct looks looks;
	struct rules rules;
	enum cmd_status status;
	bool any = false;
	struct why w;
	int rc = why_find(&w, catalog, capture, url, &err);

	rulebook_init(&rules.book);
	learned_pages_init(&rules.learned);
	proof_learned_init(&rules.places);
	originals_init(&originals, catalog, 0);
	if (rc == ERR_NOTFOUND)
		rc = propose(catalog, capture->id, url, &err);
	if (rc == 0)
		rc = find_looks(&w, capture, &looks, &err);
	if (rc == 0)
		rc = rules_read(&rules, catalog, capture, off, &err);
	if (rc == 0)
		rc = err_code(&err,
			learned_places(&rules.learned.rules, page_url(&w), &rules.places, &any));
	if (rc)
		status = cmd_fail_archive("diff", &err);
	else
		status = compare(&from, &looks,
			&(struct comparison){.capture = capture,
				.terms = {.book = &rules.book,
					.learned = any ? &rules.places : NULL,
					.url = page_url(&w)},
				.is_settled = learned_pages_has(&rules.learned, page_url(&w))},
			o);
	rulebook_release(&rules.book);
	learned_pages_release(&rules.learned);
	proof_learned_release(&rules.places);
	originals_release(&originals);
	why_release(&w);
	return status;
}

static enum cmd_status run(
	const char *archive, const char *url, proof_rule_set off, const struct diff_options *o)
{
	struct catalog *catalog = NULL;
	uint32_t id = (uint32_t)o->capture;
	char warc_dir[ARCHIVE_PATH_SIZE];
	struct catalog_capture capture;
	struct err err = {0};
	enum cmd_status status;
	struct arena arena;

	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("diff", &err);
	arena_init(&arena, CAPTURE_MAX);
	if (!id)
		id = why_newest_capture(catalog, url);
	if (archive_warc_dir(archive, warc_dir, &err) ||
		catalog_get_capture(catalog, id, &arena, &capture, &err))
		status = cmd_fail_archive("diff", &err);
	else
		status = run_capture(warc_dir, catalog, &capture, url, off, o);
	arena_release(&arena);
	catalog_close(catalog);
	return status;
}

enum cmd_status cmd_diff(int argc, char **argv)
{
	struct diff_options o = {0};
	proof_rule_set off = 0;
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		status = noise_option_rules(&o.without, &off, &err)
				 ? cmd_fail("diff", &err)
				 : run(args.ptr[0], args.ptr[1], off, &o);
	options_release(&OPTIONS, &o);
	return status;
}
