/* Synthetic sites under watch: pages with constant rates, in random order; changes are drawn. */
#ifndef SIM_WATCH_SYNTHETIC_H
#define SIM_WATCH_SYNTHETIC_H

#include "sim/synthetic.h"
#include "sim/watch_study.h"

struct watch_synthetic {
	struct synthetic site;
	double until; /* changes are drawn from 0 until then */
	double start; /* of the watch */
	uint64_t seed;
};

/* For struct watch_study_params; context is a struct watch_synthetic. */
int watch_synthetic_make(void *context, size_t run, struct watch_world *ret) SP_MUST_CHECK;
void watch_synthetic_release(struct watch_world *world);

#endif
