/*
 * SHARC section 6, Theorem 4, eq. 17.
 *
 * Slots are counted by *rank*, from the highest penalty to the lowest: slots 0, n-1, 1, n-2, ..
 * (eq. 6), so rank r is as far from its end of the crawl as slot r/2 from the first. The organ pipe
 * has page r (the r-th coldest) on rank r.
 */
#include "papers/worst_case.h"

#include <math.h>

#include "plan/measure.h"

static int check(const struct blur_site *site, size_t k, struct err *err)
{
	double before = 0;

	if (k > site->pages)
		return err_set(err, ERR_RANGE, "%zu misplacements among %zu pages", k, site->pages);
	if (!(site->delay >= 0) || !isfinite(site->delay))
		return err_set(err, ERR_RANGE, "delay %g is not a length of time", site->delay);
	for (size_t i = 0; i < site->pages; i++) {
		if (!(site->rates[i] >= before) || !isfinite(site->rates[i]))
			return err_set(err, ERR_RANGE,
				"rate %zu (%g) is negative, not finite or below its predecessor", i,
				site->rates[i]);
		before = site->rates[i];
	}
	return 0;
}

static int check_paired(const struct blur_site *site, size_t k, struct err *err)
{
	int r = check(site, k, err);

	if (r < 0)
		return r;
	if (site->pages % 2 != 0 || k % 2 != 0)
		return err_set(
			err, ERR_RANGE, "Theorem 4 needs even numbers of pages and misplacements");
	for (size_t i = 0; i < site->pages; i += 2)
		if (site->rates[i] < site->rates[i + 1])
			return err_set(err, ERR_RANGE,
				"Theorem 4 needs rates equal in pairs: %zu and %zu differ", i,
				i + 1);
	return 0;
}

static double slot_penalty(const struct blur_site *site, size_t slot)
{
	struct blur_interval crawl = {0, (double)(site->pages - 1) * site->delay};

	return blur_penalty((double)slot * site->delay, crawl);
}

int blur_organ_pipe(const struct blur_site *site, double *ret_total, struct err *err)
{
	struct sum total = {0};
	int r = check(site, 0, err);

	if (r < 0)
		return r;
	for (size_t rank = 0; rank < site->pages; rank++)
		sum_add(&total, site->rates[rank] * slot_penalty(site, rank / 2));
	*ret_total = sum_value(&total);
	return 0;
}

int blur_worst_case_paired(
	const struct blur_site *site, size_t k, double *ret_increase, struct err *err)
{
	const double *rates = site->rates;
	struct sum increase = {0};
	int r = check_paired(site, k, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < k / 2; i++)
		sum_add(&increase, 2 * (rates[site->pages - 1 - 2 * i] - rates[2 * i]) *
					   slot_penalty(site, i));
	/* Printed with one term more, which would need a rate beyond the last. */
	for (size_t i = 0; i < (site->pages - k) / 2; i++)
		sum_add(&increase,
			-2 * (rates[k + 2 * i] - rates[2 * i]) * slot_penalty(site, k / 2 + i));
	*ret_increase = sum_value(&increase);
	return 0;
}
