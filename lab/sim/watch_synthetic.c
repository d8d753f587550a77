#include "sim/watch_synthetic.h"

#include <stdlib.h>

#include "sim/changes.h"

struct owned {
	struct site site;
	struct changes changes;
	double *rates;
};

int watch_synthetic_make(void *context, size_t run, struct watch_world *ret)
{
	const struct watch_synthetic *s = context;
	struct owned *o = calloc(1, sizeof *o);
	struct rng rng;
	int rc;

	if (!o)
		return ERR_NOMEM;
	ret->owned = o;
	rng_init(&rng, s->seed + run * 0x9E3779B97F4A7C15);
	rc = synthetic_site(&s->site, &rng, &o->site);
	if (rc)
		return rc;
	rc = changes_draw(&o->site, s->until, &rng, &o->changes);
	o->rates = calloc(o->site.n, sizeof *o->rates);
	if (rc || !o->rates)
		return rc ? rc : ERR_NOMEM;
	for (size_t i = 0; i < o->site.n; i++)
		o->rates[i] = o->site.survival[i].rate;
	ret->site = (struct watch_site){
		.n = o->site.n, .changes = o->changes.histories, .rates = o->rates};
	ret->start = s->start;
	return 0;
}

void watch_synthetic_release(struct watch_world *world)
{
	struct owned *o = world->owned;

	if (!o)
		return;
	free(o->rates);
	changes_release(&o->changes);
	site_release(&o->site);
	free(o);
}
