/*
 * Our own forecasts while time goes on: for every page the probability that it changes within the
 * horizon, from all its visits so far, by several models. Priors are fitted again every fourth
 * time, to what is known then and to nothing later.
 */
#ifndef HISTORIES_FORECAST_H
#define HISTORIES_FORECAST_H

#include "base/api.h"
#include "histories/rate_model.h"
#include "histories/visits.h"

enum forecast_model {
	FORECAST_ALL_HISTORY, /* eq. 5 (4 where all changed) over all visits: no prior */
	FORECAST_GAMMA,       /* Gamma-Poisson with directory priors, plan/gamma_poisson.h */
	FORECAST_GRID,        /* the directory tree's priors on a grid, plan/rate_grid.h */
	FORECAST_MODELS,
};

struct forecast {
	const struct visits *visits; /* borrowed */
	size_t advances;
	struct rate_model model;
	struct rate_row *logs; /* by page */
	size_t *seen;          /* by page: visits that are in logs */
	struct rate_row *priors;
	struct rate_gamma *gammas; /* both by class */
	struct rate_interval *intervals;
	double *p[FORECAST_MODELS]; /* by page */
};

/* 0 or ERR_NOMEM; forecast_release is safe after both. */
int forecast_init(struct forecast *f, const struct visits *visits) SP_MUST_CHECK;
void forecast_release(struct forecast *f);

/* Learns from the visits up to t, which must not be before that of the last call. 0, ERR_NOMEM. */
int forecast_advance(struct forecast *f, double t, double horizon) SP_MUST_CHECK;

#endif
