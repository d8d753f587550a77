/*
 * How long resume takes until it goes on: an archive is made, by the catalog and the planner, of a
 * capture that was cut off when it knew so many URLs and had visited a third of them; then it is
 * resumed, and stopped at its first breath.
 *
 *	resume_bench [URLS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "archive/directory.h"
#include "bench.h"
#include "catalog/catalog.h"
#include "crawl/crawl.h"
#include "formats/robots.h"

enum {
	URLS = 1000000,
	AT_ONCE = 16,
	LINKS = 3, /* new ones on a page */
	URL_SIZE = 128,
};

#define ORIGIN "http://127.0.0.1:8"

struct making {
	struct catalog *catalog;
	uint32_t capture;
	struct plan_run *plan;
	uint32_t known, wanted;
	int64_t started;
	double clock;
	uint32_t visits;
};

static void require(int rc, const struct err *err, const char *what)
{
	if (rc) {
		(void)fprintf(stderr, "resume_bench: %s: %s\n", what, err->text);
		exit(1);
	}
}

static double wall(void)
{
	return clock_seconds(clock_monotonic(clock_system()));
}

static void add_event(struct making *m, const struct catalog_event *e)
{
	struct err err = {0};

	require(catalog_add_event(m->catalog, m->capture, e, &err), &err, "event");
}

static void find_page(struct making *m)
{
	struct err err = {0};
	char url[URL_SIZE];
	struct catalog_page page = {
		.number = m->known,
		.kind = SLICE("page"),
		.via = m->known ? m->known / LINKS : CATALOG_NO_PAGE,
		.found = m->known ? SLICE("link") : SLICE("seed"),
		.taken = true,
		.rule = SLICE("in: host"),
		.rate = 1.0 / (30 * 86400),
		.shape = 0.5,
		.weight = 1,
	};
	struct survival survival = {.rate = page.rate, .shape = page.shape};
	int n = snprintf(url, sizeof url, ORIGIN "/section-%u/2026/article-%u.html", m->known % 977,
		m->known);

	page.url = (slice){url, (size_t)n};
	require(catalog_put(m->catalog, CATALOG_ROW_ADD_PAGE, m->capture, &page, &err), &err,
		"page");
	require(plan_discovered(m->plan, m->known, survival, page.weight), &err, "planner");
	add_event(m, &(struct catalog_event){.kind = CATALOG_EVENT_DISCOVERED, .page = m->known});
	m->known++;
}

static void give_out(struct making *m, const struct plan_order *order)
{
	struct err err = {0};

	require(catalog_put(m->catalog, CATALOG_ROW_PLAN, m->capture,
			&(struct catalog_plan){order->page, m->visits++, -1, false}, &err),
		&err, "plan");
	add_event(m, &(struct catalog_event){.kind = CATALOG_EVENT_NEXT,
			     .page = order->page,
			     .attempt = (uint8_t)order->attempt,
			     .hopeless = order->hopeless,
			     .begin = m->clock});
}

static void observe(struct making *m, uint32_t page)
{
	struct err err = {0};
	int64_t sent = m->started + (int64_t)(m->clock * 1e9);
	struct attempt o = {
		.page = page,
		.leg = ATTEMPT_VISIT,
		.number = 1,
		.wall = {sent, sent + 1000, sent + 2000},
		.clock = {sent, sent + 1000, sent + 2000},
		.status = 200,
		.has_state = true,
		.state = {.kind = DIGEST_SHA256},
		.media_type = SLICE("text/html"),
		.has_payload = true,
		.payload = {.kind = DIGEST_SHA256},
		.warc = SLICE("stillpoint-20260101000000-00000.warc.gz"),
		.record_id = SLICE("<urn:uuid:00000000-0000-4000-8000-000000000000>"),
	};

	for (size_t i = 0; i < sizeof page; i++)
		o.payload.bytes[i] = o.state.bytes[i] = (unsigned char)(page >> 8 * i);
	require(catalog_add_observation(m->catalog, m->capture, &o, &err), &err, "observation");
}

static void take_back(struct making *m, const struct plan_order *order)
{
	m->clock += 0.001;
	observe(m, order->page);
	for (int i = 0; i < LINKS && m->known < m->wanted; i++)
		find_page(m);
	plan_done(m->plan, order, PLAN_OK, m->clock - 0.0005, m->clock);
	add_event(m, &(struct catalog_event){.kind = CATALOG_EVENT_DONE,
			     .page = order->page,
			     .attempt = (uint8_t)order->attempt,
			     .outcome = PLAN_OK,
			     .hopeless = order->hopeless,
			     .begin = m->clock - 0.0005,
			     .end = m->clock});
}

static void visit_some(struct making *m)
{
	struct plan_order out[AT_ONCE];
	size_t n = 0;

	find_page(m);
	while (m->known < m->wanted) {
		enum plan_step step = plan_next(m->plan, m->clock, &out[n]);

		if (step == PLAN_ORDER)
			give_out(m, &out[n++]);
		else
			add_event(m, &(struct catalog_event){
					     .kind = CATALOG_EVENT_STEP, .begin = m->clock});
		if (n < AT_ONCE && step == PLAN_ORDER)
			continue;
		take_back(m, &out[0]);
		out[0] = out[--n];
	}
}

static void add_capture(struct making *m, const struct crawl_settings *settings)
{
	const struct plan_strategy *strategy = plan_strategy_find(settings->strategy, false);
	struct catalog_capture row = {
		.uuid = SLICE("urn:uuid:00000000-0000-4000-8000-000000000000"),
		.site = SLICE(ORIGIN "/"),
		.strategy = slice_str(strategy->name),
		.state = CATALOG_RUNNING,
		.started = m->started,
	};
	struct err err = {0};
	struct buf text;

	buf_init(&text, 1 << 16);
	require(crawl_settings_write(settings, &text), &err, "settings");
	row.settings = buf_slice(&text);
	require(catalog_add_capture(m->catalog, &row, &m->capture, &err), &err, "capture");
	require(catalog_put(m->catalog, CATALOG_ROW_ADD_ROBOTS, m->capture,
			&(struct catalog_robots){.origin = SLICE(ORIGIN),
				.policy = ROBOTS_ALLOW_ALL,
				.fetched = m->started,
				.checked = m->started},
			&err),
		&err, "robots");
	m->plan = plan_run_new(
		&(struct plan_params){.strategy = strategy, .attempts = settings->attempts}, &err);
	require(m->plan ? 0 : ERR_NOMEM, &err, "planner");
	buf_release(&text);
}

static void make_archive(const char *path, uint32_t urls)
{
	struct making m = {.wanted = urls, .started = clock_realtime(clock_system())};
	struct directory d = {.lock = -1};
	struct crawl_settings settings;
	struct err err = {0};

	crawl_settings_init(&settings);
	require(text_list_push(&settings.seeds, ORIGIN "/section-0/2026/article-0.html"), &err,
		"settings");
	require(directory_open(&d, path, true, &err), &err, path);
	require(catalog_open(d.catalog, CATALOG_CREATE, &m.catalog, &err), &err, path);
	add_capture(&m, &settings);
	visit_some(&m);
	require(catalog_commit(m.catalog, &err), &err, path);
	printf("%u URLs, %u of them visited\n", m.known, m.visits);
	plan_run_free(m.plan);
	catalog_close(m.catalog);
	directory_close(&d);
	crawl_settings_release(&settings);
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/resume_bench.XXXXXX", command[64];
	uint32_t urls = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : URLS;
	struct crawl_options options = {.stop_fd = eventfd(1, EFD_CLOEXEC), .lanes = 1};
	struct crawl_results results = {0};
	struct err err = {0};
	double start, processor;

	require(mkdtemp(path) ? 0 : ERR_IO, &err, "temporary directory");
	make_archive(path, urls);
	start = wall();
	processor = processor_time();
	require(crawl_resume(path, &options, &results, &err), &err, "resume");
	printf("resumed after %.1f s, %.1f s of the processor\n", wall() - start,
		processor_time() - processor);
	crawl_results_release(&results);
	(void)close(options.stop_fd);
	(void)snprintf(command, sizeof command, "rm -r %s", path);
	return system(command) ? 1 : 0; /* NOLINT(cert-env33-c): a path of our own making */
}
