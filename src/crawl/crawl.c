/*
 * A crawl: opens the archive, assigns the captures to lanes and runs the lanes and the clerk. When
 * all have ended, it writes the index and marks the last capture as finished. Before the lanes
 * start and after they have ended, everything happens in the caller's thread.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "crawl/capture.h"
#include "crawl/captures.h"
#include "extract/sitemap.h"
#include "rates/model_file.h"
#include "store/index.h"
#include "store/judging.h"

enum {
	PROGRESS_MS = 100,
	TRIM_MS = 10 * 1000,
	FETCHES_MAX = 1000,    /* of a lane at once */
	DESCRIPTORS_KEPT = 4,  /* for files of the catalog */
	LANE_DESCRIPTORS = 10, /* of a lane and its press, but for its fetches */
	LANE_SOCKETS = 4,      /* that a lane should have at least */
	OPEN_MAX_LOOKED = 1024,
};

VEC_DECLARE(lane_vec, struct lane *);

struct crawl {
	const struct crawl_options *options;
	struct directory directory;
	struct catalog *catalog;
	struct captures captures;
	struct clock_anchored clock; /* of all times that are told */
	struct lanes_shared shared;
	struct robots_history history;
	struct known_rates known[2]; /* of captures that count noise as a change, of others */
	struct lane_vec lanes;
	size_t sites, broken;
	bool has_begun; /* there is something to resume */
	struct crawl_results *results;
};

void crawl_results_release(struct crawl_results *r)
{
	for (size_t i = 0; i < r->len; i++)
		free(r->ptr[i].problem);
	free(r->ptr);
	*r = (struct crawl_results){0};
}

static int open_crawl(struct crawl *x, const struct crawl_options *options,
	struct crawl_results *results, struct err *err)
{
	const struct clock *clock = options->clock ? options->clock : clock_system();

	*x = (struct crawl){.options = options, .directory.lock = -1, .results = results};
	*results = (struct crawl_results){0};
	sitemap_init_library(); /* before there are lanes */
	clock_anchor(&x->clock, clock);
	captures_init(&x->captures, &x->directory, &x->clock.clock);
	x->shared.directory = &x->directory;
	x->shared.clock = &x->clock.clock;
	x->shared.wall = clock;
	x->shared.history = &x->history;
	x->shared.stop_fd = options->stop_fd;
	x->shared.secrets = x->captures.secrets = options->secrets;
	x->shared.changes = x->captures.changes = options->changes;
	x->shared.paces = shared_paces_new();
	x->shared.ended = eventfd(0, EFD_CLOEXEC);
	if (!x->shared.paces)
		return err_code(err, ERR_NOMEM);
	if (x->shared.ended < 0)
		return err_set(err, ERR_IO, "eventfd: %s", strerror(errno));
	return 0;
}

static void free_lanes(struct crawl *x)
{
	for (size_t i = 0; i < x->lanes.len; i++)
		lane_free(x->lanes.ptr[i]);
	lane_vec_release(&x->lanes);
	(void)clerk_stop(x->shared.clerk, NULL);
	x->shared.clerk = NULL;
}

static void close_crawl(struct crawl *x)
{
	free_lanes(x);
	shared_paces_free(x->shared.paces);
	if (x->shared.ended >= 0)
		(void)close(x->shared.ended);
	catalog_close(x->catalog);
	captures_release(&x->captures);
	robots_history_release(&x->history);
	for (size_t i = 0; i < 2; i++)
		known_rates_release(&x->known[i]);
	directory_close(&x->directory);
}

/* ---- lanes ---- */

/* Many sites need many sockets. */
static size_t raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 1024;
	if (limit.rlim_cur < limit.rlim_max) {
		struct rlimit most = {limit.rlim_max, limit.rlim_max};

		if (setrlimit(RLIMIT_NOFILE, &most) == 0)
			limit = most;
	}
	return limit.rlim_cur < SIZE_MAX / 2 ? (size_t)limit.rlim_cur : SIZE_MAX / 2;
}

/* Descriptors that are open already. */
static size_t count_open(size_t limit)
{
	size_t count = 0;

	for (int fd = 0; fd < OPEN_MAX_LOOKED && (size_t)fd < limit; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Descriptors that lanes can have. */
static size_t count_free(void)
{
	size_t all = raise_descriptors();
	size_t used = count_open(all) + DESCRIPTORS_KEPT;

	return all > used ? all - used : 0;
}

/* Fetches of a lane at once: a connection each and, for a large body, a file. */
static void share_descriptors(size_t lanes, struct lane_params *p)
{
	size_t all = count_free(), own = lanes * LANE_DESCRIPTORS;
	size_t share = all > own && lanes > 0 ? (all - own) / lanes : 0;

	p->max_fetches = share < 2 ? 1 : share / 2;
	if (p->max_fetches > FETCHES_MAX)
		p->max_fetches = FETCHES_MAX;
	p->max_kept = share > p->max_fetches ? share - p->max_fetches : 1; /* in use or not */
}

/* Lanes of a group at most: no more than there are descriptors for. */
static size_t lanes_wanted(const struct crawl *x)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t wanted = processors > 1 ? (size_t)processors : 1;
	size_t most = count_free() / (LANE_DESCRIPTORS + LANE_SOCKETS);

	if (x->options->lanes)
		wanted = x->options->lanes < CRAWL_LANES_MAX ? x->options->lanes : CRAWL_LANES_MAX;
	if (wanted > most)
		wanted = most;
	return wanted > 1 ? wanted : 1;
}

/* The lanes of a group of captures, and which gets the next capture. */
struct group {
	size_t captures;
	const struct crawl_settings *settings; /* of the first one */
	size_t first, lanes, next;
};

static int count_file(void *context, const struct catalog_warc *warc)
{
	uint64_t *count = context;

	(void)warc;
	++*count;
	return 0;
}

static size_t plan_lanes(struct crawl *x, struct group *groups)
{
	size_t count = 0, wanted = lanes_wanted(x);

	assert(x->sites > 0);
	for (size_t i = 0; i < x->sites; i++) {
		struct group *g = &groups[x->captures.groups.ptr[i]];

		if (g->captures++ == 0)
			g->settings = x->captures.list.ptr[i]->settings;
	}
	for (size_t i = 0; i < x->captures.group_count; i++) {
		struct group *g = &groups[i];

		/* By its share of the captures, at least one. */
		g->first = count;
		g->lanes = (g->captures * wanted + x->sites - 1) / x->sites;
		if (g->lanes > g->captures)
			g->lanes = g->captures;
		count += g->lanes;
	}
	return count;
}

static int add_lane(struct crawl *x, const struct lane_params *params, struct err *err)
{
	struct lane *lane;
	int rc = lane_new(params, &lane, err);

	if (rc)
		return rc;
	if (lane_vec_push(&x->lanes, lane)) {
		lane_free(lane);
		return err_code(err, ERR_NOMEM);
	}
	return 0;
}

static int make_lanes(struct crawl *x, struct group *groups, struct err *err)
{
	size_t count = plan_lanes(x, groups);
	struct lane_params params = {.shared = &x->shared, .lanes = count};
	/* Numbers go on, so that files have the order of their names even within a second. */
	int rc = catalog_each_warc(x->catalog, count_file, &params.serial, err);
	uint64_t last = 0;

	if (rc == 0)
		rc = catalog_last_looks(x->catalog, &last, err);
	share_descriptors(count, &params);
	if (x->sites == 1)
		params.only = &x->captures.list.ptr[0]->row;
	for (size_t i = 0; rc == 0 && i < x->captures.group_count; i++) {
		params.settings = groups[i].settings;
		for (size_t k = 0; rc == 0 && k < groups[i].lanes; k++) {
			params.number = count > 1 ? (unsigned)(groups[i].first + k + 1) : 0;
			params.looks =
				(last / LOOK_BATCH_STEP + 1) * LOOK_BATCH_STEP + params.number;
			rc = add_lane(x, &params, err);
		}
	}
	return rc;
}

/* Every lane must know which bodies the archive has. */
static int learn_bodies(struct crawl *x, struct err *err)
{
	uint32_t last = 0;
	int rc = 0;

	for (size_t i = 0; i < x->sites; i++)
		if (x->captures.list.ptr[i]->row.id > last)
			last = x->captures.list.ptr[i]->row.id;
	for (size_t i = 0; rc == 0 && i < x->lanes.len; i++)
		rc = duplicates_learn(&x->lanes.ptr[i]->duplicates, x->catalog, last + 1, err);
	return rc;
}

/* Assigns captures to lanes in turn. */
static int fill_lanes(struct crawl *x, struct group *groups, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->sites; i++) {
		struct group *g = &groups[x->captures.groups.ptr[i]];
		struct capture **c = &x->captures.list.ptr[i];

		(*c)->result = &x->results->ptr[i];
		rc = lane_add(x->lanes.ptr[g->first + g->next++ % g->lanes], *c);
		if (rc == 0)
			*c = NULL;
	}
	return err_code(err, rc);
}

/* Makes room for the results; those of lost captures come last, and are known already. */
static int make_results(struct crawl *x, struct err *err)
{
	const struct lost_captures *lost = &x->captures.lost;

	x->sites = x->captures.list.len;
	x->results->ptr = calloc(x->sites + lost->len, sizeof *x->results->ptr);
	if (!x->results->ptr)
		return err_code(err, ERR_NOMEM);
	x->results->len = x->sites + lost->len;
	for (size_t i = 0; i < lost->len; i++)
		x->results->ptr[x->sites + i] = (struct crawl_result){
			.capture = lost->ptr[i].capture,
			.end = CRAWL_BROKEN,
			.problem = strdup(lost->ptr[i].problem),
		};
	return 0;
}

/* Makes the lanes and assigns all captures to them. */
static int assign_lanes(struct crawl *x, struct err *err)
{
	struct group *groups = calloc(x->captures.group_count, sizeof *groups);
	int rc;

	if (!groups)
		return err_code(err, ERR_NOMEM);
	rc = make_results(x, err);
	if (rc == 0)
		rc = robots_history_load(
			&x->history, x->catalog, x->captures.list.ptr[0]->row.id, err);
	if (rc == 0)
		rc = clerk_new(x->catalog, &x->shared.clerk, err);
	if (rc == 0)
		rc = make_lanes(x, groups, err);
	if (rc == 0 && x->lanes.len > 0)
		rc = store_adopt_looks(&x->lanes.ptr[0]->store, x->catalog, err);
	if (rc == 0)
		rc = learn_bodies(x, err);
	if (rc == 0)
		rc = fill_lanes(x, groups, err);
	free(groups);
	return rc;
}

/* A capture that cannot be resumed does not stop the others. */
static void report_broken(struct crawl *x, struct lane *lane, struct capture *c, struct err *err)
{
	*c->result = (struct crawl_result){
		.capture = c->row.id, .end = CRAWL_BROKEN, .problem = strdup(err->text)};
	lane_drop(lane, c);
	x->broken++;
	*err = (struct err){0};
}

/* Begins or resumes the captures of a lane. */
static int begin_lane(struct crawl *x, struct lane *lane, bool again, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < lane->captures.len; i++) {
		struct capture *c = lane->captures.ptr[i];

		rc = lanes_shared_check_stop(&x->shared, err);
		if (rc == 0)
			rc = again || c->resumes ? capture_resume(c, x->catalog, err)
						 : capture_begin(c, x->catalog, err);
		if (rc == ERR_STATE && again && x->results->len > 1) {
			report_broken(x, lane, c, err);
			rc = 0;
		}
	}
	return rc ? rc : store_commit(&lane->store, err);
}

static int begin_all(struct crawl *x, bool again, struct err *err)
{
	struct earlier_index earlier = {0};
	int rc = earlier_index_load(&earlier, x->catalog, err);

	x->has_begun = true;
	x->shared.earlier = &earlier;
	for (size_t i = 0; rc == 0 && i < x->lanes.len; i++)
		rc = begin_lane(x, x->lanes.ptr[i], again, err);
	x->shared.earlier = NULL;
	earlier_index_release(&earlier);
	return rc;
}

/* ---- while they run ---- */

static void report_progress(const struct crawl *x)
{
	struct crawl_progress all = {0};
	struct worst_sites worst = {0};

	if (!x->options->on_progress)
		return;
	for (size_t i = 0; i < x->lanes.len; i++)
		lane_progress(x->lanes.ptr[i], &all, &worst);
	all.sites = x->sites;
	all.worst = x->sites > 1 ? &worst : NULL;
	x->options->on_progress(x->options->context, &all);
}

static void wake_all(const struct crawl *x)
{
	for (size_t i = 0; i < x->lanes.len; i++)
		lane_wake(x->lanes.ptr[i]);
}

/* How many lanes have ended since the last time. */
static size_t count_ended(const struct crawl *x)
{
	uint64_t count;

	return read(x->shared.ended, &count, sizeof count) == sizeof count ? (size_t)count : 0;
}

/*
 * Returns free memory to the system. Tables of thousands of captures grow piece by piece and leave
 * holes as large as themselves; glibc alone returns only what is free at the end of the heap.
 */
static void trim_memory(int64_t *last)
{
	int64_t now = clock_monotonic(clock_system());

	if (now - *last < TRIM_MS * (CLOCK_NS_PER_SECOND / 1000))
		return;
	*last = now;
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

/* Returns when all lanes have ended. */
static void wait_for_lanes(struct crawl *x, size_t running)
{
	int64_t trimmed = clock_monotonic(clock_system());
	struct pollfd events[] = {
		{.fd = x->options->stop_fd, .events = POLLIN},
		{.fd = x->shared.ended, .events = POLLIN},
	};

	while (running > 0) {
		(void)poll(events, 2, x->options->on_progress ? PROGRESS_MS : TRIM_MS);
		trim_memory(&trimmed);
		if (events[0].fd >= 0 && events[0].revents) {
			events[0].fd = -1;
			atomic_store(&x->shared.stopping, true);
		}
		if (events[1].revents)
			running -= count_ended(x);
		if (atomic_load(&x->shared.stopping))
			wake_all(x);
		report_progress(x);
	}
}

static int join_all(struct crawl *x, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < x->lanes.len; i++) {
		struct err mine = {0};
		int ended = lane_join(x->lanes.ptr[i], &mine);

		if (rc == 0 && ended) {
			rc = ended;
			*err = mine;
		}
	}
	return rc;
}

/* Runs the lanes and the clerk until all have ended; returns the first error. */
static int run(struct crawl *x, struct err *err)
{
	struct err late = {0};
	size_t running = 0;
	int rc, ended;

	clerk_set_log(x->shared.clerk, x->options->log);
	rc = clerk_start(x->shared.clerk, err);
	atomic_store(&x->shared.running, x->sites - x->broken);
	while (rc == 0 && running < x->lanes.len) {
		rc = lane_start(x->lanes.ptr[running], err);
		running += rc == 0;
	}
	if (rc)
		atomic_store(&x->shared.stopping, true);
	wait_for_lanes(x, running);
	ended = join_all(x, rc ? &late : err);
	rc = rc ? rc : ended;
	ended = clerk_stop(x->shared.clerk, rc ? &late : err);
	x->shared.clerk = NULL;
	return rc ? rc : ended;
}

/* ---- ending ---- */

/*
 * The commit that marks the last capture as finished is the last change to the archive. If anything
 * fails before it, resume does it again.
 */
static int finish_last(struct crawl *x, struct err *err)
{
	const struct catalog_capture *last = &x->shared.last;
	int rc;

	if (!last->id) /* not all have ended */
		return 0;
	rc = index_write(x->catalog, &x->directory, err);
	if (rc == 0)
		rc = catalog_update_capture(x->catalog, last, err);
	if (rc == 0)
		rc = judging_store(x->catalog, last->id, err);
	if (rc == 0)
		rc = catalog_commit(x->catalog, err);
	if (rc || !x->options->log)
		return rc;
	rc = crawl_log_verdicts(x->options->log, x->catalog, last->id, err);
	return rc ? rc : crawl_log_commit(x->options->log, err);
}

/* Captures that are still on the lanes were stopped. */
static void report_stopped(struct crawl *x)
{
	for (size_t i = 0; i < x->lanes.len; i++) {
		const struct lane *lane = x->lanes.ptr[i];

		for (size_t k = 0; k < lane->captures.len; k++) {
			const struct capture *c = lane->captures.ptr[k];

			if (c)
				capture_result(c, CRAWL_STOPPED, c->result);
		}
	}
}

/* A lane that is stopped in the middle of its work leaves its WARC file open. */
static int complete_files(struct crawl *x, struct err *err)
{
	free_lanes(x);
	return replay_repair(x->catalog, &x->directory, err);
}

static int conclude(struct crawl *x, int rc, struct err *err)
{
	bool stopped = rc == ERR_STOPPED || atomic_load(&x->shared.stopping);
	struct err first;

	if (rc == ERR_STOPPED) { /* before the lanes ran */
		rc = 0;
		*err = (struct err){0};
	}
	if (rc == 0) {
		report_stopped(x);
		rc = x->shared.watch ? index_write(x->catalog, &x->directory, err)
				     : finish_last(x, err);
	}
	if (rc == 0 && stopped && x->has_begun)
		rc = complete_files(x, err);
	first = *err;
	/* What was committed stays; resume fetches the rest again. */
	if (rc && x->has_begun && !x->shared.watch)
		(void)err_set(err, first.code, "%.300s; fix this, then run: stillpoint resume %s",
			first.text, x->directory.path);
	close_crawl(x);
	return rc;
}

/* ---- beginning ---- */

static int open_archive(struct crawl *x, const char *archive, bool create, struct err *err)
{
	int rc = directory_open(&x->directory, archive, create, err);

	return rc ? rc
		  : catalog_open(x->directory.catalog, create ? CATALOG_CREATE : CATALOG_WRITE,
			    &x->catalog, err);
}

/* What the archive knows of change rates, for all captures that count noise alike. */
static int load_rates_of(struct crawl *x, bool bytes_only, const char *model, struct err *err)
{
	struct known_rates *known = &x->known[!bytes_only];
	bool is_loaded = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->captures.list.len; i++) {
		struct capture *c = x->captures.list.ptr[i];

		if (c->settings->bytes_only != bytes_only)
			continue;
		if (!is_loaded)
			rc = known_rates_load(known, x->catalog, model,
				bytes_only ? RATES_CHANGE_PAYLOAD : RATES_CHANGE_CONTENT, err);
		is_loaded = true;
		c->known = known;
	}
	return rc;
}

static int load_rates(struct crawl *x, struct err *err)
{
	const char *model = RATES_MODEL_NAME;
	int rc = directory_path(&x->directory, &model, &x->captures.arena, err);

	if (rc == 0)
		rc = load_rates_of(x, false, model, err);
	return rc ? rc : load_rates_of(x, true, model, err);
}

/* again: they are resumed. */
static int begin_on_lanes(struct crawl *x, bool again, struct err *err)
{
	int rc = load_rates(x, err);

	if (rc == 0)
		rc = assign_lanes(x, err);
	return rc ? rc : begin_all(x, again, err);
}

/* Pages behind a login must not be readable for other users of the machine. */
static int restrict_archive(
	struct crawl *x, const struct crawl_settings *sites, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		if (crawl_secrets_are_in(&sites[i]))
			return directory_restrict(&x->directory, err);
	return 0;
}

int crawl_start(const char *archive, const struct crawl_settings *sites, size_t count,
	const struct crawl_options *options, struct crawl_results *ret, struct err *err)
{
	struct crawl x;
	int rc = open_crawl(&x, options, ret, err);

	if (rc == 0)
		rc = captures_prepare(&x.captures, sites, count, err);
	if (rc == 0)
		rc = open_archive(&x, archive, true, err);
	if (rc == 0)
		rc = restrict_archive(&x, sites, count, err);
	/* An earlier capture may have ended badly, and not been resumed. */
	if (rc == 0)
		rc = replay_repair(x.catalog, &x.directory, err);
	if (rc == 0)
		rc = captures_add_to_catalog(&x.captures, x.catalog, err);
	if (rc == 0) /* resume finds them, whatever stops this run */
		rc = catalog_commit(x.catalog, err);
	if (rc == 0)
		rc = begin_on_lanes(&x, false, err);
	if (rc == 0)
		rc = run(&x, err);
	return conclude(&x, rc, err);
}

/* There is nothing to resume: the result says so of the last capture. */
static int note_finished(struct crawl *x, struct err *err)
{
	struct catalog_capture row;
	int rc = catalog_get_capture(x->catalog, 0, &x->captures.arena, &row, err);

	if (rc)
		return rc;
	x->results->ptr = calloc(1, sizeof *x->results->ptr);
	if (!x->results->ptr)
		return err_code(err, ERR_NOMEM);
	x->results->len = 1;
	x->results->ptr[0] = (struct crawl_result){.capture = row.id,
		.end = CRAWL_WAS_FINISHED,
		.watched = slice_eq(row.strategy, SLICE("watch"))};
	return 0;
}

static int run_again(struct crawl *x, struct err *err)
{
	int rc = replay_repair(x->catalog, &x->directory, err);

	if (rc == 0)
		rc = begin_on_lanes(x, true, err);
	return rc ? rc : run(x, err);
}

int crawl_resume(const char *archive, const struct crawl_options *options,
	struct crawl_results *ret, struct err *err)
{
	struct crawl x;
	int rc = open_crawl(&x, options, ret, err);

	if (rc == 0)
		rc = open_archive(&x, archive, false, err);
	if (rc == 0)
		rc = captures_load_unfinished(&x.captures, x.catalog, err);
	if (rc == 0 && x.captures.list.len > 0)
		rc = run_again(&x, err);
	else if (rc == 0)
		rc = x.captures.lost.len > 0 ? make_results(&x, err) : note_finished(&x, err);
	return conclude(&x, rc, err);
}

/* ---- sites under watch ---- */

static int add_looking(struct crawl *x, struct crawl_watch *watch, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->captures.list.len; i++)
		rc = looking_new(x->captures.list.ptr[i], &watch->sites[i], watch->once, err);
	return rc;
}

static int adopt_requests(struct crawl *x, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->captures.list.len; i++) {
		struct capture *c = x->captures.list.ptr[i];

		rc = budget_adopt(x->shared.watch->budget, c->row.id, &c->looking->counts);
	}
	return err_code(err, rc);
}

/* What has accrued while no process ran is there. */
static int carry_over(struct crawl *x, struct err *err)
{
	int64_t wall = clock_realtime(&x->clock.clock);
	struct budget *budget = x->shared.watch->budget;
	char path[DIRECTORY_PATH_MAX];
	int rc;

	if (snprintf(path, sizeof path, "%s/" BUDGET_NAME, x->directory.path) >= (int)sizeof path)
		return err_code(err, ERR_LIMIT);
	rc = budget_open(budget, path, wall, clock_seconds(clock_monotonic(&x->clock.clock)), err);
	for (size_t i = 0; rc == 0 && i < x->lanes.len; i++)
		for (size_t k = 0; k < x->lanes.ptr[i]->captures.len; k++)
			if (x->lanes.ptr[i]->captures.ptr[k])
				looking_carry_over(x->lanes.ptr[i]->captures.ptr[k],
					wall / CLOCK_NS_PER_SECOND, budget_surplus(budget));
	return rc;
}

int crawl_watch(const char *archive, const struct crawl_settings *settings, size_t count,
	struct crawl_watch *watch, const struct crawl_options *options, struct err *err)
{
	struct crawl_results results = {0};
	struct crawl x;
	int rc = open_crawl(&x, options, &results, err);

	x.shared.watch = watch;
	if (rc == 0)
		rc = captures_prepare(&x.captures, settings, count, err);
	if (rc == 0)
		rc = add_looking(&x, watch, err);
	if (rc == 0)
		rc = open_archive(&x, archive, true, err);
	if (rc == 0)
		rc = replay_repair(x.catalog, &x.directory, err);
	if (rc == 0)
		rc = captures_reopen(&x.captures, x.catalog, err);
	if (rc == 0)
		rc = catalog_commit(x.catalog, err);
	if (rc == 0)
		rc = adopt_requests(&x, err);
	if (rc == 0)
		rc = begin_on_lanes(&x, false, err);
	if (rc == 0)
		rc = carry_over(&x, err);
	if (rc == 0)
		rc = run(&x, err);
	rc = conclude(&x, rc, err);
	crawl_results_release(&results);
	return rc;
}
