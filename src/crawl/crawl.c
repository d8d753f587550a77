/* How a capture begins, ends, and goes on after it was cut off. */
#include <stdio.h>
#include <string.h>

#include "crawl/capture.h"
#include "crawl/judging.h"
#include "extract/link_kind.h"

/* ---- beginning ---- */

static int discover_seeds(struct capture *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->settings->seeds.len; i++) {
		struct url url;

		url_init(&url);
		rc = url_parse(&url, slice_str(c->settings->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = discover(c,
				&(struct found){.url = &url,
					.how = "seed",
					.via = CATALOG_NO_PAGE,
					.kind = LINK_PAGE,
					.is_seed = true},
				err);
		url_release(&url);
	}
	return rc;
}

/* Copies the rates into the archive, so that resume has them, whatever becomes of the file. */
static int adopt_rates(
	struct capture *c, uint32_t capture, struct crawl_settings *kept, struct err *err)
{
	char name[32];
	int rc;

	if (!kept->rates)
		return 0;
	(void)snprintf(name, sizeof name, "rates-%u.csv", capture);
	rc = directory_copy_in(&c->directory, kept->rates, name, err);
	if (rc)
		return rc;
	kept->rates = arena_strdup(&c->arena, slice_str(name));
	return kept->rates ? 0 : err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
}

static int next_number(struct capture *c, struct catalog *catalog, uint32_t *ret, struct err *err)
{
	struct catalog_capture last;
	struct err none = {0};
	int rc = catalog_get_capture(catalog, 0, &c->arena, &last, &none);

	*ret = rc == 0 ? last.id + 1 : 1;
	if (rc && rc != ERR_NOTFOUND)
		*err = none;
	return rc == ERR_NOTFOUND ? 0 : rc;
}

static slice make_uuid(struct capture *c)
{
	struct warc_id id = {0};
	struct rng rng;

	rng_init(&rng, hash_key_random().k0);
	warc_id_make(&rng, &id);
	/* Without the angle brackets. */
	return (slice){arena_strdup(&c->arena, (slice){id.text + 1, strlen(id.text) - 2}),
		strlen(id.text) - 2};
}

static int describe(
	struct capture *c, struct catalog *catalog, struct catalog_capture *row, struct err *err)
{
	struct crawl_settings kept = *c->settings;
	struct buf text;
	uint32_t number;
	int rc = next_number(c, catalog, &number, err);

	if (rc == 0)
		rc = adopt_rates(c, number, &kept, err);
	if (rc)
		return rc;
	buf_init(&text, CAPTURE_STRINGS_MAX / 2);
	rc = crawl_settings_write(&kept, &text);
	*row = (struct catalog_capture){
		.uuid = make_uuid(c),
		.site = slice_str(c->settings->seeds.ptr[0]),
		.strategy = slice_str(c->strategy->name),
		.settings = {arena_strdup(&c->arena, buf_slice(&text)), text.len},
		.single = !c->strategy->revisits || c->settings->single,
		.state = CATALOG_RUNNING,
		.started = clock_realtime(c->clock),
	};
	buf_release(&text);
	if (rc == ERR_SYNTAX)
		return err_set(err, ERR_USAGE, "no setting may have a line break in it");
	if (rc || !row->uuid.ptr || !row->settings.ptr)
		return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	return catalog_add_capture(catalog, row, &row->id, err);
}

static int begin(struct capture *c, const char *archive, struct err *err)
{
	struct catalog *catalog;
	struct catalog_capture row;
	int rc = directory_open(&c->directory, archive, true, err);

	if (rc == 0)
		rc = catalog_open(c->directory.catalog, CATALOG_CREATE, &catalog, err);
	if (rc)
		return rc;
	c->epoch = clock_monotonic(c->clock);
	/* An earlier capture may have ended badly, and not been resumed. */
	rc = replay_repair(catalog, &c->directory, err);
	if (rc == 0)
		rc = describe(c, catalog, &row, err);
	if (rc) {
		catalog_close(catalog);
		return rc;
	}
	rc = capture_open_store(c, catalog, &row, err);
	if (rc == 0)
		rc = store_moment(&c->store, "start", err);
	if (rc == 0)
		rc = discover_seeds(c, err);
	return rc ? rc : store_commit(&c->store, err);
}

/* ---- ending ---- */

/*
 * The commit that makes the capture a finished one is the last thing that happens to the archive:
 * whatever fails before, resume does it again.
 */
static int finish(struct capture *c, struct err *err)
{
	struct store *s = &c->store;
	int rc = store_moment(s, "end", err);

	if (rc == 0)
		rc = store_seal(s, err);
	if (rc == 0)
		rc = index_write(s->catalog, &c->directory, err);
	s->capture.state = c->cut ? CATALOG_CUT : CATALOG_FINISHED;
	s->capture.finished = clock_realtime(c->clock);
	if (rc == 0)
		rc = catalog_update_capture(s->catalog, &s->capture, err);
	if (rc == 0)
		rc = judging_store(s->catalog, s->capture.id, err);
	if (rc == 0)
		rc = catalog_commit(s->catalog, err);
	c->store_is_open = false;
	store_abandon(s);
	return rc;
}

static void fill_result(const struct capture *c, struct crawl_result *ret)
{
	struct plan_progress p = plan_progress(c->plan);

	*ret = (struct crawl_result){
		.capture = c->store.capture.id,
		.end = c->stopped ? CRAWL_STOPPED
		       : c->cut   ? CRAWL_CUT
				  : CRAWL_FINISHED,
		.known = c->pages.taken,
		.visited = p.visited + p.late,
	};
	memcpy(ret->problem, c->problem, sizeof ret->problem);
}

/* Stopped from outside: all that was done is kept, what is out is given back by resume. */
static int pause_capture(struct capture *c, struct err *err)
{
	c->store_is_open = false;
	return store_close(&c->store, err);
}

static int conclude(struct capture *c, int rc, struct crawl_result *ret, struct err *err)
{
	bool has_begun = c->store_is_open;
	struct err first;

	if (rc == 0) {
		fill_result(c, ret);
		rc = c->stopped ? pause_capture(c, err) : finish(c, err);
	}
	first = *err;
	/* What was committed stays; what was not is asked for again. */
	if (rc && has_begun)
		(void)err_set(err, first.code, "%.300s; when that is mended: stillpoint resume %s",
			first.text, c->directory.path);
	return rc;
}

int crawl_start(const char *archive, const struct crawl_settings *settings,
	const struct crawl_options *options, struct crawl_result *ret, struct err *err)
{
	struct capture *c = capture_new(err);
	int rc;

	if (!c)
		return ERR_NOMEM;
	rc = capture_prepare(c, settings, options, err);
	if (rc == 0) {
		rc = begin(c, archive, err);
		if (rc == 0)
			rc = lane_run(c, err);
		rc = conclude(c, rc, ret, err);
	}
	capture_free(c);
	return rc;
}

/* ---- going on ---- */

/* The planner's clock goes on where the wall clock says; journal_replay sees that it never goes
 * back. */
static int restore(struct capture *c, struct catalog *catalog, const struct catalog_capture *row,
	struct err *err)
{
	int64_t since = clock_realtime(c->clock) - row->started;
	int rc;

	c->epoch = clock_monotonic(c->clock) - (since > 0 ? since : 0);
	rc = capture_open_store(c, catalog, row, err);
	if (rc == 0)
		rc = store_moment(&c->store, "resume", err);
	if (rc == 0)
		rc = replay(c, err);
	if (rc == 0 && !c->begun)
		rc = discover_seeds(c, err);
	if (rc == 0 && !c->begun)
		rc = side_sitemaps(c, err);
	return rc ? rc : store_commit(&c->store, err);
}

static int go_on(struct capture *c, struct catalog *catalog, const struct catalog_capture *row,
	const struct crawl_options *options, struct crawl_result *ret, struct err *err)
{
	struct crawl_settings settings;
	int rc = crawl_settings_read(&settings, row->settings, &c->arena, err);

	if (rc == 0 && settings.rates)
		rc = directory_path(&c->directory, &settings.rates, &c->arena, err);
	if (rc == 0)
		rc = replay_repair(catalog, &c->directory, err);
	if (rc == 0)
		rc = capture_prepare(c, &settings, options, err);
	if (rc) {
		catalog_close(catalog);
	} else {
		rc = restore(c, catalog, row, err);
		if (rc == 0)
			rc = lane_run(c, err);
		rc = conclude(c, rc, ret, err);
	}
	crawl_settings_release(&settings);
	return rc;
}

int crawl_resume(const char *archive, const struct crawl_options *options, struct crawl_result *ret,
	struct err *err)
{
	struct capture *c = capture_new(err);
	struct catalog_capture row;
	struct catalog *catalog = NULL;
	int rc;

	if (!c)
		return ERR_NOMEM;
	rc = directory_open(&c->directory, archive, false, err);
	if (rc == 0)
		rc = catalog_open(c->directory.catalog, CATALOG_WRITE, &catalog, err);
	if (rc == 0)
		rc = catalog_get_capture(catalog, 0, &c->arena, &row, err);
	if (rc == 0 && row.state != CATALOG_RUNNING) {
		*ret = (struct crawl_result){.capture = row.id, .end = CRAWL_WAS_FINISHED};
		catalog_close(catalog);
	} else if (rc == 0) {
		rc = go_on(c, catalog, &row, options, ret, err);
	} else {
		catalog_close(catalog);
	}
	capture_free(c);
	return rc;
}
