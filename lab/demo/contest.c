#include "demo/contest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/parse.h"
#include "catalog/catalog.h"
#include "demo/exhibit.h"
#include "formats/url.h"
#include "proof/report.h"

/* ---- starting ---- */

static void on_progress(void *context, const struct crawl_progress *progress)
{
	struct contestant *who = context;

	(void)pthread_mutex_lock(&who->lock);
	who->progress = *progress;
	(void)pthread_mutex_unlock(&who->lock);
}

static void *capture(void *context)
{
	struct contestant *who = context;

	struct crawl_results results;

	who->rc = crawl_start(who->archive, &who->settings, 1, &who->options, &results, &who->err);
	who->finished = who->rc == 0 && results.ptr[0].end == CRAWL_FINISHED;
	crawl_results_release(&results);
	(void)pthread_mutex_lock(&who->lock);
	who->done = true;
	(void)pthread_mutex_unlock(&who->lock);
	return NULL;
}

static int write_rates(const struct contestant *who, struct err *err)
{
	FILE *file = file_stream(who->rates, "we");
	int rc;

	if (!file)
		return err_set(err, ERR_IO, "%s: %s", who->rates, strerror(errno));
	rc = living_site_write_rates(who->site, file);
	if (fclose(file) && rc == 0)
		rc = ERR_IO;
	return rc ? err_set(err, rc, "%s: %s", who->rates, err_name(rc)) : 0;
}

static int name_paths(struct contestant *who, const char *dir, struct err *err)
{
	int a = snprintf(who->archive, sizeof who->archive, "%s/%s.stillpoint", dir, who->strategy);
	int b = snprintf(who->rates, sizeof who->rates, "%s/%s-rates.csv", dir, who->strategy);

	if (a < 0 || b < 0 || a >= CONTEST_PATH_SIZE || b >= CONTEST_PATH_SIZE)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", dir);
	return 0;
}

static int start_site(struct contestant *who, const struct contest_params *p, struct err *err)
{
	int rc = living_site_start(
		&(struct living_site_params){
			.model = p->site, .address = "127.0.0.1", .clock = clock_system()},
		&who->site, err);

	if (rc)
		return rc;
	(void)snprintf(who->url, sizeof who->url, "http://127.0.0.1:%u/",
		(unsigned)living_site_port(who->site));
	return write_rates(who, err);
}

static int start_capture(struct contestant *who, const struct contest_params *p, struct err *err)
{
	crawl_settings_init(&who->settings);
	who->settings.strategy = who->strategy;
	who->settings.delay = p->delay;
	who->settings.rates = who->rates;
	who->options = (struct crawl_options){
		.stop_fd = p->stop_fd, .on_progress = on_progress, .context = who};
	if (text_list_push(&who->settings.seeds, who->url))
		return err_code(err, ERR_NOMEM);
	who->started = pthread_create(&who->thread, NULL, capture, who) == 0;
	return who->started ? 0 : err_set(err, ERR_NOMEM, "no thread for %s", who->strategy);
}

int contest_start(struct contest *c, const struct contest_params *p, struct err *err)
{
	int rc = 0;

	*c = (struct contest){0};
	while (c->count < CONTESTANTS_MAX && p->strategies[c->count]) {
		struct contestant *who = &c->list[c->count];

		(void)pthread_mutex_init(&who->lock, NULL);
		who->strategy = p->strategies[c->count++];
	}
	for (size_t i = 0; rc == 0 && i < c->count; i++) {
		rc = name_paths(&c->list[i], p->dir, err);
		if (rc == 0)
			rc = start_site(&c->list[i], p, err);
		if (rc == 0)
			rc = start_capture(&c->list[i], p, err);
	}
	return rc;
}

bool contest_progress(struct contest *c, size_t i, struct crawl_progress *ret)
{
	struct contestant *who = &c->list[i];
	bool done;

	(void)pthread_mutex_lock(&who->lock);
	*ret = who->progress;
	done = who->done;
	(void)pthread_mutex_unlock(&who->lock);
	return !done;
}

/* ---- the truth ---- */

static bool changed_in_truth(const struct contestant *who, const struct report_page *p)
{
	struct url url;
	bool changed = true;

	url_init(&url);
	if (url_parse(&url, p->url, NULL, NULL) == 0)
		changed = living_changed_between(who->site, url_part(&url, url.host),
			url_part(&url, url.path), p->visit.end, p->revisit.start);
	url_release(&url);
	return changed;
}

static void score_page(struct contestant *who, const struct report_page *p)
{
	bool sharp = p->verdict == VERDICT_SHARP;

	who->score.pages++;
	who->score.claimed += sharp;
	if (!p->usable_visit || !p->usable_revisit)
		return;
	if (!changed_in_truth(who, p))
		who->score.true_++;
	else
		who->score.false_ += sharp;
}

static int score(struct contestant *who, struct err *err)
{
	char path[CONTEST_PATH_SIZE + 32];
	struct catalog *catalog;
	struct report r;
	int rc;

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", who->archive);
	rc = catalog_open(path, CATALOG_READ, &catalog, err);
	if (rc)
		return rc;
	rc = report_load(&r, catalog, 0, err);
	for (size_t i = 0; rc == 0 && i < r.pages.len; i++)
		score_page(who, &r.pages.ptr[i]);
	who->score.expected = r.expected_sharp;
	who->score.seconds = clock_seconds(r.capture.finished - r.capture.started);
	report_release(&r);
	catalog_close(catalog);
	return rc;
}

static void join(struct contestant *who)
{
	if (who->started)
		(void)pthread_join(who->thread, NULL);
	who->started = false;
}

int contest_finish(struct contest *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct contestant *who = &c->list[i];

		join(who);
		if (rc == 0 && who->rc)
			rc = err_set(err, who->rc, "%s: %s", who->strategy, who->err.text);
		if (rc == 0 && who->finished)
			rc = score(who, err);
	}
	return rc;
}

void contest_release(struct contest *c)
{
	struct err ignored = {0};

	for (size_t i = 0; i < c->count; i++) {
		struct contestant *who = &c->list[i];

		join(who);
		(void)living_site_stop(who->site, &ignored);
		crawl_settings_release(&who->settings);
		(void)pthread_mutex_destroy(&who->lock);
	}
	*c = (struct contest){0};
}

/* ---- the pair ---- */

/* The number behind "edition ". */
static unsigned edition_of(slice body)
{
	static const char WORD[] = "edition ";
	const char *at = body.ptr ? memmem(body.ptr, body.len, WORD, sizeof WORD - 1) : NULL;
	uint64_t number = 0;
	size_t from, len = 0;

	if (!at)
		return 0;
	from = (size_t)(at - body.ptr) + sizeof WORD - 1;
	while (from + len < body.len && body.ptr[from + len] >= '0' && body.ptr[from + len] <= '9')
		len++;
	if (parse_u64(slice_sub(body, from, from + len), &number))
		return 0;
	return (unsigned)number;
}

static int read_edition(const struct contestant *who, const char *path, unsigned *ret_edition,
	bool *ret_sharp, struct err *err)
{
	struct exhibit e;
	char url[128];
	int rc;

	(void)snprintf(url, sizeof url, "%.*s%s", (int)strlen(who->url) - 1, who->url, path);
	rc = exhibit_load(&e, who->archive, slice_str(url), err);
	if (rc == 0) {
		*ret_edition = edition_of(buf_slice(&e.block));
		*ret_sharp = e.sharp;
	}
	exhibit_release(&e);
	return rc;
}

int contest_pair(const struct contestant *who, struct contest_pair *ret, struct err *err)
{
	bool prices = false, terms = false;
	int rc = read_edition(who, "/prices", &ret->prices, &prices, err);

	if (rc == 0)
		rc = read_edition(who, "/terms", &ret->terms, &terms, err);
	ret->sharp = prices && terms;
	return rc;
}
