/* stillpoint-lab living-site: a web server whose pages change at known times. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/parse.h"
#include "cmd/option_row.h"
#include "cmd/stop.h"
#include "commands/commands.h"
#include "living/noise.h"
#include "living/site.h"
#include "net/httpd.h"

enum {
	DEFAULT_PAGES = 1000,
	DEFAULT_OUTDEGREE = 10,
	HOST_NAME_SIZE = 32,
	LOOK_MS = 100, /* how often to ask whether all is well */
};

static const double NOT_GIVEN = -1;

/* NULL, 0 and NOT_GIVEN: not given. */
struct living_options {
	const char *listen;
	int64_t seed;
	int64_t pages;
	int64_t outdegree;
	int theme;
	const char *graph;
	const char *history;
	int64_t history_from;
	double time_scale;
	const char *rates;
	double mean_rate;
	int rate_order;
	double pair_rate;
	double reverts;
	int64_t hosts;
	struct text_list host;
	int64_t requisites;
	const char *requisite_rates;
	double requisite_mean_rate;
	const char *cdn_host;
	const char *errors;
	const char *redirects;
	const char *slow;
	const char *lying;
	double absent;
	const char *noise;
	int64_t noise_per_page;
	const char *changes;
	double vanishing;
	double commits;
	double commit_share;
	const char *requisite_kinds;
	struct text_list requisite_host;
	struct text_list listen_also;
	int64_t replicas;
	double replica_lag;
	int replicas_by;
	double cache;
	const char *variants;
	int64_t block_after;
	int64_t block_for;
	int block_kind;
	int64_t session_requests;
	const char *shells;
	const char *served;
	int sitemap;
	double robots_delay;
	struct text_list disallow;
	const char *truth;
	const char *write_rates;
	const char *write_pages;
	int64_t threads;
	double duration;
};

static const char *const THEMES[] = {"plain", "shop", NULL};
static const char *const SITEMAPS[] = {"none", "flat", "index", NULL};
static const char *const REPLICAS_BY[] = {"request", "connection", "address", NULL};
static const char *const BLOCKS[] = {"forbidden", "too-many", "challenge", "soft", NULL};
static const char *const ORDERS[] = {"shuffled", "hot-first", "hot-last", NULL};

#define ROW_OF struct living_options

static const struct option_spec SPECS[] = {
	ROW(STRING, listen, "listen", 0,
		"where to serve; port 0 takes one that is free (default: 127.0.0.1:0)",
		.metavar = "ADDRESS:PORT"),
	ROW(INT, seed, "seed", 's',
		"the same seed, the same site and the same changes (default: 1)", .min = 0,
		.max = 9e15),
	ROW(INT, pages, "pages", 'n', "pages of each host (default: 1000)", .min = 1,
		.max = LIVING_PAGES_MAX),
	ROW(INT, outdegree, "outdegree", 0, "children of a page in the tree (default: 10)",
		.min = 1, .max = LIVING_OUTDEGREE_MAX),
	ROW(CHOICE, theme, "theme", 0,
		"plain, or shop: products, and /prices and /terms, which always change "
		"together (default: plain)",
		.choices = THEMES),
	ROW(STRING, graph, "graph", 'g',
		"pages, rates and links from a CSV file with the header "
		"page,rate,weight,links",
		.metavar = "FILE"),
	ROW(STRING, history, "history", 0,
		"replay a recorded history: lines of time, commit, A, M or D, and path, "
		"separated by tabs",
		.metavar = "FILE"),
	ROW(INT, history_from, "history-from", 0,
		"recorded time at which the site starts, in Unix seconds (default: the "
		"first one)",
		.metavar = "UNIX", .min = 0, .max = 9e9),
	ROW(DOUBLE, time_scale, "time-scale", 0,
		"recorded seconds that pass in one second (default: 1)", .max = 1e9,
		.bounds = OPTION_ABOVE_MIN),
	ROW(STRING, rates, "rates", 'r',
		"changes per second: zipf:SKEW, lognormal:MU,SIGMA, constant:R or a CSV "
		"file with the columns page (or url) and rate (default: zipf:1)",
		.metavar = "RATES"),
	ROW(DOUBLE, mean_rate, "mean-rate", 'm',
		"scale the rates to this mean (default: 0.01 for zipf, else as they are)",
		.max = LIVING_RATE_MAX),
	ROW(CHOICE, rate_order, "rate-order", 0,
		"which pages are hot: shuffled, hot-first (near the root) or hot-last "
		"(leaves) (default: shuffled)",
		.choices = ORDERS),
	ROW(DOUBLE, pair_rate, "pair-rate", 0,
		"rate of a shop's /prices and /terms (default: 0.05)", .max = LIVING_RATE_MAX,
		.bounds = OPTION_ABOVE_MIN),
	ROW(DOUBLE, reverts, "reverts", 0,
		"share of the changes that undo the change before (default: 0)", .metavar = "SHARE",
		.max = 1),
	ROW(INT, hosts, "hosts", 0,
		"sites on this port, called site1.localhost, site2.localhost, …", .metavar = "N",
		.min = 1, .max = LIVING_HOSTS_MAX),
	ROW(LIST, host, "host", 0,
		"a site on this port that is asked for by this name; may be given more "
		"than once (default: one site that answers to every name)",
		.metavar = "NAME"),
	ROW(INT, requisites, "requisites", 0, "style sheets and images of each page (default: 0)",
		.min = 0, .max = LIVING_REQUISITES_MAX),
	ROW(STRING, requisite_rates, "requisite-rates", 0,
		"their rates, as for --rates but no file (default: constant:0)",
		.metavar = "RATES"),
	ROW(DOUBLE, requisite_mean_rate, "requisite-mean-rate", 0, "scale them to this mean",
		.max = LIVING_RATE_MAX),
	ROW(STRING, cdn_host, "cdn-host", 0,
		"serve requisites under this host name, on the same port", .metavar = "NAME"),
	ROW(STRING, requisite_kinds, "requisite-kinds", 0,
		"what they are, by turns: style, image, script, font, frame, background "
		"(default: style,image)",
		.metavar = "KIND,…"),
	ROW(LIST, requisite_host, "requisite-host", 0,
		"serve requisites under these host names by turns; may be given more than "
		"once",
		.metavar = "NAME"),
	ROW(LIST, listen_also, "listen-also", 0,
		"serve at this address too, on the same port; may be given more than once",
		.metavar = "ADDRESS"),
	ROW(STRING, errors, "errors", 0,
		"share of pages that fail, and how: 404, 500, 503, reset, reset-once, "
		"truncated (default: 0; of all kinds)",
		.metavar = "SHARE[:KIND,…]"),
	ROW(STRING, redirects, "redirects", 0,
		"share of pages that redirect, and how: 301, 302, moving (default: 0; of "
		"all kinds)",
		.metavar = "SHARE[:KIND,…]"),
	ROW(STRING, slow, "slow", 0,
		"share of pages that are slow, half of them before the first byte, half "
		"in the middle (default: 0)",
		.metavar = "SHARE:SECONDS"),
	ROW(STRING, lying, "lying-validators", 0,
		"share of pages whose Last-Modified and ETag lie, and how: stale, now "
		"(default: 0; both kinds)",
		.metavar = "SHARE[:KIND,…]"),
	ROW(DOUBLE, absent, "absent-validators", 0,
		"share of pages without Last-Modified and ETag (default: 0)", .metavar = "SHARE",
		.max = 1),
	ROW(STRING, noise, "noise", 0,
		"what differs in every response and is not a change: nonce, csrf, clock, ad, "
		"comment, csrf-meta, tokens, viewstate, session, buster, hash, rendered, "
		"ids, attributes, whitespace, json, script, build, perf, challenge, email, "
		"x-attribute, x-ad, x-field, x-literal (default: none)",
		.metavar = "KIND,…|all"),
	ROW(INT, noise_per_page, "noise-per-page", 0,
		"give each page only so many of these kinds (default: all)", .metavar = "N",
		.min = 1, .max = NOISE_KINDS),
	ROW(STRING, changes, "changes", 0,
		"what a change alters; each page has one kind: text, price, date, counter, "
		"character, href, src, action, value, alt, structured, order (default: "
		"text)",
		.metavar = "KIND,…|all"),
	ROW(DOUBLE, vanishing, "vanishing", 0,
		"share of pages that vanish and appear again with their changes "
		"(default: 0)",
		.metavar = "SHARE", .max = 1),
	ROW(DURATION, commits, "commits", 0,
		"mean time between changes that touch many pages at one instant "
		"(default: none)",
		.min = 0.001, .max = 1e9),
	ROW(DOUBLE, commit_share, "commit-share", 0,
		"share of pages that such a change touches (default: 0.5)", .metavar = "SHARE",
		.min = 0.001, .max = 1),
	ROW(INT, replicas, "replicas", 0,
		"servers that answer by turns, each further behind (default: 1)", .metavar = "N",
		.min = 1, .max = 1000),
	ROW(DURATION, replica_lag, "replica-lag", 0,
		"how far each of them is behind the one before (default: 1s)", .max = 1e6),
	ROW(CHOICE, replicas_by, "replicas-by", 0,
		"what decides which one answers: request, connection or address "
		"(default: request)",
		.choices = REPLICAS_BY),
	ROW(DURATION, cache, "cache", 0,
		"put a cache in front that keeps each response for this time "
		"(default: none)",
		.max = 1e6),
	ROW(STRING, variants, "variants", 0,
		"share of pages that differ by cookie, language (default: 0; both kinds)",
		.metavar = "SHARE[:KIND,…]"),
	ROW(INT, block_after, "block-after", 0,
		"answer with a block page after so many requests (default: never)", .metavar = "N",
		.min = 1, .max = 1e9),
	ROW(INT, block_for, "block-for", 0,
		"to so many requests, then start again (default: for ever)", .metavar = "N",
		.min = 1, .max = 1e9),
	ROW(CHOICE, block_kind, "block-kind", 0,
		"forbidden (403), too-many (429), challenge (503) or soft (200) "
		"(default: forbidden)",
		.choices = BLOCKS),
	ROW(INT, session_requests, "session-requests", 0,
		"requests until a session expires and pages redirect to /login "
		"(default: never)",
		.metavar = "N", .min = 1, .max = 1e9),
	ROW(STRING, shells, "shells", 0,
		"share of pages that are empty without scripts, whose content is JSON: "
		"fetch, inline (default: 0; both kinds)",
		.metavar = "SHARE[:KIND,…]"),
	ROW(CHOICE, sitemap, "sitemap", 0,
		"none, flat (one file) or index (a file for each section) (default: none)",
		.choices = SITEMAPS),
	ROW(DURATION, robots_delay, "robots-delay", 0, "Crawl-delay of robots.txt (default: none)",
		.max = 1e6),
	ROW(LIST, disallow, "robots-disallow", 0,
		"a Disallow of robots.txt; may be given more than once", .metavar = "PATH"),
	ROW(STRING, truth, "truth", 't',
		"log every change: unix_ms, host, path and version, separated by tabs",
		.metavar = "FILE"),
	ROW(STRING, served, "served", 0,
		"log every response: what it showed, and why its bytes differ", .metavar = "FILE"),
	ROW(STRING, write_rates, "write-rates", 0, "write url,rate of all pages and requisites",
		.metavar = "FILE"),
	ROW(STRING, write_pages, "write-pages", 0,
		"write url,kind,rate,behaviour,validators,target,changes,noise of them",
		.metavar = "FILE"),
	ROW(INT, threads, "threads", 0, "threads that serve (default: 2)", .min = 1, .max = 64),
	ROW(DURATION, duration, "duration", 0,
		"stop after this time (default: at SIGINT or SIGTERM)", .max = 1e9,
		.bounds = OPTION_ABOVE_MIN),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = LAB_PROGRAM,
	.command = "living-site",
	.usage = "[OPTION…]",
	.description =
		"Serves a web site whose pages change at known times, so that what is said "
		"about captures of it can be checked. Prints the URL of the site, or of each "
		"site, when it is ready; then serves until SIGINT or SIGTERM.",
	.specs = SPECS,
};

/* What the parameters of the site borrow. */
struct prepared {
	struct living_site_params params;
	char address[HTTPD_ADDRESS_SIZE];
	char (*names)[HOST_NAME_SIZE]; /* of --hosts; owned */
	const char **hosts;            /* owned */
};

static int prepare_rates(const struct living_options *o, struct living_params *m, struct err *err)
{
	int rc = 0;

	m->rates.scaled = o->mean_rate >= 0;
	m->rates.mean = o->mean_rate;
	m->requisite_rates.scaled = o->requisite_mean_rate >= 0;
	m->requisite_rates.mean = o->requisite_mean_rate;
	if (o->rates)
		rc = cmd_in_option(living_rates_parse(o->rates, &m->rates, err), "rates", err);
	if (rc == 0 && o->requisite_rates)
		rc = cmd_in_option(living_rates_parse(o->requisite_rates, &m->requisite_rates, err),
			"requisite-rates", err);
	if (rc == 0 && m->requisite_rates.kind == LIVING_RATE_FILE)
		rc = err_set(err, ERR_USAGE,
			"--requisite-rates: '%.80s' is not a distribution (give a file to --rates)",
			o->requisite_rates);
	return rc;
}

/* SHARE:SECONDS */
static int parse_slow(const char *text, struct living_params *m, struct err *err)
{
	const char *colon = strchr(text, ':');
	slice share = {text, colon ? (size_t)(colon - text) : 0};

	m->slow.kinds = LIVING_SLOWNESS;
	if (!colon || parse_double(share, &m->slow.share) ||
		!(m->slow.share >= 0 && m->slow.share <= 1) ||
		parse_duration(slice_str(colon + 1), &m->slow_seconds) || m->slow_seconds > 3600)
		return err_set(err, ERR_SYNTAX,
			"'%.80s' is not a share and a time (example: 0.1:2s, at most an hour)",
			text);
	return 0;
}

static int prepare_behaviour(
	const struct living_options *o, struct living_params *m, struct err *err)
{
	int rc = 0;

	if (o->errors)
		rc = cmd_in_option(living_share_parse(o->errors, LIVING_ERRORS, &m->errors, err),
			"errors", err);
	if (rc == 0 && o->redirects)
		rc = cmd_in_option(
			living_share_parse(o->redirects, LIVING_REDIRECTS, &m->redirects, err),
			"redirects", err);
	if (rc == 0 && o->slow)
		rc = cmd_in_option(parse_slow(o->slow, m, err), "slow", err);
	if (rc == 0 && o->lying)
		rc = cmd_in_option(
			living_lies_parse(o->lying, &m->lying, err), "lying-validators", err);
	if (rc == 0 && o->noise)
		rc = cmd_in_option(living_noise_parse(o->noise, &m->noise, err), "noise", err);
	if (rc == 0 && o->changes)
		rc = cmd_in_option(
			living_details_parse(o->changes, &m->details, err), "changes", err);
	if (rc == 0 && o->variants)
		rc = cmd_in_option(living_variants_parse(o->variants, &m->deceit.variants, err),
			"variants", err);
	if (rc == 0 && o->shells)
		rc = cmd_in_option(
			living_shells_parse(o->shells, &m->deceit.shells, err), "shells", err);
	if (rc == 0 && o->requisite_kinds)
		rc = cmd_in_option(living_requisites_parse(o->requisite_kinds, m, err),
			"requisite-kinds", err);
	return rc;
}

/* A name must do for a Host field, a URL and a line of the log. */
static int check_name(const char *name, struct err *err)
{
	static const char ALPHABET[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

	if (*name && name[strspn(name, ALPHABET)] == '\0' && strlen(name) < 256)
		return 0;
	return err_set(err, ERR_USAGE,
		"'%.80s' is not a host name (letters, digits, '.' and '-', no port)", name);
}

static int prepare_hosts(const struct living_options *o, struct prepared *p, struct err *err)
{
	struct living_params *m = &p->params.model;
	size_t numbered = (size_t)o->hosts, count = numbered + o->host.len;
	int rc = 0;

	p->names = calloc(numbered + 1, sizeof *p->names);
	p->hosts = calloc(count + 1, sizeof *p->hosts);
	if (!p->names || !p->hosts)
		return err_code(err, ERR_NOMEM);
	for (size_t i = 0; i < numbered; i++) {
		(void)snprintf(p->names[i], HOST_NAME_SIZE, "site%zu.localhost", i + 1);
		p->hosts[i] = p->names[i];
	}
	for (size_t i = numbered; rc == 0 && i < count; i++) {
		p->hosts[i] = o->host.ptr[i - numbered];
		rc = cmd_in_option(check_name(p->hosts[i], err), "host", err);
	}
	if (rc == 0 && o->cdn_host)
		rc = cmd_in_option(check_name(o->cdn_host, err), "cdn-host", err);
	for (size_t i = 0; rc == 0 && i < o->requisite_host.len; i++)
		rc = cmd_in_option(
			check_name(o->requisite_host.ptr[i], err), "requisite-host", err);
	m->requisite_hosts = o->requisite_host.ptr;
	m->requisite_host_count = o->requisite_host.len;
	m->hosts = p->hosts;
	m->host_count = count;
	m->cdn_host = o->cdn_host;
	return rc;
}

static int prepare(const struct living_options *o, struct prepared *p, struct err *err)
{
	struct living_params *m = &p->params.model;
	int rc;

	*m = (struct living_params){
		.seed = (uint64_t)o->seed,
		.pages = (size_t)o->pages,
		.outdegree = (size_t)o->outdegree,
		.theme = (enum living_theme)o->theme,
		.graph = o->graph,
		.history = o->history,
		.time_scale = o->time_scale,
		.history_from = o->history_from,
		.rate_order = (enum living_rate_order)o->rate_order,
		.pair_rate = o->pair_rate,
		.reverts = o->reverts,
		.requisites = (size_t)o->requisites,
		.noise_per_page = (size_t)o->noise_per_page,
		.vanishing = o->vanishing,
		.commits = o->commits,
		.commit_share = o->commit_share,
		.deceit =
			{
				.replicas = (size_t)o->replicas,
				.replica_lag = o->replica_lag,
				.replicas_by = (enum living_replicas_by)o->replicas_by,
				.cache = o->cache,
				.block_after = (size_t)o->block_after,
				.block_for = (size_t)o->block_for,
				.block_kind = (enum living_block)o->block_kind,
				.session = (size_t)o->session_requests,
			},
		.absent = o->absent,
		.sitemap = (enum living_sitemap)o->sitemap,
		.robots_delay = o->robots_delay,
		.disallow = o->disallow.ptr,
		.disallow_count = o->disallow.len,
	};
	p->params.threads = (unsigned)o->threads;
	p->params.truth = o->truth;
	p->params.served = o->served;
	p->params.also = o->listen_also.ptr;
	p->params.also_count = o->listen_also.len;
	if (m->deceit.replicas_by == LIVING_BY_ADDRESS && o->listen_also.len == 0)
		return err_set(err, ERR_USAGE,
			"--replicas-by address needs more addresses: give --listen-also");
	p->params.clock = clock_system();
	p->params.address = p->address;
	rc = cmd_in_option(
		httpd_address_parse(o->listen, p->address, &p->params.port, err), "listen", err);
	if (rc == 0)
		rc = prepare_rates(o, m, err);
	if (rc == 0)
		rc = prepare_behaviour(o, m, err);
	return rc ? rc : prepare_hosts(o, p, err);
}

typedef int write_function(const struct living_site *site, FILE *file);

static int write_file(
	const struct living_site *site, const char *name, write_function *write, struct err *err)
{
	struct output out = {0};
	int rc = name ? output_open(&out, name, err) : 0;

	if (!name || rc)
		return rc;
	rc = write(site, out.file);
	if (rc)
		rc = err_set(err, rc, "%.200s: %s", name, err_name(rc));
	return output_close(&out, rc, err);
}

/* Until a signal comes, the time is over or the log fails. */
static void wait_for_end(struct living_site *site, int signals, double duration)
{
	const struct clock *clock = clock_system();
	int64_t start = clock_monotonic(clock);
	struct pollfd p = {.fd = signals, .events = POLLIN};

	while (!living_site_failed(site)) {
		int ms = LOOK_MS;

		if (duration > 0) {
			double left = duration - clock_seconds(clock_monotonic(clock) - start);

			if (left <= 0)
				return;
			if (left * 1000 < LOOK_MS)
				ms = (int)(left * 1000) + 1;
		}
		if (poll(&p, 1, ms) > 0)
			return;
	}
}

static int serve(const struct living_options *o, struct prepared *p, struct err *err)
{
	struct living_site *site = NULL;
	struct err late = {0};
	int signals, rc, stopped;

	rc = stop_open(&signals, err);
	if (rc)
		return rc;
	rc = living_site_start(&p->params, &site, err);
	if (rc) {
		stop_close(signals);
		return rc;
	}
	rc = write_file(site, o->write_rates, living_site_write_rates, err);
	if (rc == 0)
		rc = write_file(site, o->write_pages, living_site_write_pages, err);
	if (rc == 0 && living_site_print_urls(site, stdout))
		rc = err_set(err, ERR_IO, "standard output: %s", strerror(errno));
	if (rc == 0)
		wait_for_end(site, signals, o->duration);
	stopped = living_site_stop(site, &late);
	stop_close(signals);
	if (rc == 0 && stopped) {
		*err = late;
		rc = stopped;
	}
	return rc;
}

enum cmd_status lab_living_site(int argc, char **argv)
{
	struct living_options o = {
		.listen = "127.0.0.1:0",
		.seed = 1,
		.pages = DEFAULT_PAGES,
		.outdegree = DEFAULT_OUTDEGREE,
		.mean_rate = NOT_GIVEN,
		.requisite_mean_rate = NOT_GIVEN,
		.threads = 2,
		.commit_share = 0.5,
		.replicas = 1,
		.replica_lag = 1,
	};
	struct prepared p = {0};
	struct option_args args;
	enum cmd_status status = CMD_OK;
	struct err err = {0};

	if (cmd_options(&OPTIONS, argc, argv, &o, &args, &status)) {
		int rc = prepare(&o, &p, &err);

		if (rc == 0)
			rc = serve(&o, &p, &err);
		if (rc)
			status = cmd_fail("living-site", &err);
	}
	free(p.names);
	free(p.hosts);
	options_release(&OPTIONS, &o);
	return status;
}
