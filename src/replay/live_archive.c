#include "replay/live_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/cdxj_record.h"
#include "archive/cdxj_scan.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/tempfile.h"
#include "replay/looks.h"
#include "replay/page_finder.h"
#include "replay/trust.h"
#include "url/canonical.h"

enum {
	LOOK_MS = 250,           /* between two looks into the catalog */
	OVERLAY_BYTES = 4 << 20, /* of lines in memory, before they go to a file */
	CAPTURES_MAX = 1 << 20,  /* that are looked at */
};

/* How far a capture has been read. */
struct progress {
	uint32_t id;
	uint32_t pages;  /* read */
	uint32_t events; /* read */
	uint32_t sides;  /* attempts without a page, read */
	bool is_begun;
	bool is_over; /* finished, and read to its end */
	bool clock_was_set;
	enum catalog_state state;
};

VEC_DECLARE(progress_vec, struct progress);

struct live_archive {
	struct collection *c;
	const char *temporary;
	char index[PATH_MAX];

	/* The thread's. */
	pthread_t thread;
	struct catalog *catalog;
	struct stat index_stat;
	bool has_index;
	struct slice_vec lines; /* of the overlay, in memory */
	struct arena arena;
	struct fd_vec files;    /* of the overlay, in files */
	bool changed;           /* the overlay, since its last set */
	bool is_covered;        /* for is_in_index */
	struct u32_vec touched; /* pages with new observations */
	struct buf key, line;

	/* Of requests. */
	pthread_mutex_t asking_lock;
	struct catalog *asking;

	/* Shared. */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stopping;
	bool is_read; /* all pages are known */
	struct page_finder finder;
	struct progress_vec captures;
	struct trust trust;
};

/* ---- the overlay ---- */

static int keep_line(struct live_archive *l)
{
	slice line = buf_slice(&l->line);
	char *copy = arena_strdup(&l->arena, line);

	l->changed = true;
	return copy ? slice_vec_push(&l->lines, (slice){copy, line.len}) : ERR_NOMEM;
}

static int add_attempt(void *context, const struct attempt *a)
{
	struct live_archive *l = context;
	int rc = cdxj_attempt_line(&l->line, &l->key, a);

	if (rc)
		return rc == ERR_NOTFOUND ? 0 : rc;
	return keep_line(l);
}

static int compare(const void *a, const void *b)
{
	return cdxj_compare(*(const slice *)a, *(const slice *)b);
}

/* Puts the lines in memory into a file, which is one of the indexes from now on. */
static int spill(struct live_archive *l)
{
	int fd = tempfile_open(l->temporary), copy = fd < 0 ? -1 : dup(fd), rc = 0;
	FILE *file = copy < 0 ? NULL : fdopen(copy, "wb");

	qsort(l->lines.ptr, l->lines.len, sizeof l->lines.ptr[0], compare);
	for (size_t i = 0; file && rc == 0 && i < l->lines.len; i++)
		rc = cdxj_put_line(file, l->lines.ptr[i], NULL);
	if (!file || fclose(file) || rc || fd_vec_push(&l->files, fd)) {
		if (fd >= 0)
			(void)close(fd);
		return ERR_IO;
	}
	l->lines.len = 0;
	arena_release(&l->arena);
	arena_init(&l->arena, SIZE_MAX);
	return 0;
}

static void clear_overlay(struct live_archive *l)
{
	for (size_t i = 0; i < l->files.len; i++)
		(void)close(l->files.ptr[i]);
	l->files.len = 0;
	l->lines.len = 0;
	arena_release(&l->arena);
	arena_init(&l->arena, SIZE_MAX);
	l->changed = true;
}

static int add_copy(struct index_set *set, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? ERR_IO : index_set_add_file(set, copy);
}

/* Makes the indexes of now: index.cdxj, and the overlay. */
static int make_set(struct live_archive *l)
{
	struct index_set *set = index_set_new();
	int fd = file_open_inside(AT_FDCWD, l->index);
	int rc = set ? 0 : ERR_NOMEM;

	if (rc == 0 && fd >= 0)
		rc = index_set_add_file(set, fd);
	for (size_t i = 0; rc == 0 && i < l->files.len; i++)
		rc = add_copy(set, l->files.ptr[i]);
	for (size_t i = 0; rc == 0 && i < l->lines.len; i++) {
		slice line = l->lines.ptr[i];

		line.ptr = arena_strdup(&set->arena, line);
		rc = line.ptr ? slice_vec_push(&set->lines, line) : ERR_NOMEM;
	}
	if (rc == 0)
		rc = index_set_add_lines(set);
	if (rc) {
		index_set_drop(set);
		return rc;
	}
	collection_replace(l->c, set);
	l->changed = false;
	return 0;
}

/* ---- reading the catalog ---- */

/* Whether index.cdxj has the line of an attempt; looks at the last attempt only. */
static int is_in_index(void *context, const struct attempt *a)
{
	struct live_archive *l = context;
	struct cdxj_scan *scan = NULL;
	struct cdxj_source index;
	struct err ignored = {0};
	slice found;
	int fd;

	if (cdxj_attempt_line(&l->line, &l->key, a))
		return 0;
	fd = file_open_inside(AT_FDCWD, l->index);
	l->is_covered = false;
	if (fd < 0)
		return 0;
	index = (struct cdxj_source){.kind = CDXJ_PLAIN, .data = file_part_whole(fd)};
	if (cdxj_scan_open(&index, 1, buf_slice(&l->line), &scan, &ignored) == 0 &&
		cdxj_scan_next(scan, &found, &ignored) == 0)
		l->is_covered = slice_eq(found, buf_slice(&l->line));
	cdxj_scan_close(scan);
	(void)close(fd);
	return 0;
}

/* The same for the first attempt that has a line. */
static int is_first_in_index(void *context, const struct attempt *a)
{
	struct live_archive *l = context;

	if (!a->warc.ptr || !a->has_payload)
		return 0;
	(void)is_in_index(l, a);
	return ERR_END;
}

struct counting {
	struct live_archive *l;
	uint32_t events;
};

static int on_event(void *context, const struct catalog_event *e)
{
	struct counting *x = context;

	x->events++;
	return e->kind == CATALOG_EVENT_DONE ? u32_vec_push(&x->l->touched, e->page) : 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The observations of pages that events have named since. */
static int read_touched(struct live_archive *l, const struct progress *p, struct err *err)
{
	int rc = 0;

	if (l->touched.len > 1)
		qsort(l->touched.ptr, l->touched.len, sizeof l->touched.ptr[0], by_number);
	for (size_t i = 0; rc == 0 && i < l->touched.len; i++) {
		if (i > 0 && l->touched.ptr[i] == l->touched.ptr[i - 1])
			continue;
		rc = catalog_page_observations(
			l->catalog, p->id, l->touched.ptr[i], add_attempt, l, err);
	}
	l->touched.len = 0;
	return rc;
}

struct siding {
	struct live_archive *l;
	struct progress *p;
	bool add;
};

static int on_side(void *context, const struct attempt *a)
{
	struct siding *x = context;

	x->p->sides++;
	return x->add ? add_attempt(x->l, a) : 0;
}

/* Attempts without a page, of which no event tells: robots.txt, hops of redirects, sitemaps. */
static int read_sides(struct live_archive *l, struct progress *p, bool add, struct err *err)
{
	struct siding x = {l, p, add};

	return catalog_side_observations(l->catalog, p->id, p->sides, on_side, &x, err);
}

static int add_of_page(void *context, const struct attempt *a)
{
	return a->page == CATALOG_NO_PAGE ? 0 : add_attempt(context, a);
}

static int read_events(struct live_archive *l, struct progress *p, struct err *err)
{
	struct counting x = {.l = l};
	int rc;

	l->touched.len = 0;
	rc = catalog_events_from(l->catalog, p->id, p->events, on_event, &x, err);
	if (rc == 0)
		p->events += x.events;
	return rc;
}

/*
 * The first look at a capture. If index.cdxj has the last page that was done, it has all of them;
 * else all go into the overlay.
 */
static int begin_capture(struct live_archive *l, struct progress *p, struct err *err)
{
	int rc = read_events(l, p, err);

	l->is_covered = false;
	if (rc == 0 && l->touched.len > 0)
		rc = catalog_page_observations(
			l->catalog, p->id, l->touched.ptr[l->touched.len - 1], is_in_index, l, err);
	else if (rc == 0)
		rc = catalog_each_observation(l->catalog, p->id, is_first_in_index, l, err);
	l->touched.len = 0;
	if (rc == 0 && !l->is_covered)
		rc = catalog_each_observation(l->catalog, p->id, add_of_page, l, err);
	if (rc == 0)
		rc = read_sides(l, p, !l->is_covered, err);
	p->is_begun = rc == 0;
	return rc;
}

static int read_capture(struct live_archive *l, struct progress *p, struct err *err)
{
	bool was_over = p->state != CATALOG_RUNNING;
	int rc;

	if (!p->is_begun) {
		rc = begin_capture(l, p, err);
	} else {
		rc = read_events(l, p, err);
		if (rc == 0)
			rc = read_touched(l, p, err);
		if (rc == 0)
			rc = read_sides(l, p, true, err);
	}
	if (rc == 0)
		p->is_over = was_over;
	return rc;
}

struct finding {
	struct live_archive *l;
	struct progress *p;
};

static int on_url(void *context, uint32_t number, slice url)
{
	struct finding *x = context;

	if (number < x->p->pages)
		return 0;
	x->p->pages = number + 1;
	return page_finder_add(&x->l->finder, url, x->p->id, number);
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct live_archive *l = context;
	struct progress *p = NULL;

	for (size_t i = l->captures.len; !p && i > 0; i--)
		if (l->captures.ptr[i - 1].id == capture->id)
			p = &l->captures.ptr[i - 1];
	if (!p && l->captures.len < CAPTURES_MAX) {
		int rc = progress_vec_push(&l->captures, (struct progress){.id = capture->id});

		if (rc)
			return rc;
		p = &l->captures.ptr[l->captures.len - 1];
	}
	if (p) {
		p->state = capture->state;
		p->clock_was_set = (capture->caveats & CATALOG_CAVEAT_CLOCK) != 0;
	}
	return 0;
}

/* index.cdxj was written anew: what it has is no part of the overlay any more. */
static void notice_index(struct live_archive *l)
{
	struct stat st = {0};
	bool has = stat(l->index, &st) == 0;

	if (has == l->has_index &&
		(!has ||
			(st.st_ino == l->index_stat.st_ino && st.st_size == l->index_stat.st_size &&
				st.st_mtim.tv_sec == l->index_stat.st_mtim.tv_sec &&
				st.st_mtim.tv_nsec == l->index_stat.st_mtim.tv_nsec)))
		return;
	l->has_index = has;
	l->index_stat = st;
	clear_overlay(l);
	for (size_t i = 0; i < l->captures.len; i++) {
		l->captures.ptr[i].is_begun = l->captures.ptr[i].is_over = false;
		l->captures.ptr[i].events = l->captures.ptr[i].sides = 0;
	}
}

/* Pages first: who finds a line of the index asks for its page. Under the lock. */
static int read_pages(struct live_archive *l, struct err *err)
{
	int rc = catalog_each_capture(l->catalog, on_capture, l, err);

	for (size_t i = 0; rc == 0 && i < l->captures.len; i++) {
		struct finding x = {l, &l->captures.ptr[i]};

		if (!x.p->is_over)
			rc = catalog_urls_from(l->catalog, x.p->id, x.p->pages, on_url, &x, err);
	}
	page_finder_settle(&l->finder);
	return rc;
}

static int refresh(struct live_archive *l, struct err *err)
{
	int rc;

	notice_index(l);
	(void)pthread_mutex_lock(&l->lock);
	rc = read_pages(l, err);
	l->is_read = true;
	(void)pthread_cond_broadcast(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
	for (size_t i = 0; rc == 0 && i < l->captures.len; i++)
		if (!l->captures.ptr[i].is_over)
			rc = read_capture(l, &l->captures.ptr[i], err);
	if (rc == 0 && l->lines.len && l->arena.held > OVERLAY_BYTES)
		rc = err_code(err, spill(l));
	if (rc == 0 && l->changed)
		rc = err_code(err, make_set(l));
	return rc;
}

/* ---- the thread ---- */

static bool wait_a_while(struct live_archive *l)
{
	struct timespec until;
	bool stopping;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += LOOK_MS * 1000000L;
	if (until.tv_nsec >= CLOCK_NS_PER_SECOND) {
		until.tv_sec++;
		until.tv_nsec -= CLOCK_NS_PER_SECOND;
	}
	(void)pthread_mutex_lock(&l->lock);
	if (!l->stopping)
		(void)pthread_cond_timedwait(&l->wake, &l->lock, &until);
	stopping = l->stopping;
	(void)pthread_mutex_unlock(&l->lock);
	return !stopping;
}

/* Reads all observations for the trust in hosts, as far as captures are over. */
static void read_trust(struct live_archive *l)
{
	for (size_t i = 0; i < l->captures.len; i++) {
		const struct progress *p = &l->captures.ptr[i];
		struct err err = {0};

		if (p->is_over && trust_read_capture(&l->trust, l->catalog, p->id, &err))
			log_debug("replay", "%s: %s", l->c->path, err.text);
	}
	trust_settle(&l->trust);
}

static void *run(void *context)
{
	struct live_archive *l = context;

	do {
		struct err err = {0};

		if (refresh(l, &err))
			log_debug("replay", "%s: %s", l->c->path, err.text);
		read_trust(l);
	} while (wait_a_while(l));
	return NULL;
}

/* ---- starting and stopping ---- */

static int open_both(struct live_archive *l, struct err *err)
{
	char path[PATH_MAX];
	int rc;

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", l->c->path);
	rc = catalog_open(path, CATALOG_READ, &l->catalog, err);
	return rc ? rc : catalog_open(path, CATALOG_READ, &l->asking, err);
}

static void release(struct live_archive *l)
{
	catalog_close(l->catalog);
	catalog_close(l->asking);
	clear_overlay(l);
	arena_release(&l->arena);
	slice_vec_release(&l->lines);
	fd_vec_release(&l->files);
	u32_vec_release(&l->touched);
	progress_vec_release(&l->captures);
	page_finder_release(&l->finder);
	trust_release(&l->trust);
	buf_release(&l->key);
	buf_release(&l->line);
	(void)pthread_mutex_destroy(&l->asking_lock);
	(void)pthread_mutex_destroy(&l->lock);
	(void)pthread_cond_destroy(&l->wake);
	free(l);
}

int live_archive_start(
	struct collection *c, const char *temporary, struct live_archive **ret, struct err *err)
{
	struct live_archive *l = calloc(1, sizeof *l);
	int rc;

	if (!l)
		return err_code(err, ERR_NOMEM);
	l->c = c;
	l->temporary = temporary;
	(void)snprintf(l->index, sizeof l->index, "%s/index.cdxj", c->path);
	arena_init(&l->arena, SIZE_MAX);
	buf_init(&l->key, URL_CANONICAL_MAX);
	buf_init(&l->line, CDXJ_LINE_MAX + 1);
	page_finder_init(&l->finder);
	trust_init(&l->trust);
	(void)pthread_mutex_init(&l->lock, NULL);
	(void)pthread_mutex_init(&l->asking_lock, NULL);
	(void)pthread_cond_init(&l->wake, NULL);
	rc = open_both(l, err);
	if (rc == 0 && pthread_create(&l->thread, NULL, run, l))
		rc = err_code(err, ERR_NOMEM);
	if (rc) {
		release(l);
		return rc;
	}
	*ret = l;
	return 0;
}

void live_archive_stop(struct live_archive *l)
{
	if (!l)
		return;
	(void)pthread_mutex_lock(&l->lock);
	l->stopping = true;
	(void)pthread_cond_broadcast(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
	(void)pthread_join(l->thread, NULL);
	release(l);
}

/* ---- requests ---- */

/* The pages that may be of the URL, once they are known. */
static int find_pages(struct live_archive *l, slice url, struct page_place_vec *ret)
{
	int rc;

	(void)pthread_mutex_lock(&l->lock);
	while (!l->is_read && !l->stopping)
		(void)pthread_cond_wait(&l->wake, &l->lock);
	rc = page_finder_find(&l->finder, url, ret);
	(void)pthread_mutex_unlock(&l->lock);
	return rc;
}

static bool clock_was_set(struct live_archive *l, uint32_t capture)
{
	bool was = false;

	(void)pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->captures.len; i++)
		if (l->captures.ptr[i].id == capture)
			was = l->captures.ptr[i].clock_was_set;
	(void)pthread_mutex_unlock(&l->lock);
	return was;
}

struct looking {
	slice url;
	struct live_archive_look look;
	live_archive_on_look *call;
	void *context;
};

static int on_look(void *context, const struct attempt *a)
{
	struct looking *x = context;

	if (!slice_eq(a->url, x->url))
		return 0; /* another URL with the same hash */
	x->look.attempt = a;
	return x->call(x->context, &x->look);
}

int live_archive_each_look(struct live_archive *l, slice url, live_archive_on_look *call,
	void *context, struct err *err)
{
	struct looking x = {.url = url, .call = call, .context = context};
	struct page_place_vec places = {0};
	int rc = err_code(err, find_pages(l, url, &places));

	for (size_t i = 0; rc == 0 && i < places.len; i++) {
		x.look.capture = places.ptr[i].capture;
		x.look.clock_was_set = clock_was_set(l, x.look.capture);
		(void)pthread_mutex_lock(&l->asking_lock);
		rc = catalog_page_observations(
			l->asking, places.ptr[i].capture, places.ptr[i].page, on_look, &x, err);
		(void)pthread_mutex_unlock(&l->asking_lock);
	}
	page_place_vec_release(&places);
	return err_code(err, rc);
}

struct gathering {
	struct u32_vec *pages;
	live_archive_on_url *call;
	void *context;
};

static int on_requisite(void *context, const struct catalog_requisite *r)
{
	struct gathering *x = context;

	return u32_vec_push(x->pages, r->requisite);
}

static int on_first_url(void *context, uint32_t number, slice url)
{
	const struct gathering *x = context;
	int rc = x->call(x->context, url);

	(void)number;
	return rc ? rc : ERR_END; /* one is enough */
}

/* The URLs of the requisites of a page in one capture. Under the lock. */
static int each_of_capture(
	struct live_archive *l, const struct page_place *p, struct gathering *x, struct err *err)
{
	int rc;

	x->pages->len = 0;
	rc = catalog_page_requisites(l->asking, p->capture, p->page, on_requisite, x, err);
	for (size_t i = 0; rc == 0 && i < x->pages->len; i++) {
		if (x->pages->ptr[i] == CATALOG_NO_PAGE)
			rc = x->call(x->context, (slice){0});
		else
			rc = catalog_urls_from(
				l->asking, p->capture, x->pages->ptr[i], on_first_url, x, err);
		if (rc == ERR_END)
			rc = 0;
	}
	return rc;
}

int live_archive_each_requisite(struct live_archive *l, slice url, uint32_t capture,
	live_archive_on_url *call, void *context, struct err *err)
{
	struct page_place_vec places = {0};
	struct u32_vec pages = {0};
	struct gathering x = {&pages, call, context};
	int rc = err_code(err, find_pages(l, url, &places));

	for (size_t i = 0; rc == 0 && i < places.len; i++) {
		if (places.ptr[i].capture != capture)
			continue;
		(void)pthread_mutex_lock(&l->asking_lock);
		rc = each_of_capture(l, &places.ptr[i], &x, err);
		(void)pthread_mutex_unlock(&l->asking_lock);
	}
	u32_vec_release(&pages);
	page_place_vec_release(&places);
	return err_code(err, rc);
}

bool live_archive_trusts(struct live_archive *l, slice url)
{
	return trust_holds(&l->trust, url);
}

void live_archive_distrust(struct live_archive *l, slice url, const struct validator_trust *trust)
{
	trust_join(&l->trust, url, trust);
}
