#include "frontier/shared_pace.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

/* As of hosts.c: ten million names have a tenth of it. */
#define MEMORY_MAX ((size_t)8 << 30)

struct shared_pace {
	struct shared_paces *all;
	unsigned lanes; /* that know it */
	unsigned busy;  /* requests under way, of all of them */
	double next;    /* no sooner than this */
};

VEC_DECLARE(shared_pace_vec, struct shared_pace *);

/* One lock for all: it is held for a few instructions. */
struct shared_paces {
	pthread_mutex_t lock;
	struct arena arena;
	struct strmap by_name; /* to numbers */
	struct shared_pace_vec list;
};

struct shared_paces *shared_paces_new(void)
{
	struct shared_paces *all = calloc(1, sizeof *all);

	if (all && pthread_mutex_init(&all->lock, NULL)) {
		free(all);
		return NULL;
	}
	if (all) {
		arena_init(&all->arena, MEMORY_MAX);
		strmap_init(&all->by_name, hash_key_random(), NULL);
	}
	return all;
}

void shared_paces_free(struct shared_paces *all)
{
	if (!all)
		return;
	shared_pace_vec_release(&all->list);
	strmap_release(&all->by_name);
	arena_release(&all->arena);
	(void)pthread_mutex_destroy(&all->lock);
	free(all);
}

static int add(struct shared_paces *all, slice server, struct shared_pace **ret)
{
	struct shared_pace *p = ARENA_NEW(&all->arena, struct shared_pace);
	char *name = arena_strdup(&all->arena, server);
	int rc = p && name ? shared_pace_vec_reserve(&all->list, 1) : ERR_NOMEM;

	if (rc == 0)
		rc = strmap_put(&all->by_name, (slice){name, server.len}, (uint32_t)all->list.len);
	if (rc)
		return rc;
	*p = (struct shared_pace){.all = all, .next = -INFINITY};
	all->list.ptr[all->list.len++] = p;
	*ret = p;
	return 0;
}

int shared_paces_join(struct shared_paces *all, slice server, struct shared_pace **ret)
{
	struct shared_pace *p = NULL;
	uint32_t number;
	int rc = 0;

	(void)pthread_mutex_lock(&all->lock);
	if (strmap_get(&all->by_name, server, &number))
		p = all->list.ptr[number];
	else
		rc = add(all, server, &p);
	if (rc == 0) {
		p->lanes++;
		*ret = p;
	}
	(void)pthread_mutex_unlock(&all->lock);
	return rc;
}

bool shared_pace_begin(struct shared_pace *p, double now, unsigned jobs, double *ret_when)
{
	bool may;

	(void)pthread_mutex_lock(&p->all->lock);
	may = p->lanes == 1 || (p->busy < jobs && now >= p->next);
	if (may)
		p->busy++;
	else
		*ret_when = p->busy < jobs ? p->next : now + SHARED_PACE_POLL;
	(void)pthread_mutex_unlock(&p->all->lock);
	return may;
}

void shared_pace_end(struct shared_pace *p, double next)
{
	(void)pthread_mutex_lock(&p->all->lock);
	assert(p->busy > 0);
	p->busy--;
	p->next = fmax(p->next, next);
	(void)pthread_mutex_unlock(&p->all->lock);
}

void shared_pace_defer(struct shared_pace *p, double until)
{
	(void)pthread_mutex_lock(&p->all->lock);
	p->next = fmax(p->next, until);
	(void)pthread_mutex_unlock(&p->all->lock);
}
