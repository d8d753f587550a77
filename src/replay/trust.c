#include "replay/trust.h"

#include "replay/looks.h"

enum { HOSTS_BYTES_MAX = 64 << 20 };

void trust_init(struct trust *t)
{
	*t = (struct trust){.is_read = false};
	(void)pthread_mutex_init(&t->lock, NULL);
	arena_init(&t->arena, HOSTS_BYTES_MAX);
	strmap_init(&t->liars, hash_key_random(), &t->arena);
}

void trust_release(struct trust *t)
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

void trust_join(struct trust *t, slice url, const struct validator_trust *page)
{
	if (validator_trust_holds(page))
		return;
	(void)pthread_mutex_lock(&t->lock);
	/* Without memory for its name, no host can be trusted. */
	if (strmap_put(&t->liars, authority(url), 0) == ERR_NOMEM)
		t->is_lost = true;
	(void)pthread_mutex_unlock(&t->lock);
}

bool trust_holds(struct trust *t, slice url)
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
	struct looks looks; /* at the page */
	struct arena arena;
	slice url;
};

static int end_page(struct reading *r)
{
	int rc = 0;

	if (r->looks.list.len > 1) {
		rc = looks_finish(&r->looks);
		if (rc == 0)
			trust_join(r->t, r->url, &r->looks.intervals.trust);
	}
	looks_release(&r->looks);
	arena_reset(&r->arena);
	looks_init(&r->looks);
	return rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	struct reading *r = context;
	int rc = 0;

	if (a->page == CATALOG_NO_PAGE)
		return 0;
	if (a->page != r->page) {
		rc = end_page(r);
		r->page = a->page;
		r->url = (slice){arena_strdup(&r->arena, a->url), a->url.len};
	}
	return rc ? rc : looks_add_attempt(&r->looks, r->capture, a);
}

int trust_read_capture(struct trust *t, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct reading r = {.t = t, .capture = capture, .page = CATALOG_NO_PAGE};
	int rc;

	for (size_t i = 0; i < t->captures.len; i++)
		if (t->captures.ptr[i] == capture)
			return 0;
	arena_init(&r.arena, 1 << 20);
	looks_init(&r.looks);
	rc = catalog_each_observation(catalog, capture, on_observation, &r, err);
	if (rc == 0)
		rc = end_page(&r);
	looks_release(&r.looks);
	arena_release(&r.arena);
	if (rc == 0)
		rc = u32_vec_push(&t->captures, capture);
	return err_code(err, rc);
}

void trust_settle(struct trust *t)
{
	(void)pthread_mutex_lock(&t->lock);
	t->is_read = true;
	(void)pthread_mutex_unlock(&t->lock);
}
