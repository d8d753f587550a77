#include "crawl/captures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawl/capture.h"

/* Of strings: settings, names. */
#define STRINGS_MAX ((size_t)4 << 30)

/* Of one capture's settings as text. */
#define SETTINGS_MAX ((size_t)8 << 20)

void captures_init(struct captures *r, struct directory *directory, const struct clock *clock)
{
	*r = (struct captures){.directory = directory, .clock = clock};
	arena_init(&r->arena, STRINGS_MAX);
	strmap_init(&r->group_numbers, hash_key_random(), &r->arena);
}

void captures_release(struct captures *r)
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

static int load_rates(struct captures *r, const char *path, bool weights, const struct rates **ret,
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
	return load_rates(r, path, weights, ret, err);
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
	int rc = find_rates(r, settings->rates, false, &rates, err);

	if (rc == 0)
		rc = find_rates(r, settings->weights, true, &weights, err);
	if (rc == 0 && settings->ca_file && access(settings->ca_file, R_OK) < 0)
		rc = err_set(err, ERR_USAGE, "--cacert %s: %s", settings->ca_file, strerror(errno));
	if (rc == 0)
		rc = find_group(r, settings, &group, err);
	if (rc == 0 && (capture_vec_reserve(&r->list, 1) || u32_vec_reserve(&r->groups, 1)))
		rc = err_code(err, ERR_NOMEM);
	if (rc == 0)
		rc = capture_new(settings, rates, r->clock, &c, err);
	if (rc)
		return rc;
	c->weights = weights;
	r->list.ptr[r->list.len++] = c;
	r->groups.ptr[r->groups.len++] = group;
	return 0;
}

int captures_prepare(
	struct captures *r, const struct crawl_settings *sites, size_t count, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = add_capture(r, &sites[i], err);
		if (rc == 0)
			rc = init_headers(r, r->list.ptr[i], err);
	}
	return rc;
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
	int rc;

	*ret = NULL;
	if (!from)
		return 0;
	rc = directory_copy_in(r->directory, from, name, err);
	if (rc)
		return rc;
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
	int rc;

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
	rc = write_settings(r, c->settings, files, &row->settings, err);
	if (rc == 0 && !row->uuid.ptr)
		rc = err_code(err, ERR_NOMEM);
	return rc ? rc : catalog_add_capture(catalog, row, &row->id, err);
}

int captures_add_to_catalog(struct captures *r, struct catalog *catalog, struct err *err)
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
	int rc = catalog_get_capture(catalog, id, &x->captures->arena, &c->row, x->err);

	if (rc == 0)
		rc = write_settings(x->captures, c->settings, &none, &c->row.settings, x->err);
	if (rc == 0)
		rc = catalog_set_settings(catalog, id, c->row.settings, x->err);
	c->resumes = rc == 0;
	return rc;
}

int captures_reopen(struct captures *r, struct catalog *catalog, struct err *err)
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

struct unfinished_ids {
	struct u32_vec ids;
	struct err *err;
};

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct unfinished_ids *x = context;

	if (row->state != CATALOG_RUNNING || is_watched(row->settings))
		return 0;
	return err_code(x->err, u32_vec_push(&x->ids, row->id));
}

static int read_settings(
	struct captures *r, slice text, const struct crawl_settings **ret, struct err *err)
{
	struct crawl_settings *settings = ARENA_NEW(&r->arena, struct crawl_settings);
	int rc;

	if (!settings || settings_vec_push(&r->settings, settings)) {
		return err_code(err, ERR_NOMEM);
	}
	rc = crawl_settings_read(settings, text, &r->arena, err);
	if (rc == 0 && settings->rates)
		rc = directory_path(r->directory, &settings->rates, &r->arena, err);
	if (rc == 0 && settings->weights)
		rc = directory_path(r->directory, &settings->weights, &r->arena, err);
	if (rc == 0 && settings->ca_file)
		rc = directory_path(r->directory, &settings->ca_file, &r->arena, err);
	*ret = settings;
	return rc;
}

/* Makes a capture from its row. */
static int add_row(struct captures *r, const struct catalog_capture *row, struct err *err)
{
	const struct crawl_settings *settings = NULL;
	int rc = read_settings(r, row->settings, &settings, err);

	if (rc == 0)
		rc = add_capture(r, settings, err);
	if (rc == 0)
		r->list.ptr[r->list.len - 1]->row = *row;
	return rc;
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

	if (rc == 0)
		rc = err_code(err, crawl_changes_apply(r->changes, &s));
	if (rc == 0)
		rc = write_settings(
			r, &s, &(struct copied_files){s.rates, s.weights, s.ca_file}, &text, err);
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
	if (crawl_changes_settings(r->changes))
		rc = change_settings(r, &row, err);
	if (rc == 0)
		rc = add_row(r, &row, err);
	if (rc)
		return rc == ERR_NOMEM ? rc : add_lost(r, id, err);
	if (crawl_changes_settings(r->changes))
		rc = catalog_set_settings(catalog, id, row.settings, err);
	if (rc)
		return rc;
	c = r->list.ptr[r->list.len - 1];
	rc = crawl_secrets_check(r->secrets ? r->secrets : &NONE, c->settings, &r->arena, err);
	return rc ? rc : init_headers(r, c, err);
}

int captures_load_unfinished(struct captures *r, struct catalog *catalog, struct err *err)
{
	struct unfinished_ids x = {.err = err};
	int rc = catalog_each_capture(catalog, on_capture, &x, err);

	for (size_t i = 0; rc == 0 && i < x.ids.len; i++)
		rc = load_capture(r, catalog, x.ids.ptr[i], err);
	u32_vec_release(&x.ids);
	return rc;
}
