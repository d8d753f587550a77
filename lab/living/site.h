/*
 * A living site: a web server on loopback whose pages change at known times, for checking what is
 * claimed about captures of it. The truth can be read from a log or asked for here. Any number of
 * sites may live in one process; with the same parameters they have the same pages and, counted
 * from their starts, the same changes.
 *
 *	struct living_site *site;
 *	rc = living_site_start(&(struct living_site_params){
 *		.model = {.seed = 1, .pages = 100, .outdegree = 10},
 *		.address = "127.0.0.1", .clock = clock_system()}, &site, err);
 *	… capture http://127.0.0.1:PORT/ with living_site_port(site) …
 *	changed = living_changed_between(site, host, path, from_ns, to_ns);
 *	rc = living_site_stop(site, err);
 */
#ifndef LIVING_SITE_H
#define LIVING_SITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/slice.h"
#include "living/change.h"
#include "living/params.h"

enum { LIVING_ADDRESSES_MAX = 16 };

struct living_site_params {
	struct living_params model;
	const char *address;       /* numeric; borrowed like all strings */
	uint16_t port;             /* 0: any that is free */
	const char *const *also;   /* more addresses, on the same port */
	size_t also_count;         /* at most LIVING_ADDRESSES_MAX */
	unsigned threads;          /* that serve; 0 is 1 */
	const char *truth;         /* log file, made anew; NULL: none */
	const char *served;        /* log of responses, made anew; NULL: none */
	const struct clock *clock; /* the machine's, but in tests */
};

struct living_site;

/* Serves from now on. ERR_USAGE, ERR_RANGE, ERR_SYNTAX, … for bad parameters; ERR_IO, ERR_NOMEM. */
int living_site_start(const struct living_site_params *params, struct living_site **ret_site,
	struct err *err) SP_MUST_CHECK;

/*
 * Ends it; then the log holds all changes until now. 0, or ERR_IO when the log is not whole. NULL
 * is fine.
 */
int living_site_stop(struct living_site *site, struct err *err);

uint16_t living_site_port(const struct living_site *site);

/* Realtime of the start. */
int64_t living_site_started(const struct living_site *site);

/* 0, or why nothing is served any more: the log cannot be written. */
int living_site_failed(struct living_site *site);

/* Prints the URL of each site's start page, a line each. */
int living_site_print_urls(const struct living_site *site, FILE *file) SP_MUST_CHECK;

/* CSV of all resources that answer with a content: url,rate. 0 or ERR_IO, ERR_NOMEM. */
int living_site_write_rates(const struct living_site *site, FILE *file) SP_MUST_CHECK;

/* CSV of all resources: url,kind,rate,behaviour,validators,target,changes,noise. The same errors.
 */
int living_site_write_pages(const struct living_site *site, FILE *file) SP_MUST_CHECK;

/*
 * The truth, for any time that is past or future, realtime nanoseconds. The version of a resource
 * at an instant, LIVING_GONE where it is not there or there never was such a one.
 */
uint32_t living_version_at(
	const struct living_site *site, slice host, slice path, int64_t realtime_ns);

/* Whether it changed in (from, to], also when the change was undone. */
bool living_changed_between(
	const struct living_site *site, slice host, slice path, int64_t from_ns, int64_t to_ns);

#endif
