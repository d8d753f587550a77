#include "replay/live_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "formats/url_canonical.h"
#include "proof/intervals.h"
#include "proof/look.h"
#include "replay/looks.h"
#include "warc/cdxj.h"
#include "warc/zipnum.h"

/*
 * Which hosts of an archive had validators that were caught lying (proof/intervals.h). Any thread
 * may ask.
 */

/* Fields are its own. */
struct trust {
	pthread_mutex_t lock;
	struct arena arena;
	struct strmap liars;     /* hosts */
	struct u32_vec captures; /* that have been read */
	atomic_bool stopping;    /* nobody will ask any more */
	bool is_read;            /* all that were over */
	bool is_lost;            /* no room for a liar: nobody is trusted any more */
};

enum { HOSTS_BYTES_MAX = 64 << 20 };

static void trust_init(struct trust *t)
{
	*t = (struct trust){.is_read = false};
	(void)pthread_mutex_init(&t->lock, NULL);
	arena_init(&t->arena, HOSTS_BYTES_MAX);
	strmap_init(&t->liars, hash_key_random(), &t->arena);
}

static void trust_release(struct trust *t)
{
	strmap_release(&t->liars);
	u32_vec_release(&t->captures);
	arena_release(&t->arena);
	(void)pthread_mutex_destroy(&t->lock);
}

/* Host and port, as the URL has them: what stands between "//" and the path. */
static slice authority(slice url)
{
	slice rest = url;

	(void)slice_take(&rest, '/');
	(void)slice_take(&rest, '/');
	return slice_take(&rest, '/');
}

/* Adds what a page showed. */
static void trust_join(struct trust *t, slice url, const struct validator_trust *page)
{
	if (validator_trust_holds(page))
		return;
	(void)pthread_mutex_lock(&t->lock);
	/* Without room for its name, no host can be trusted. */
	if (!t->is_lost)
		strmap_add(&t->liars, authority(url), 0);
	t->is_lost = t->is_lost || arena_full(&t->arena);
	(void)pthread_mutex_unlock(&t->lock);
}

/* Whether nothing is known against the host of the URL. */
static bool trust_holds(struct trust *t, slice url)
{
	bool holds;

	(void)pthread_mutex_lock(&t->lock);
	holds = t->is_read && !t->is_lost && !strmap_get(&t->liars, authority(url), NULL);
	(void)pthread_mutex_unlock(&t->lock);
	return holds;
}

/* ---- reading a capture ---- */

struct reading {
	struct trust *t;
	uint32_t capture;
	uint32_t page;
	struct looks looks;  /* at the page */
	struct hash_key key; /* theirs */
	struct arena arena;
	slice url;
};

static void end_page(struct reading *r)
{
	if (r->looks.list.len > 1) {
		looks_finish(&r->looks);
		trust_join(r->t, r->url, &r->looks.intervals.trust);
	}
	looks_release(&r->looks);
	arena_reset(&r->arena);
	looks_init(&r->looks, r->key);
}

static int on_observation(void *context, const struct attempt *a)
{
	struct reading *r = context;

	if (a->page == CATALOG_NO_PAGE)
		return 0;
	if (atomic_load_explicit(&r->t->stopping, memory_order_relaxed))
		return ERR_STATE;
	if (a->page != r->page) {
		end_page(r);
		r->page = a->page;
		r->url = arena_keep(&r->arena, a->url);
	}
	return looks_add_attempt(&r->looks, r->capture, a);
}

/* Reads the observations of a capture, once: 0, or as the catalog's functions. */
static int trust_read_capture(
	struct trust *t, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct reading r = {
		.t = t, .capture = capture, .page = CATALOG_NO_PAGE, .key = hash_key_random()};
	int rc;

	for (size_t i = 0; i < t->captures.len; i++)
		if (t->captures.ptr[i] == capture)
			return 0;
	arena_init(&r.arena, 1 << 20);
	looks_init(&r.looks, r.key);
	rc = catalog_each_observation(catalog, capture, on_observation, &r, err);
	if (rc == 0)
		end_page(&r);
	looks_release(&r.looks);
	arena_release(&r.arena);
	if (rc == 0)
		u32_vec_push(&t->captures, capture);
	return err_code(err, rc);
}

/*
 * Which pages of an archive's captures a URL is. The catalog has no index on URLs: it would cost as
 * much as all the rest. Here a page takes 16 bytes, with a hash of its URL; who asks compares the
 * URL itself.
 */

struct page_place {
	uint64_t hash; /* of the URL */
	uint32_t capture;
	uint32_t page;
};

VEC_DECLARE(page_place_vec, struct page_place);

/* Fields are its own. */
struct page_finder {
	struct hash_key key;
	struct page_place_vec places; /* sorted up to `sorted` */
	size_t sorted;
};

static void page_finder_add(struct page_finder *f, slice url, uint32_t capture, uint32_t page)
{
	page_place_vec_push(
		&f->places, (struct page_place){hash_bytes(f->key, url), capture, page});
}

static int by_hash(const void *a, const void *b)
{
	const struct page_place *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

/* To be called after a number of additions, before the next search. */
static void page_finder_settle(struct page_finder *f)
{
	if (f->sorted < f->places.len)
		qsort(f->places.ptr, f->places.len, sizeof f->places.ptr[0], by_hash);
	f->sorted = f->places.len;
}

/* Appends the places that may be of the URL, by capture and page. */
static void page_finder_find(const struct page_finder *f, slice url, struct page_place_vec *ret)
{
	uint64_t hash = hash_bytes(f->key, url);
	size_t low = 0, high = f->sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->places.ptr[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < f->sorted && f->places.ptr[low].hash == hash; low++)
		page_place_vec_push(ret, f->places.ptr[low]);
}

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

static int add_attempt(void *context, const struct attempt *a)
{
	struct live_archive *l = context;
	int rc = cdxj_attempt_line(&l->line, &l->key, a);

	if (rc)
		return rc == ERR_NOTFOUND ? 0 : rc;
	l->changed = true;
	slice_vec_push(&l->lines, arena_keep(&l->arena, buf_slice(&l->line)));
	return 0;
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
	if (!file || fclose(file) || rc) {
		if (fd >= 0)
			(void)close(fd);
		return ERR_IO;
	}
	fd_vec_push(&l->files, fd);
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

/* Makes the indexes of now: index.cdxj, and the overlay. */
static int make_set(struct live_archive *l)
{
	struct index_set *set = index_set_new();
	int fd = file_open_inside(AT_FDCWD, l->index), rc = 0;

	if (fd >= 0)
		index_set_add_file(set, fd);
	for (size_t i = 0; rc == 0 && i < l->files.len; i++) {
		fd = fcntl(l->files.ptr[i], F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			rc = ERR_IO;
		else
			index_set_add_file(set, fd);
	}
	if (rc) {
		index_set_drop(set);
		return rc;
	}
	for (size_t i = 0; i < l->lines.len; i++)
		slice_vec_push(&set->lines, arena_keep(&set->arena, l->lines.ptr[i]));
	index_set_add_lines(set);
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
	if (e->kind == CATALOG_EVENT_DONE)
		u32_vec_push(&x->l->touched, e->page);
	return 0;
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

	l->touched.len = 0;
	TRY(catalog_events_from(l->catalog, p->id, p->events, on_event, &x, err));
	p->events += x.events;
	return 0;
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
	page_finder_add(&x->l->finder, url, x->p->id, number);
	return 0;
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct live_archive *l = context;
	struct progress *p = NULL;

	for (size_t i = l->captures.len; !p && i > 0; i--)
		if (l->captures.ptr[i - 1].id == capture->id)
			p = &l->captures.ptr[i - 1];
	if (!p && l->captures.len < CAPTURES_MAX) {
		progress_vec_push(&l->captures, (struct progress){.id = capture->id});
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
	(void)pthread_mutex_lock(&l->trust.lock);
	l->trust.is_read = !atomic_load(&l->trust.stopping);
	(void)pthread_mutex_unlock(&l->trust.lock);
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
	page_place_vec_release(&l->finder.places);
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
	struct live_archive *l = mem_new(1, sizeof *l);
	char path[PATH_MAX];
	int rc;

	l->c = c;
	l->temporary = temporary;
	(void)snprintf(l->index, sizeof l->index, "%s/index.cdxj", c->path);
	arena_init(&l->arena, SIZE_MAX);
	buf_init(&l->key, URL_CANONICAL_MAX);
	buf_init(&l->line, CDXJ_LINE_MAX + 1);
	l->finder.key = hash_key_random();
	trust_init(&l->trust);
	(void)pthread_mutex_init(&l->lock, NULL);
	(void)pthread_mutex_init(&l->asking_lock, NULL);
	(void)pthread_cond_init(&l->wake, NULL);
	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", c->path);
	rc = catalog_open(path, CATALOG_READ, &l->catalog, err);
	if (rc == 0)
		rc = catalog_open(path, CATALOG_READ, &l->asking, err);
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
	atomic_store(&l->trust.stopping, true); /* a search need not wait for all of the archive */
	(void)pthread_cond_broadcast(&l->wake);
	(void)pthread_mutex_unlock(&l->lock);
	(void)pthread_join(l->thread, NULL);
	release(l);
}

/* ---- requests ---- */

/* The pages that may be of the URL, once they are known. */
static void find_pages(struct live_archive *l, slice url, struct page_place_vec *ret)
{
	(void)pthread_mutex_lock(&l->lock);
	while (!l->is_read && !l->stopping)
		(void)pthread_cond_wait(&l->wake, &l->lock);
	page_finder_find(&l->finder, url, ret);
	(void)pthread_mutex_unlock(&l->lock);
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
	int rc = 0;

	find_pages(l, url, &places);
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

	u32_vec_push(x->pages, r->requisite);
	return 0;
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
	int rc = 0;

	find_pages(l, url, &places);
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

static int on_verdict(void *context, const struct catalog_verdict *v)
{
	struct buf *ret = context;

	return ret->len ? 0 : buf_add(ret, v->verdict);
}

int live_archive_verdict(
	struct live_archive *l, slice url, uint32_t capture, struct buf *ret, struct err *err)
{
	struct page_place_vec places = {0};
	int rc = 0;

	find_pages(l, url, &places);
	for (size_t i = 0; rc == 0 && i < places.len; i++) {
		if (places.ptr[i].capture != capture)
			continue;
		(void)pthread_mutex_lock(&l->asking_lock);
		rc = catalog_page_verdict(
			l->asking, capture, places.ptr[i].page, on_verdict, ret, err);
		(void)pthread_mutex_unlock(&l->asking_lock);
	}
	page_place_vec_release(&places);
	return err_code(err, rc);
}

int live_archive_read_row(struct live_archive *l, uint64_t batch,
	const unsigned char id[WARC_ID_BYTES], struct buf *records, struct err *err)
{
	struct look_source from = {.warc_dir = l->c->warc_dir, .catalog = l->asking};
	struct attempt a = {.offset = batch};
	struct warc_id text;
	int rc;

	warc_id_unpack(id, &text);
	a.record_id = slice_str(text.text);
	(void)pthread_mutex_lock(&l->asking_lock);
	rc = compact_look_read(&from, &a, records, err);
	(void)pthread_mutex_unlock(&l->asking_lock);
	return rc;
}

bool live_archive_trusts(struct live_archive *l, slice url)
{
	return trust_holds(&l->trust, url);
}

void live_archive_distrust(struct live_archive *l, slice url, const struct validator_trust *trust)
{
	trust_join(&l->trust, url, trust);
}
