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

/*
 * The captures of a crawl before they are on their lanes: new ones, which are added to the catalog
 * here, or the unfinished ones of an archive.
 */

/* A file of rates; many captures have the same. */
struct rates_file {
	const char *path;
	bool weights; /* rates_load_weights */
	struct rates *rates;
};

VEC_DECLARE(rates_files, struct rates_file);
VEC_DECLARE(settings_vec, struct crawl_settings *);

/* An unfinished capture that cannot be resumed, and why (in the arena). */
struct lost_capture {
	uint32_t capture;
	const char *problem;
};

VEC_DECLARE(lost_captures, struct lost_capture);

/* Fields may be read; the crawl moves the captures to lanes and sets their places to NULL. */
struct captures {
	struct directory *directory;
	const struct clock *clock;
	const struct crawl_secrets *secrets; /* of all captures; NULL for none; set by the caller */
	const struct crawl_command *changes; /* the same */
	struct arena arena;                  /* of strings that live as long as the crawl */
	struct capture_vec list;
	struct u32_vec groups; /* by capture: those of one group may share a lane */
	size_t group_count;
	struct strmap group_numbers;  /* by their settings */
	struct settings_vec settings; /* read from the catalog */
	struct rates_files rates;
	struct lost_captures lost; /* by captures_load_unfinished */
};

/* Of strings: settings, names. */
#define STRINGS_MAX ((size_t)4 << 30)

/* Of one capture's settings as text. */
#define SETTINGS_MAX ((size_t)8 << 20)

/* Both are borrowed; the directory is to be open for captures_add_to_catalog and
 * captures_load_unfinished. */
static void captures_init(
	struct captures *r, struct directory *directory, const struct clock *clock)
{
	*r = (struct captures){.directory = directory, .clock = clock};
	arena_init(&r->arena, STRINGS_MAX);
	strmap_init(&r->group_numbers, hash_key_random(), &r->arena);
}

static void captures_release(struct captures *r)
{
	for (size_t i = 0; i < r->list.len; i++)
		capture_free(r->list.ptr[i]);
	capture_vec_release(&r->list);
	u32_vec_release(&r->groups);
	strmap_release(&r->group_numbers);
	for (size_t i = 0; i < r->settings.len; i++)
		crawl_settings_release(r->settings.ptr[i]);
	settings_vec_release(&r->settings);
	lost_captures_release(&r->lost);
	for (size_t i = 0; i < r->rates.len; i++)
		rates_release(r->rates.ptr[i].rates);
	rates_files_release(&r->rates);
	arena_release(&r->arena);
}

/* ---- groups ---- */

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
	struct captures *r, const struct crawl_settings *settings, uint32_t *ret, struct err *err)
{
	struct buf common;
	int rc;

	buf_init(&common, SETTINGS_MAX);
	rc = crawl_settings_each(settings, on_common, &common);
	if (rc == 0 && !strmap_get(&r->group_numbers, buf_slice(&common), ret)) {
		*ret = (uint32_t)r->group_count++;
		rc = strmap_put(&r->group_numbers, buf_slice(&common), *ret);
	}
	buf_release(&common);
	if (rc == 0 && r->group_count > CRAWL_LANES_MAX)
		return err_set(err, ERR_USAGE,
			"the sites have more than %d different combinations of settings for "
			"connections, politeness and WARC files; let more sites have the same",
			CRAWL_LANES_MAX);
	return rc ? err_code(err, ERR_NOMEM) : 0;
}

/* ---- preparing ---- */

static int read_rates(struct captures *r, const char *path, bool weights, const struct rates **ret,
	struct err *err)
{
	struct rates *rates = ARENA_NEW(&r->arena, struct rates);
	int rc = 0;

	if (!rates || rates_files_reserve(&r->rates, 1))
		return err_code(err, ERR_NOMEM);
	if (path)
		rc = weights ? rates_load_weights(path, rates, err) : rates_load(path, rates, err);
	/* A file that the user named and that cannot be read is a usage error. */
	if (rc == ERR_IO)
		rc = err->code = ERR_USAGE;
	if (rc)
		return rc;
	r->rates.ptr[r->rates.len++] = (struct rates_file){path ? path : "", weights, rates};
	*ret = rates;
	return 0;
}

static int find_rates(struct captures *r, const char *path, bool weights, const struct rates **ret,
	struct err *err)
{
	for (size_t i = r->rates.len; i > 0; i--) {
		const struct rates_file *f = &r->rates.ptr[i - 1];

		if (f->weights == weights && strcmp(f->path, path ? path : "") == 0) {
			*ret = f->rates;
			return 0;
		}
	}
	return read_rates(r, path, weights, ret, err);
}

/* What the capture's requests carry. */
static int init_headers(struct captures *r, struct capture *c, struct err *err)
{
	c->login.with = r->secrets ? r->secrets->login : NULL;
	return request_headers_init(&c->headers, c->settings, r->secrets,
		clock_realtime(r->clock) / CLOCK_NS_PER_SECOND, &r->arena, err);
}

static int add_capture(struct captures *r, const struct crawl_settings *settings, struct err *err)
{
	const struct rates *rates = NULL, *weights = NULL;
	struct capture *c = NULL;
	uint32_t group = 0;

	TRY(find_rates(r, settings->rates, false, &rates, err));
	TRY(find_rates(r, settings->weights, true, &weights, err));
	if (settings->ca_file && access(settings->ca_file, R_OK) < 0)
		TRY(err_set(err, ERR_USAGE, "--cacert %s: %s", settings->ca_file, strerror(errno)));
	TRY(find_group(r, settings, &group, err));
	if (capture_vec_reserve(&r->list, 1) || u32_vec_reserve(&r->groups, 1))
		TRY(err_code(err, ERR_NOMEM));
	TRY(capture_new(settings, rates, r->clock, &c, err));
	c->weights = weights;
	r->list.ptr[r->list.len++] = c;
	r->groups.ptr[r->groups.len++] = group;
	return 0;
}

/*
 * Makes a capture for each site and checks its settings, before anything is written. The settings
 * are borrowed. 0, ERR_USAGE, ERR_NOMEM, …
 */
static SP_MUST_CHECK int captures_prepare(
	struct captures *r, const struct crawl_settings *sites, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		TRY(add_capture(r, &sites[i], err));
		TRY(init_headers(r, r->list.ptr[i], err));
	}
	return 0;
}

/* ---- new rows ---- */

/* Names, within the archive, of files that captures need. */
struct copied_files {
	const char *rates, *weights, *ca_file;
};

/* Copies a file into the archive: resume needs it, even if the original is gone. */
static int copy_in(
	struct captures *r, const char *from, const char *name, const char **ret, struct err *err)
{
	*ret = NULL;
	if (!from)
		return 0;
	TRY(directory_copy_in(r->directory, from, name, err));
	*ret = arena_strdup(&r->arena, slice_str(name));
	return *ret ? 0 : err_code(err, ERR_NOMEM);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Sites behind one another that need the same file share its copy. */
static int copy_files(
	struct captures *r, size_t i, uint32_t capture, struct copied_files *files, struct err *err)
{
	static const struct crawl_settings NONE;
	const struct crawl_settings *s = r->list.ptr[i]->settings;
	const struct crawl_settings *last = i > 0 ? r->list.ptr[i - 1]->settings : &NONE;
	char name[32];
	int rc = 0;

	(void)snprintf(name, sizeof name, "rates-%u.csv", capture);
	if (!is_same(s->rates, last->rates))
		rc = copy_in(r, s->rates, name, &files->rates, err);
	(void)snprintf(name, sizeof name, "weights-%u.csv", capture);
	if (rc == 0 && !is_same(s->weights, last->weights))
		rc = copy_in(r, s->weights, name, &files->weights, err);
	(void)snprintf(name, sizeof name, "cacert-%u.pem", capture);
	if (rc == 0 && !is_same(s->ca_file, last->ca_file))
		rc = copy_in(r, s->ca_file, name, &files->ca_file, err);
	return rc;
}

static int next_number(struct captures *r, struct catalog *catalog, uint32_t *ret, struct err *err)
{
	struct catalog_capture last;
	struct err none = {0};
	int rc = catalog_get_capture(catalog, 0, &r->arena, &last, &none);

	*ret = rc == 0 ? last.id + 1 : 1;
	if (rc && rc != ERR_NOTFOUND)
		*err = none;
	return rc == ERR_NOTFOUND ? 0 : rc;
}

static slice make_uuid(struct captures *r, struct rng *rng)
{
	struct warc_id id = {0};

	warc_id_make(rng, &id);
	/* Without the angle brackets. */
	return (slice){arena_strdup(&r->arena, (slice){id.text + 1, strlen(id.text) - 2}),
		strlen(id.text) - 2};
}

/* The settings as the catalog keeps them, in the arena. */
static int write_settings(struct captures *r, const struct crawl_settings *settings,
	const struct copied_files *files, slice *ret, struct err *err)
{
	struct crawl_settings kept = *settings;
	struct buf text;
	int rc;

	kept.rates = files->rates;
	kept.weights = files->weights;
	kept.ca_file = files->ca_file;
	buf_init(&text, SETTINGS_MAX);
	rc = crawl_settings_write(&kept, &text);
	*ret = (slice){rc ? NULL : arena_strdup(&r->arena, buf_slice(&text)), text.len};
	buf_release(&text);
	if (rc == ERR_SYNTAX)
		return err_set(err, ERR_USAGE, "a setting contains a line break; remove it");
	if (rc == ERR_LIMIT)
		return err_set(err, ERR_USAGE,
			"%.200s: too many URLs or patterns for one site (%zu MiB at most)",
			settings->seeds.ptr[0], SETTINGS_MAX >> 20);
	return ret->ptr ? 0 : err_code(err, ERR_NOMEM);
}

static int add_to_catalog(struct captures *r, struct catalog *catalog, struct capture *c,
	const struct copied_files *files, struct rng *rng, struct err *err)
{
	struct catalog_capture *row = &c->row;

	*row = (struct catalog_capture){
		.uuid = make_uuid(r, rng),
		.site = slice_str(c->settings->seeds.ptr[0]),
		.strategy = c->settings->watch ? SLICE("watch") : slice_str(c->strategy->name),
		.single = !c->settings->watch && (!c->strategy->revisits || c->settings->single),
		.state = CATALOG_RUNNING,
		.started = clock_realtime(c->clock),
		.addresses = CATALOG_NO_ADDRESSES,
	};
	c->epoch = row->started - clock_offset(c->clock); /* the planner's clock starts then */
	TRY(write_settings(r, c->settings, files, &row->settings, err));
	if (!row->uuid.ptr)
		TRY(err_code(err, ERR_NOMEM));
	return catalog_add_capture(catalog, row, &row->id, err);
}

/* Adds the captures to the catalog, and the files they need to the archive. */
static SP_MUST_CHECK int captures_add_to_catalog(
	struct captures *r, struct catalog *catalog, struct err *err)
{
	struct copied_files files = {0};
	struct rng rng;
	uint32_t number;
	int rc = next_number(r, catalog, &number, err);

	rng_init(&rng, hash_key_random().k0);
	for (size_t i = 0; rc == 0 && i < r->list.len; i++) {
		rc = copy_files(r, i, number + (uint32_t)i, &files, err);
		if (rc == 0)
			rc = add_to_catalog(r, catalog, r->list.ptr[i], &files, &rng, err);
	}
	return rc;
}

/* ---- sites under watch ---- */

/* Whether a capture is one, by its settings as text. */
static bool is_watched(slice settings)
{
	slice line;

	while (settings.len > 0) {
		line = slice_take(&settings, '\n');
		if (slice_eq(line, SLICE("watch true")))
			return true;
	}
	return false;
}

struct reopening {
	struct captures *captures;
	struct strmap rows; /* by site: numbers of captures */
	struct err *err;
};

static int on_watched(void *context, const struct catalog_capture *row)
{
	struct reopening *x = context;
	int rc = 0;

	if (is_watched(row->settings))
		rc = strmap_put(&x->rows, row->site, row->id);
	return rc == ERR_EXISTS ? 0 : err_code(x->err, rc);
}

static int reopen(struct reopening *x, struct catalog *catalog, struct capture *c, uint32_t id)
{
	struct copied_files none = {0};

	TRY(catalog_get_capture(catalog, id, &x->captures->arena, &c->row, x->err));
	TRY(write_settings(x->captures, c->settings, &none, &c->row.settings, x->err));
	TRY(catalog_set_settings(catalog, id, c->row.settings, x->err));
	c->resumes = true;
	return 0;
}

/*
 * The same for sites under watch: one that has a row goes on with it, under its present settings.
 * To be called with the captures of captures_prepare.
 */
static SP_MUST_CHECK int captures_reopen(
	struct captures *r, struct catalog *catalog, struct err *err)
{
	struct reopening x = {.captures = r, .err = err};
	struct copied_files none = {0};
	struct rng rng;
	int rc;

	strmap_init(&x.rows, hash_key_random(), &r->arena);
	rng_init(&rng, hash_key_random().k0);
	rc = catalog_each_capture(catalog, on_watched, &x, err);
	for (size_t i = 0; rc == 0 && i < r->list.len; i++) {
		struct capture *c = r->list.ptr[i];
		uint32_t id;

		rc = strmap_get(&x.rows, slice_str(c->settings->seeds.ptr[0]), &id)
			     ? reopen(&x, catalog, c, id)
			     : add_to_catalog(r, catalog, c, &none, &rng, err);
	}
	strmap_release(&x.rows);
	return rc;
}

/* ---- unfinished ones ---- */

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct u32_vec *ids = context;

	if (row->state != CATALOG_RUNNING || is_watched(row->settings))
		return 0;
	u32_vec_push(ids, row->id);
	return 0;
}

static int read_settings(
	struct captures *r, slice text, const struct crawl_settings **ret, struct err *err)
{
	struct crawl_settings *settings = ARENA_NEW(&r->arena, struct crawl_settings);

	if (!settings || settings_vec_push(&r->settings, settings)) {
		return err_code(err, ERR_NOMEM);
	}
	TRY(crawl_settings_read(settings, text, &r->arena, err));
	if (settings->rates)
		TRY(directory_path(r->directory, &settings->rates, &r->arena, err));
	if (settings->weights)
		TRY(directory_path(r->directory, &settings->weights, &r->arena, err));
	if (settings->ca_file)
		TRY(directory_path(r->directory, &settings->ca_file, &r->arena, err));
	*ret = settings;
	return 0;
}

/* Makes a capture from its row. */
static int add_row(struct captures *r, const struct catalog_capture *row, struct err *err)
{
	const struct crawl_settings *settings = NULL;

	TRY(read_settings(r, row->settings, &settings, err));
	if (settings)
		TRY(add_capture(r, settings, err));
	r->list.ptr[r->list.len - 1]->row = *row;
	return 0;
}

static int add_lost(struct captures *r, uint32_t capture, struct err *err)
{
	struct lost_capture loss = {capture, arena_strdup(&r->arena, slice_str(err->text))};

	if (!loss.problem || lost_captures_push(&r->lost, loss))
		return err_code(err, ERR_NOMEM);
	*err = (struct err){0};
	return 0;
}

/* The row's settings become what the operator wants now. */
static int change_settings(struct captures *r, struct catalog_capture *row, struct err *err)
{
	struct crawl_settings s;
	slice text = {0};
	int rc = crawl_settings_read(&s, row->settings, &r->arena, err);

	if (rc == 0) {
		crawl_settings_change(&s, r->changes);
		rc = write_settings(
			r, &s, &(struct copied_files){s.rates, s.weights, s.ca_file}, &text, err);
	}
	if (text.ptr)
		row->settings = text;
	crawl_settings_release(&s);
	return rc;
}

static int load_capture(struct captures *r, struct catalog *catalog, uint32_t id, struct err *err)
{
	static const struct crawl_secrets NONE = {0};
	struct catalog_capture row;
	struct capture *c;
	int rc = catalog_get_capture(catalog, id, &r->arena, &row, err);

	if (rc)
		return rc;
	if (changes_are_in(r->changes))
		rc = change_settings(r, &row, err);
	if (rc == 0)
		rc = add_row(r, &row, err);
	if (rc)
		return rc == ERR_NOMEM ? rc : add_lost(r, id, err);
	if (changes_are_in(r->changes))
		rc = catalog_set_settings(catalog, id, row.settings, err);
	if (rc)
		return rc;
	c = r->list.ptr[r->list.len - 1];
	rc = crawl_secrets_check(r->secrets ? r->secrets : &NONE, c->settings, &r->arena, err);
	return rc ? rc : init_headers(r, c, err);
}

/*
 * Makes all unfinished captures of the catalog, but for sites under watch. One whose settings are
 * damaged goes to lost and does not stop the others. 0, ERR_USAGE for a missing secret, ERR_IO,
 * ERR_NOMEM.
 */
static SP_MUST_CHECK int captures_load_unfinished(
	struct captures *r, struct catalog *catalog, struct err *err)
{
	struct u32_vec ids = {0};
	int rc = catalog_each_capture(catalog, on_capture, &ids, err);

	for (size_t i = 0; rc == 0 && i < ids.len; i++)
		rc = load_capture(r, catalog, ids.ptr[i], err);
	u32_vec_release(&ids);
	return rc;
}

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
	bool has_begun;     /* there is something to resume */
	uint32_t first_new; /* capture; 0: they are resumed */
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

/* Of a crash before the first commit nothing is left. */
static int count_file(void *context, const struct catalog_warc *warc)
{
	uint64_t *count = context;

	*count += warc->size > 0;
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

	TRY(lane_new(params, &lane, err));
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

	for (size_t i = 0; i < x->sites; i++)
		if (x->captures.list.ptr[i]->row.id > last)
			last = x->captures.list.ptr[i]->row.id;
	for (size_t i = 0; i < x->lanes.len; i++)
		TRY(duplicates_learn(&x->lanes.ptr[i]->duplicates, x->catalog, last + 1, err));
	return 0;
}

/* Assigns captures to lanes in turn. */
static int fill_lanes(struct crawl *x, struct group *groups, struct err *err)
{
	for (size_t i = 0; i < x->sites; i++) {
		struct group *g = &groups[x->captures.groups.ptr[i]];
		struct capture **c = &x->captures.list.ptr[i];

		(*c)->result = &x->results->ptr[i];
		TRY(err_code(err, lane_add(x->lanes.ptr[g->first + g->next++ % g->lanes], *c)));
		*c = NULL;
	}
	return 0;
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
		x->shared.clerk = clerk_new(x->catalog);
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
	SCOPED(earlier_index_release) struct earlier_index earlier = {0};
	int rc = 0;

	x->has_begun = true;
	TRY(earlier_index_load(&earlier, x->catalog, err));
	x->shared.earlier = &earlier; /* only used here */
	for (size_t i = 0; rc == 0 && i < x->lanes.len; i++)
		rc = begin_lane(x, x->lanes.ptr[i], again, err);
	x->shared.earlier = NULL;
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

/* A lane that is stopped in the middle of its work leaves its WARC file open. */
static int complete_files(struct crawl *x, struct err *err)
{
	free_lanes(x);
	return restore_repair(x->catalog, &x->directory, err);
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
	TRY(directory_open(&x->directory, archive, create, err));
	return catalog_open(
		x->directory.catalog, create ? CATALOG_CREATE : CATALOG_WRITE, &x->catalog, err);
}

/* Whose the sites of this crawl are. */
static int list_owners(const struct crawl *x, struct strmap *owners)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->captures.list.len; i++) {
		rc = strmap_put(owners, url_owner(x->captures.list.ptr[i]->row.site), 0);
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

	for (size_t i = 0; i < x->captures.list.len; i++) {
		struct capture *c = x->captures.list.ptr[i];

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

static int load_rates(struct crawl *x, struct err *err)
{
	const char *model = RATES_MODEL_NAME;
	SCOPED(strmap_release) struct strmap owners;

	strmap_init(&owners, hash_key_random(), NULL);
	TRY(directory_path(&x->directory, &model, &x->captures.arena, err));
	TRY(err_code(err, list_owners(x, &owners)));
	TRY(load_rates_of(x, false, model, &owners, err));
	return load_rates_of(x, true, model, &owners, err);
}

/* again: they are resumed. The name of the archive is borrowed for as long as the program runs. */
static int begin_on_lanes(struct crawl *x, const char *archive, bool again, struct err *err)
{
	mem_set_budget((size_t)x->captures.list.ptr[0]->settings->memory, archive);
	TRY(load_rates(x, err));
	TRY(assign_lanes(x, err));
	return begin_all(x, again, err);
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
		rc = restore_repair(x.catalog, &x.directory, err);
	if (rc == 0)
		rc = captures_add_to_catalog(&x.captures, x.catalog, err);
	if (rc == 0) { /* resume finds them, whatever stops this run */
		x.first_new = x.captures.list.ptr[0]->row.id;
		rc = catalog_commit(x.catalog, err);
	}
	if (rc == 0)
		rc = begin_on_lanes(&x, archive, false, err);
	if (rc == 0)
		rc = run(&x, err);
	return conclude(&x, rc, err);
}

/* There is nothing to resume: the result says so of the last capture. */
static int note_finished(struct crawl *x, struct err *err)
{
	struct catalog_capture row;

	TRY(catalog_get_capture(x->catalog, 0, &x->captures.arena, &row, err));
	x->results->ptr = calloc(1, sizeof *x->results->ptr);
	if (!x->results->ptr)
		return err_code(err, ERR_NOMEM);
	x->results->len = 1;
	x->results->ptr[0] = (struct crawl_result){.capture = row.id,
		.end = CRAWL_WAS_FINISHED,
		.watched = slice_eq(row.strategy, SLICE("watch"))};
	return 0;
}

static int run_again(struct crawl *x, const char *archive, struct err *err)
{
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
		rc = open_archive(&x, archive, false, err);
	if (rc == 0)
		rc = captures_load_unfinished(&x.captures, x.catalog, err);
	if (rc == 0 && x.captures.list.len > 0)
		rc = run_again(&x, archive, err);
	else if (rc == 0)
		rc = x.captures.lost.len > 0 ? make_results(&x, err) : note_finished(&x, err);
	return conclude(&x, rc, err);
}

/* ---- sites under watch ---- */

static int add_looking(struct crawl *x, struct crawl_watch *watch, struct err *err)
{
	for (size_t i = 0; i < x->captures.list.len; i++)
		TRY(looking_new(x->captures.list.ptr[i], &watch->sites[i], watch->once, err));
	return 0;
}

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

int crawl_watch(const char *archive, const struct crawl_settings *settings, size_t count,
	struct crawl_watch *watch, const struct crawl_options *options, struct err *err)
{
	SCOPED(crawl_results_release) struct crawl_results results = {0};
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
		rc = restrict_archive(&x, settings, count, err);
	if (rc == 0)
		rc = restore_repair(x.catalog, &x.directory, err);
	if (rc == 0)
		rc = captures_reopen(&x.captures, x.catalog, err);
	if (rc == 0)
		rc = catalog_commit(x.catalog, err);
	if (rc == 0)
		rc = begin_on_lanes(&x, archive, false, err);
	if (rc == 0)
		rc = carry_over(&x, err);
	if (rc == 0)
		rc = run(&x, err);
	rc = conclude(&x, rc, err);
	return rc;
}
