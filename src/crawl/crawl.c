#include "crawl/crawl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "archive/directory.h"
#include "archive/import_rates.h"
#include "archive/index.h"
#include "archive/rates_model.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "crawl/capture.h"
#include "crawl/lane.h"
#include "crawl/restore.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "formats/url.h"

/* ---- which sites to show ---- */

/* More fails than not: the site is in trouble, not merely a page. */
static bool is_failing(const struct site_progress *s)
{
	return 2 * s->failed > s->done;
}

static bool is_worse(const struct site_progress *a, const struct site_progress *b)
{
	if (is_failing(a) != is_failing(b))
		return is_failing(a);
	if (a->left != b->left)
		return a->left > b->left;
	return strcmp(a->site, b->site) < 0;
}

void worst_sites_add(struct worst_sites *w, const struct site_progress *site)
{
	size_t at = w->len;

	while (at > 0 && is_worse(site, &w->list[at - 1]))
		at--;
	if (at == WORST_SITES_MAX)
		return;
	if (w->len < WORST_SITES_MAX)
		w->len++;
	memmove(&w->list[at + 1], &w->list[at], (w->len - at - 1) * sizeof w->list[0]);
	w->list[at] = *site;
}

/* ---- a crawl ---- */

/*
 * A crawl: opens the archive, assigns the captures to lanes and runs the lanes and the clerk. When
 * all have ended, it writes the index and marks the last capture as finished. Before the lanes
 * start and after they have ended, everything happens in the caller's thread.
 */

enum {
	PROGRESS_MS = 100,
	TRIM_MS = 10 * 1000,
	FETCHES_MAX = 1000,    /* of a lane at once */
	DESCRIPTORS_KEPT = 4,  /* for files of the catalog */
	LANE_DESCRIPTORS = 10, /* of a lane and its press, but for its fetches */
	LANE_SOCKETS = 4,      /* that a lane should have at least */
	OPEN_MAX_LOOKED = 1024,
};

/* Of strings: settings, names. */
#define STRINGS_MAX ((size_t)4 << 30)

/* Of one capture's settings as text. */
#define SETTINGS_MAX ((size_t)8 << 20)

/* A file of rates; many captures have the same. */
struct rates_file {
	const char *path;
	bool weights; /* rates_load_weights */
	struct rates *rates;
};

/* An unfinished capture that cannot be resumed, and why (in the arena). */
struct lost_capture {
	uint32_t capture;
	const char *problem;
};

/* Captures that may share a lane, the lanes they have, and which gets the next capture. */
struct group {
	size_t captures;
	const struct crawl_settings *settings; /* of the first one */
	size_t first, lanes, next;
};

VEC_DECLARE(rates_files, struct rates_file);
VEC_DECLARE(settings_vec, struct crawl_settings *);
VEC_DECLARE(lost_captures, struct lost_capture);
VEC_DECLARE(lane_vec, struct lane *);

struct crawl {
	const struct crawl_options *options;
	struct directory directory;
	struct catalog *catalog;
	struct arena arena; /* of strings that live as long as the crawl */
	/* New captures, or the unfinished ones of the archive; NULL once they are on their lanes.
	 */
	struct capture_vec list;
	struct u32_vec group_of;     /* by capture: those of one group may share a lane */
	struct strmap group_numbers; /* by their settings */
	struct group *groups;        /* by number */
	size_t group_count;
	struct settings_vec settings; /* read from the catalog */
	struct rates_files rates;
	struct lost_captures lost;
	struct clock_anchored clock; /* of all times that are told */
	struct lanes_shared shared;
	struct robots_history history;
	struct known_rates known[2]; /* of captures that count noise as a change, of others */
	struct lane_vec lanes;
	size_t sites, broken;
	bool has_begun;     /* there is something to resume */
	uint32_t first_new; /* capture; 0: they are resumed */
	struct crawl_results *results;
};

/* ---- preparing ---- */

/*
 * Captures of one group have the same settings, but for their own: what lanes, their connections
 * and their WARC files need is the same.
 */
static int on_common(void *context, const char *name, slice value)
{
	struct buf *common = context;

	return crawl_setting_is_own(name)
		       ? 0
		       : buf_printf(common, "%s %.*s\n", name, (int)value.len, value.ptr);
}

static int find_group(
	struct crawl *x, const struct crawl_settings *settings, uint32_t *ret, struct err *err)
{
	BUF_SCOPED(common, SETTINGS_MAX);

	TRY(err_code(err, crawl_settings_each(settings, on_common, &common)));
	if (!strmap_get(&x->group_numbers, buf_slice(&common), ret)) {
		*ret = (uint32_t)x->group_count++;
		TRY(err_code(err, strmap_put(&x->group_numbers, buf_slice(&common), *ret)));
	}
	if (x->group_count > CRAWL_LANES_MAX)
		return err_set(err, ERR_USAGE,
			"the sites have more than %d different combinations of settings for "
			"connections, politeness and WARC files; let more sites have the same",
			CRAWL_LANES_MAX);
	return 0;
}

/* The rates or weights of a file, which is read once. */
static int find_rates(
	struct crawl *x, const char *path, bool weights, const struct rates **ret, struct err *err)
{
	struct rates_file new = {.path = path ? path : "", .weights = weights};
	int rc = 0;

	for (size_t i = x->rates.len; i > 0; i--) {
		const struct rates_file *f = &x->rates.ptr[i - 1];

		if (f->weights == weights && strcmp(f->path, new.path) == 0) {
			*ret = f->rates;
			return 0;
		}
	}
	new.rates = mem_new(1, sizeof *new.rates);
	rates_files_push(&x->rates, new);
	if (path)
		rc = (weights ? rates_load_weights : rates_load)(path, new.rates, err);
	/* A file that the user named and that cannot be read is a usage error. */
	if (rc == ERR_IO)
		rc = err->code = ERR_USAGE;
	*ret = new.rates;
	return rc;
}

/* What the capture's requests carry. */
static int init_headers(struct crawl *x, struct capture *c, struct err *err)
{
	const struct crawl_secrets *secrets = x->options->secrets;

	c->login.with = secrets ? secrets->login : NULL;
	return request_headers_init(&c->headers, c->settings, secrets,
		clock_realtime(&x->clock.clock) / CLOCK_NS_PER_SECOND, &x->arena, err);
}

/* Makes a capture and checks its settings, which are borrowed, before anything is written. */
static int add_capture(struct crawl *x, const struct crawl_settings *settings, struct err *err)
{
	const struct rates *rates = NULL, *weights = NULL;
	struct capture *c = NULL;
	uint32_t group = 0;

	TRY(find_rates(x, settings->rates, false, &rates, err));
	TRY(find_rates(x, settings->weights, true, &weights, err));
	if (settings->ca_file && access(settings->ca_file, R_OK) < 0)
		return err_set(
			err, ERR_USAGE, "--cacert %s: %s", settings->ca_file, strerror(errno));
	TRY(find_group(x, settings, &group, err));
	TRY(capture_new(settings, rates, &x->clock.clock, &c, err));
	c->weights = weights;
	capture_vec_push(&x->list, c);
	u32_vec_push(&x->group_of, group);
	return 0;
}

/* ---- new rows ---- */

/* Files that captures need. Resume must have them even if the originals are gone. */
static const struct {
	size_t at;
	const char *name, *type;
} FILES[] = {
	{offsetof(struct crawl_settings, rates), "rates", "csv"},
	{offsetof(struct crawl_settings, weights), "weights", "csv"},
	{offsetof(struct crawl_settings, ca_file), "cacert", "pem"},
};

enum { FILE_COUNT = sizeof FILES / sizeof FILES[0] };

static const char **file_of(struct crawl_settings *s, size_t file)
{
	return (const char **)(void *)((char *)s + FILES[file].at);
}

/* Copies them into the archive. Sites behind one another that need the same file share its copy. */
static int copy_files(
	struct crawl *x, size_t i, uint32_t capture, const char *names[FILE_COUNT], struct err *err)
{
	struct crawl_settings s = *x->list.ptr[i]->settings, last = {0};

	if (i > 0)
		last = *x->list.ptr[i - 1]->settings;
	for (size_t k = 0; k < FILE_COUNT; k++) {
		const char *from = *file_of(&s, k), *before = *file_of(&last, k);
		char name[32];

		if (from == before || (from && before && strcmp(from, before) == 0))
			continue;
		(void)snprintf(
			name, sizeof name, "%s-%u.%s", FILES[k].name, capture, FILES[k].type);
		if (from)
			TRY(directory_copy_in(&x->directory, from, name, err));
		names[k] = from ? arena_keep(&x->arena, slice_str(name)).ptr : NULL;
	}
	return 0;
}

/* The settings as the catalog keeps them, in the arena; names are those of files in the archive. */
static int write_settings(struct crawl *x, const struct crawl_settings *settings,
	const char *names[FILE_COUNT], slice *ret, struct err *err)
{
	struct crawl_settings kept = *settings;
	BUF_SCOPED(text, SETTINGS_MAX);
	int rc;

	for (size_t k = 0; names && k < FILE_COUNT; k++)
		*file_of(&kept, k) = names[k];
	rc = crawl_settings_write(&kept, &text);
	if (rc == ERR_SYNTAX)
		return err_set(err, ERR_USAGE, "a setting contains a line break; remove it");
	if (rc == ERR_LIMIT)
		return err_set(err, ERR_USAGE,
			"%.200s: too many URLs or patterns for one site (%zu MiB at most)",
			settings->seeds.ptr[0], SETTINGS_MAX >> 20);
	*ret = rc ? *ret : arena_keep(&x->arena, buf_slice(&text));
	return err_code(err, rc);
}

static int add_to_catalog(
	struct crawl *x, struct capture *c, const char *names[FILE_COUNT], struct err *err)
{
	struct catalog_capture *row = &c->row;
	struct warc_id id = {0};
	struct rng rng;

	rng_init(&rng, hash_key_random().k0);
	warc_id_make(&rng, &id);
	*row = (struct catalog_capture){
		/* Without the angle brackets. */
		.uuid = arena_keep(&x->arena, (slice){id.text + 1, strlen(id.text) - 2}),
		.site = slice_str(c->settings->seeds.ptr[0]),
		.strategy = c->settings->watch ? SLICE("watch") : slice_str(c->strategy->name),
		.single = !c->settings->watch && (!c->strategy->revisits || c->settings->single),
		.state = CATALOG_RUNNING,
		.started = clock_realtime(c->clock),
		.addresses = CATALOG_NO_ADDRESSES,
	};
	c->epoch = row->started - clock_offset(c->clock); /* the planner's clock starts then */
	TRY(write_settings(x, c->settings, names, &row->settings, err));
	return catalog_add_capture(x->catalog, row, &row->id, err);
}

/* Adds the captures to the catalog, and the files they need to the archive. */
static int add_all_to_catalog(struct crawl *x, struct err *err)
{
	const char *names[FILE_COUNT] = {NULL};
	struct catalog_capture last = {0};
	struct err none = {0};
	int rc = catalog_get_capture(x->catalog, 0, &x->arena, &last, &none);

	if (rc && rc != ERR_NOTFOUND)
		return err_copy(err, &none);
	for (size_t i = 0; i < x->list.len; i++) {
		TRY(copy_files(x, i, (rc ? 0 : last.id) + 1 + (uint32_t)i, names, err));
		TRY(add_to_catalog(x, x->list.ptr[i], names, err));
	}
	x->first_new = x->list.ptr[0]->row.id;
	return 0;
}

/* ---- sites under watch ---- */

/* Whether a capture is one, by its settings as text. */
static bool is_watched(slice settings)
{
	while (settings.len > 0)
		if (slice_eq(slice_take(&settings, '\n'), SLICE("watch true")))
			return true;
	return false;
}

/* Numbers of captures, by site. */
static int on_watched(void *context, const struct catalog_capture *row)
{
	int rc = is_watched(row->settings) ? strmap_put(context, row->site, row->id) : 0;

	return rc == ERR_EXISTS ? 0 : rc;
}

/* A site that has a row goes on with it, under its present settings; another one gets a row. */
static int reopen_all(struct crawl *x, struct err *err)
{
	const char *none[FILE_COUNT] = {NULL};
	SCOPED(strmap_release) struct strmap rows;

	strmap_init(&rows, hash_key_random(), &x->arena);
	TRY(err_code(err, catalog_each_capture(x->catalog, on_watched, &rows, err)));
	for (size_t i = 0; i < x->list.len; i++) {
		struct capture *c = x->list.ptr[i];
		uint32_t id;

		if (!strmap_get(&rows, slice_str(c->settings->seeds.ptr[0]), &id)) {
			TRY(add_to_catalog(x, c, none, err));
			continue;
		}
		TRY(catalog_get_capture(x->catalog, id, &x->arena, &c->row, err));
		TRY(write_settings(x, c->settings, none, &c->row.settings, err));
		TRY(catalog_set_settings(x->catalog, id, c->row.settings, err));
		c->resumes = true;
	}
	return 0;
}

/* ---- unfinished ones ---- */

static int on_capture(void *context, const struct catalog_capture *row)
{
	if (row->state == CATALOG_RUNNING && !is_watched(row->settings))
		u32_vec_push(context, row->id);
	return 0;
}

/* The row's settings become what the operator wants now. */
static int change_settings(struct crawl *x, struct catalog_capture *row, struct err *err)
{
	struct crawl_settings s;
	int rc = crawl_settings_read(&s, row->settings, &x->arena, err);

	if (rc == 0) {
		crawl_settings_change(&s, x->options->changes);
		rc = write_settings(x, &s, NULL, &row->settings, err);
	}
	crawl_settings_release(&s);
	return rc;
}

/* Makes a capture from its row. */
static int add_row(struct crawl *x, const struct catalog_capture *row, struct err *err)
{
	struct crawl_settings *settings = mem_new(1, sizeof *settings);

	settings_vec_push(&x->settings, settings);
	TRY(crawl_settings_read(settings, row->settings, &x->arena, err));
	for (size_t k = 0; k < FILE_COUNT; k++)
		if (*file_of(settings, k))
			TRY(directory_path(&x->directory, file_of(settings, k), &x->arena, err));
	TRY(add_capture(x, settings, err));
	x->list.ptr[x->list.len - 1]->row = *row;
	return 0;
}

static int load_capture(struct crawl *x, uint32_t id, struct err *err)
{
	static const struct crawl_secrets NONE = {0};
	const struct crawl_secrets *secrets = x->options->secrets ? x->options->secrets : &NONE;
	bool changes = changes_are_in(x->options->changes);
	struct catalog_capture row;
	struct capture *c;
	int rc;

	TRY(catalog_get_capture(x->catalog, id, &x->arena, &row, err));
	rc = changes ? change_settings(x, &row, err) : 0;
	if (rc == 0)
		rc = add_row(x, &row, err);
	if (rc) {
		lost_captures_push(&x->lost,
			(struct lost_capture){id, arena_keep(&x->arena, slice_str(err->text)).ptr});
		*err = (struct err){0};
		return 0;
	}
	if (changes)
		TRY(catalog_set_settings(x->catalog, id, row.settings, err));
	c = x->list.ptr[x->list.len - 1];
	TRY(crawl_secrets_check(secrets, c->settings, &x->arena, err));
	return init_headers(x, c, err);
}

/*
 * Makes all unfinished captures of the catalog, but for sites under watch. One whose settings are
 * damaged goes to lost and does not stop the others. 0, ERR_USAGE for a missing secret, ERR_IO.
 */
static int load_unfinished(struct crawl *x, struct err *err)
{
	SCOPED(u32_vec_release) struct u32_vec ids = {0};

	TRY(catalog_each_capture(x->catalog, on_capture, &ids, err));
	for (size_t i = 0; i < ids.len; i++)
		TRY(load_capture(x, ids.ptr[i], err));
	return 0;
}

/* ---- opening ---- */

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
	clock_anchor(&x->clock, clock);

	arena_init(&x->arena, STRINGS_MAX);
	strmap_init(&x->group_numbers, hash_key_random(), &x->arena);
	x->shared.directory = &x->directory;
	x->shared.clock = &x->clock.clock;
	x->shared.wall = clock;
	x->shared.history = &x->history;
	x->shared.stop_fd = options->stop_fd;
	x->shared.secrets = options->secrets;
	x->shared.changes = options->changes;
	x->shared.paces = shared_paces_new();
	x->shared.ended = eventfd(0, EFD_CLOEXEC);
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

/* ---- lanes ---- */

/* Descriptors that lanes can have. Many sites need many sockets. */
static size_t count_free(void)
{
	size_t all = 1024, used = DESCRIPTORS_KEPT;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		struct rlimit most = {limit.rlim_max, limit.rlim_max};

		if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &most) == 0)
			limit = most;
		all = limit.rlim_cur < SIZE_MAX / 2 ? (size_t)limit.rlim_cur : SIZE_MAX / 2;
	}
	for (int fd = 0; fd < OPEN_MAX_LOOKED && (size_t)fd < all; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	return all > used ? all - used : 0;
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

/* Of a crash before the first commit nothing is left. */
static int count_file(void *context, const struct catalog_warc *warc)
{
	uint64_t *count = context;

	*count += warc->size > 0;
	return 0;
}

/* How many lanes each group gets; returns the sum. */
static size_t plan_lanes(struct crawl *x)
{
	size_t count = 0, wanted = lanes_wanted(x);

	assert(x->sites > 0);
	x->groups = mem_new(x->group_count, sizeof *x->groups);
	for (size_t i = 0; i < x->sites; i++) {
		struct group *g = &x->groups[x->group_of.ptr[i]];

		if (g->captures++ == 0)
			g->settings = x->list.ptr[i]->settings;
	}
	for (size_t i = 0; i < x->group_count; i++) {
		struct group *g = &x->groups[i];

		/* By its share of the captures, at least one. */
		g->first = count;
		g->lanes = (g->captures * wanted + x->sites - 1) / x->sites;
		if (g->lanes > g->captures)
			g->lanes = g->captures;
		count += g->lanes;
	}
	return count;
}

static int make_lanes(struct crawl *x, struct err *err)
{
	size_t count = plan_lanes(x), all = count_free(), own = count * LANE_DESCRIPTORS;
	size_t share = all > own && count > 0 ? (all - own) / count : 0;
	struct lane_params params = {.shared = &x->shared,
		.lanes = count,
		.only = x->sites == 1 ? &x->list.ptr[0]->row : NULL};
	uint64_t last = 0;

	/* Numbers go on, so that files have the order of their names even within a second. */
	TRY(catalog_each_warc(x->catalog, count_file, &params.serial, err));
	TRY(catalog_last_looks(x->catalog, &last, err));
	/* Fetches of a lane at once: a connection each and, for a large body, a file. */
	params.max_fetches = share < 2 ? 1 : share / 2;
	if (params.max_fetches > FETCHES_MAX)
		params.max_fetches = FETCHES_MAX;
	params.max_kept =
		share > params.max_fetches ? share - params.max_fetches : 1; /* in use or not */
	for (size_t i = 0; i < x->group_count; i++) {
		params.settings = x->groups[i].settings;
		for (size_t k = 0; k < x->groups[i].lanes; k++) {
			struct lane *lane;

			params.number = count > 1 ? (unsigned)(x->groups[i].first + k + 1) : 0;
			params.looks =
				(last / LOOK_BATCH_STEP + 1) * LOOK_BATCH_STEP + params.number;
			TRY(lane_new(&params, &lane, err));
			lane_vec_push(&x->lanes, lane);
		}
	}
	return 0;
}

/* Makes room for the results; those of lost captures come last, and are known already. */
static void make_results(struct crawl *x)
{
	x->sites = x->list.len;
	x->results->len = x->sites + x->lost.len;
	x->results->ptr = mem_new(x->results->len, sizeof *x->results->ptr);
	for (size_t i = 0; i < x->lost.len; i++)
		x->results->ptr[x->sites + i] = (struct crawl_result){
			.capture = x->lost.ptr[i].capture,
			.end = CRAWL_BROKEN,
			.problem = mem_strdup(slice_str(x->lost.ptr[i].problem)),
		};
}

/* Makes the clerk and the lanes, and assigns all captures to them. */
static int assign_lanes(struct crawl *x, struct err *err)
{
	uint32_t last = 0;

	make_results(x);
	TRY(robots_history_load(&x->history, x->catalog, x->list.ptr[0]->row.id, err));
	x->shared.clerk = clerk_new(x->catalog);
	TRY(make_lanes(x, err));
	if (x->lanes.len > 0)
		TRY(store_adopt_looks(&x->lanes.ptr[0]->store, x->catalog, err));
	/* Every lane must know which bodies the archive has. */
	for (size_t i = 0; i < x->sites; i++)
		if (x->list.ptr[i]->row.id > last)
			last = x->list.ptr[i]->row.id;
	for (size_t i = 0; i < x->lanes.len; i++)
		TRY(duplicates_learn(&x->lanes.ptr[i]->duplicates, x->catalog, last + 1, err));
	/* The lanes of a group get its captures in turn. */
	for (size_t i = 0; i < x->sites; i++) {
		struct group *g = &x->groups[x->group_of.ptr[i]];
		struct capture *c = x->list.ptr[i];

		c->result = &x->results->ptr[i];
		TRY(err_code(err, lane_add(x->lanes.ptr[g->first + g->next++ % g->lanes], c)));
		x->list.ptr[i] = NULL;
	}
	return 0;
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
			/* A capture that cannot be resumed does not stop the others. */
			*c->result = (struct crawl_result){.capture = c->row.id,
				.end = CRAWL_BROKEN,
				.problem = mem_strdup(slice_str(err->text))};
			lane_drop(lane, c);
			x->broken++;
			*err = (struct err){0};
			rc = 0;
		}
	}
	return rc ? rc : store_commit(&lane->store, err);
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
		int64_t now = clock_monotonic(clock_system());

		/*
		 * Returns free memory to the system. Tables of thousands of captures grow piece by
		 * piece and leave holes as large as themselves; glibc alone returns only what is
		 * free at the end of the heap.
		 */
		if (now - trimmed >= TRIM_MS * (CLOCK_NS_PER_SECOND / 1000)) {
			trimmed = now;
#ifdef __GLIBC__
			(void)malloc_trim(0);
#endif
		}
		if (events[0].fd >= 0 && events[0].revents) {
			events[0].fd = -1;
			atomic_store(&x->shared.stopping, true);
		}
		if (events[1].revents) {
			uint64_t count;

			/* How many lanes have ended since the last time. */
			running -= read(x->shared.ended, &count, sizeof count) == sizeof count
					   ? (size_t)count
					   : 0;
		}
		if (atomic_load(&x->shared.stopping))
			for (size_t i = 0; i < x->lanes.len; i++)
				lane_wake(x->lanes.ptr[i]);
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

	if (!last->id) /* not all have ended */
		return 0;
	TRY(catalog_put(x->catalog, CATALOG_ROW_CAPTURE, 0, last, err));
	TRY(index_add(x->catalog, &x->directory, x->first_new, last->id, err));
	TRY(catalog_commit(x->catalog, err));
	if (!x->options->log)
		return 0;
	TRY(crawl_log_verdicts(x->options->log, x->catalog, last->id, err));
	return crawl_log_commit(x->options->log, err);
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
	if (rc == 0 && stopped && x->has_begun) {
		/* A lane that is stopped in the middle of its work leaves its WARC file open. */
		free_lanes(x);
		rc = restore_repair(x->catalog, &x->directory, err);
	}
	first = *err;
	/* What was committed stays; resume fetches the rest again. */
	if (rc && x->has_begun && !x->shared.watch)
		(void)err_set(err, first.code, "%.300s; fix this, then run: stillpoint resume %s",
			first.text, x->directory.path);
	free_lanes(x);
	shared_paces_free(x->shared.paces);
	if (x->shared.ended >= 0)
		(void)close(x->shared.ended);
	catalog_close(x->catalog);
	for (size_t i = 0; i < x->list.len; i++)
		capture_free(x->list.ptr[i]);
	capture_vec_release(&x->list);
	u32_vec_release(&x->group_of);
	strmap_release(&x->group_numbers);
	free(x->groups);
	for (size_t i = 0; i < x->settings.len; i++) {
		crawl_settings_release(x->settings.ptr[i]);
		free(x->settings.ptr[i]);
	}
	settings_vec_release(&x->settings);
	lost_captures_release(&x->lost);
	for (size_t i = 0; i < x->rates.len; i++) {
		rates_release(x->rates.ptr[i].rates);
		free(x->rates.ptr[i].rates);
	}
	rates_files_release(&x->rates);
	arena_release(&x->arena);
	robots_history_release(&x->history);
	for (size_t i = 0; i < 2; i++)
		known_rates_release(&x->known[i]);
	directory_close(&x->directory);
	return rc;
}

/* ---- beginning ---- */

static int open_archive(struct crawl *x, const char *archive, bool create, struct err *err)
{
	TRY(directory_open(&x->directory, archive, create, err));
	return catalog_open(
		x->directory.catalog, create ? CATALOG_CREATE : CATALOG_WRITE, &x->catalog, err);
}

/* Whose the sites of this crawl are. */
static int list_owners(const struct crawl *x, struct strmap *owners)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->list.len; i++) {
		rc = strmap_put(owners, url_owner(x->list.ptr[i]->row.site), 0);
		rc = rc == ERR_EXISTS ? 0 : rc;
	}
	return rc;
}

/* What the archive knows of change rates, for all captures that count noise alike. */
static int load_rates_of(struct crawl *x, bool bytes_only, const char *model,
	const struct strmap *owners, struct err *err)
{
	struct known_rates *known = &x->known[!bytes_only];
	bool is_loaded = false;

	for (size_t i = 0; i < x->list.len; i++) {
		struct capture *c = x->list.ptr[i];

		if (c->settings->bytes_only != bytes_only)
			continue;
		if (!is_loaded)
			TRY(known_rates_load(known, x->catalog, model,
				bytes_only ? RATES_CHANGE_PAYLOAD : RATES_CHANGE_CONTENT, owners,
				err));
		is_loaded = true;
		c->known = known;
	}
	return 0;
}

/* again: they are resumed. The name of the archive is borrowed for as long as the program runs. */
static int begin_on_lanes(struct crawl *x, const char *archive, bool again, struct err *err)
{
	SCOPED(earlier_index_release) struct earlier_index earlier = {0};
	SCOPED(strmap_release) struct strmap owners;
	const char *model = RATES_MODEL_NAME;
	int rc = 0;

	mem_set_budget((size_t)x->list.ptr[0]->settings->memory, archive);
	strmap_init(&owners, hash_key_random(), NULL);
	TRY(directory_path(&x->directory, &model, &x->arena, err));
	TRY(err_code(err, list_owners(x, &owners)));
	TRY(load_rates_of(x, false, model, &owners, err));
	TRY(load_rates_of(x, true, model, &owners, err));
	TRY(assign_lanes(x, err));
	x->has_begun = true;
	TRY(earlier_index_load(&earlier, x->catalog, err));
	x->shared.earlier = &earlier; /* only used here */
	for (size_t i = 0; rc == 0 && i < x->lanes.len; i++)
		rc = begin_lane(x, x->lanes.ptr[i], again, err);
	x->shared.earlier = NULL;
	return rc;
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

/* There is nothing to resume: the result says so of the last capture. */
static int note_finished(struct crawl *x, struct err *err)
{
	struct catalog_capture row;

	TRY(catalog_get_capture(x->catalog, 0, &x->arena, &row, err));
	x->results->ptr = mem_new(1, sizeof *x->results->ptr);
	x->results->len = 1;
	x->results->ptr[0] = (struct crawl_result){.capture = row.id,
		.end = CRAWL_WAS_FINISHED,
		.watched = slice_eq(row.strategy, SLICE("watch"))};
	return 0;
}

/* All unfinished captures of an archive, up to the end of their lanes. */
static int run_again(struct crawl *x, const char *archive, struct err *err)
{
	TRY(open_archive(x, archive, false, err));
	TRY(load_unfinished(x, err));
	if (x->list.len == 0 && x->lost.len == 0)
		return note_finished(x, err);
	if (x->list.len == 0) {
		make_results(x);
		return 0;
	}
	TRY(restore_repair(x->catalog, &x->directory, err));
	TRY(begin_on_lanes(x, archive, true, err));
	return run(x, err);
}

int crawl_resume(const char *archive, const struct crawl_options *options,
	struct crawl_results *ret, struct err *err)
{
	struct crawl x;
	int rc = open_crawl(&x, options, ret, err);

	if (rc == 0)
		rc = run_again(&x, archive, err);
	return conclude(&x, rc, err);
}

/* ---- sites under watch ---- */

/* What has accrued while no process ran is there. */
static int carry_over(struct crawl *x, struct err *err)
{
	int64_t wall = clock_realtime(&x->clock.clock);
	struct budget *budget = x->shared.watch->budget;
	char path[DIRECTORY_PATH_MAX];

	if (snprintf(path, sizeof path, "%s/" BUDGET_NAME, x->directory.path) >= (int)sizeof path)
		return err_code(err, ERR_LIMIT);
	TRY(budget_open(budget, path, wall, clock_seconds(clock_monotonic(&x->clock.clock)), err));
	for (size_t i = 0; i < x->lanes.len; i++)
		for (size_t k = 0; k < x->lanes.ptr[i]->captures.len; k++)
			if (x->lanes.ptr[i]->captures.ptr[k])
				looking_carry_over(x->lanes.ptr[i]->captures.ptr[k],
					wall / CLOCK_NS_PER_SECOND, budget_surplus(budget));
	return 0;
}

/* A new crawl, or a watch, up to the end of its lanes. */
static int run_new(struct crawl *x, const char *archive, const struct crawl_settings *sites,
	size_t count, struct err *err)
{
	struct crawl_watch *watch = x->shared.watch;

	for (size_t i = 0; i < count; i++) {
		TRY(add_capture(x, &sites[i], err));
		TRY(init_headers(x, x->list.ptr[i], err));
		if (watch)
			TRY(looking_new(x->list.ptr[i], &watch->sites[i], watch->once, err));
	}
	TRY(open_archive(x, archive, true, err));
	TRY(restrict_archive(x, sites, count, err));
	/* An earlier capture may have ended badly, and not been resumed. */
	TRY(restore_repair(x->catalog, &x->directory, err));
	TRY(watch ? reopen_all(x, err) : add_all_to_catalog(x, err));
	TRY(catalog_commit(x->catalog, err)); /* resume finds them, whatever stops this run */
	TRY(begin_on_lanes(x, archive, false, err));
	if (watch)
		TRY(carry_over(x, err));
	return run(x, err);
}

int crawl_start(const char *archive, const struct crawl_settings *sites, size_t count,
	const struct crawl_options *options, struct crawl_results *ret, struct err *err)
{
	struct crawl x;
	int rc = open_crawl(&x, options, ret, err);

	if (rc == 0)
		rc = run_new(&x, archive, sites, count, err);
	return conclude(&x, rc, err);
}

int crawl_watch(const char *archive, const struct crawl_settings *settings, size_t count,
	struct crawl_watch *watch, const struct crawl_options *options, struct err *err)
{
	SCOPED(crawl_results_release) struct crawl_results results = {0};
	struct crawl x;
	int rc = open_crawl(&x, options, &results, err);

	x.shared.watch = watch;
	if (rc == 0)
		rc = run_new(&x, archive, settings, count, err);
	return conclude(&x, rc, err);
}
