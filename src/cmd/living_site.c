/* stillpoint living-site: a web server whose pages change at known times. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/stop.h"
#include "httpd/httpd.h"
#include "living/noise.h"
#include "living/site.h"

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
	struct option_list host;
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
	struct option_list requisite_host;
	struct option_list listen_also;
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
	struct option_list disallow;
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

#define FIELD(name) offsetof(struct living_options, name)

static const struct option_spec SPECS[] = {
	{.name = "listen",
		.kind = OPTION_STRING,
		.offset = FIELD(listen),
		.metavar = "ADDRESS:PORT",
		.help = "where to serve; port 0 takes one that is free (default: 127.0.0.1:0)"},
	{.name = "seed",
		.letter = 's',
		.kind = OPTION_INT,
		.offset = FIELD(seed),
		.help = "the same seed, the same site and the same changes (default: 1)",
		.min = 0,
		.max = 9e15},
	{.name = "pages",
		.letter = 'n',
		.kind = OPTION_INT,
		.offset = FIELD(pages),
		.help = "pages of each host (default: 1000)",
		.min = 1,
		.max = LIVING_PAGES_MAX},
	{.name = "outdegree",
		.kind = OPTION_INT,
		.offset = FIELD(outdegree),
		.help = "children of a page in the tree (default: 10)",
		.min = 1,
		.max = LIVING_OUTDEGREE_MAX},
	{.name = "theme",
		.kind = OPTION_CHOICE,
		.offset = FIELD(theme),
		.choices = THEMES,
		.help = "plain, or shop: products, and /prices and /terms, which always change "
			"together (default: plain)"},
	{.name = "graph",
		.letter = 'g',
		.kind = OPTION_STRING,
		.offset = FIELD(graph),
		.metavar = "FILE",
		.help = "pages, rates and links from a CSV file with the header "
			"page,rate,weight,links"},
	{.name = "history",
		.kind = OPTION_STRING,
		.offset = FIELD(history),
		.metavar = "FILE",
		.help = "replay a recorded history: lines of time, commit, A, M or D, and path, "
			"separated by tabs"},
	{.name = "history-from",
		.kind = OPTION_INT,
		.offset = FIELD(history_from),
		.metavar = "UNIX",
		.help = "recorded time at which the site starts, in Unix seconds (default: the "
			"first one)",
		.min = 0,
		.max = 9e9},
	{.name = "time-scale",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(time_scale),
		.help = "recorded seconds that pass in one second (default: 1)",
		.max = 1e9,
		.bounds = OPTION_ABOVE_MIN},
	{.name = "rates",
		.letter = 'r',
		.kind = OPTION_STRING,
		.offset = FIELD(rates),
		.metavar = "RATES",
		.help = "changes per second: zipf:SKEW, lognormal:MU,SIGMA, constant:R or a CSV "
			"file with the columns page (or url) and rate (default: zipf:1)"},
	{.name = "mean-rate",
		.letter = 'm',
		.kind = OPTION_DOUBLE,
		.offset = FIELD(mean_rate),
		.help = "scale the rates to this mean (default: 0.01 for zipf, else as they are)",
		.max = LIVING_RATE_MAX},
	{.name = "rate-order",
		.kind = OPTION_CHOICE,
		.offset = FIELD(rate_order),
		.choices = ORDERS,
		.help = "which pages are hot: shuffled, hot-first (near the root) or hot-last "
			"(leaves) (default: shuffled)"},
	{.name = "pair-rate",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(pair_rate),
		.help = "rate of a shop's /prices and /terms (default: 0.05)",
		.max = LIVING_RATE_MAX,
		.bounds = OPTION_ABOVE_MIN},
	{.name = "reverts",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(reverts),
		.metavar = "SHARE",
		.help = "share of the changes that undo the change before (default: 0)",
		.max = 1},
	{.name = "hosts",
		.kind = OPTION_INT,
		.offset = FIELD(hosts),
		.metavar = "N",
		.help = "sites on this port, called site1.localhost, site2.localhost, …",
		.min = 1,
		.max = LIVING_HOSTS_MAX},
	{.name = "host",
		.kind = OPTION_LIST,
		.offset = FIELD(host),
		.metavar = "NAME",
		.help = "a site on this port that is asked for by this name; may be given more "
			"than once (default: one site that answers to every name)"},
	{.name = "requisites",
		.kind = OPTION_INT,
		.offset = FIELD(requisites),
		.help = "style sheets and images of each page (default: 0)",
		.min = 0,
		.max = LIVING_REQUISITES_MAX},
	{.name = "requisite-rates",
		.kind = OPTION_STRING,
		.offset = FIELD(requisite_rates),
		.metavar = "RATES",
		.help = "their rates, as for --rates but no file (default: constant:0)"},
	{.name = "requisite-mean-rate",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(requisite_mean_rate),
		.help = "scale them to this mean",
		.max = LIVING_RATE_MAX},
	{.name = "cdn-host",
		.kind = OPTION_STRING,
		.offset = FIELD(cdn_host),
		.metavar = "NAME",
		.help = "serve requisites under this host name, on the same port"},
	{.name = "requisite-kinds",
		.kind = OPTION_STRING,
		.offset = FIELD(requisite_kinds),
		.metavar = "KIND,…",
		.help = "what they are, by turns: style, image, script, font, frame, background "
			"(default: style,image)"},
	{.name = "requisite-host",
		.kind = OPTION_LIST,
		.offset = FIELD(requisite_host),
		.metavar = "NAME",
		.help = "serve requisites under these host names by turns; may be given more than "
			"once"},
	{.name = "listen-also",
		.kind = OPTION_LIST,
		.offset = FIELD(listen_also),
		.metavar = "ADDRESS",
		.help = "serve at this address too, on the same port; may be given more than once"},
	{.name = "errors",
		.kind = OPTION_STRING,
		.offset = FIELD(errors),
		.metavar = "SHARE[:KIND,…]",
		.help = "share of pages that fail, and how: 404, 500, 503, reset, reset-once, "
			"truncated (default: 0; of all kinds)"},
	{.name = "redirects",
		.kind = OPTION_STRING,
		.offset = FIELD(redirects),
		.metavar = "SHARE[:KIND,…]",
		.help = "share of pages that redirect, and how: 301, 302, moving (default: 0; of "
			"all kinds)"},
	{.name = "slow",
		.kind = OPTION_STRING,
		.offset = FIELD(slow),
		.metavar = "SHARE:SECONDS",
		.help = "share of pages that are slow, half of them before the first byte, half "
			"in the middle (default: 0)"},
	{.name = "lying-validators",
		.kind = OPTION_STRING,
		.offset = FIELD(lying),
		.metavar = "SHARE[:KIND,…]",
		.help = "share of pages whose Last-Modified and ETag lie, and how: stale, now "
			"(default: 0; both kinds)"},
	{.name = "absent-validators",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(absent),
		.metavar = "SHARE",
		.help = "share of pages without Last-Modified and ETag (default: 0)",
		.max = 1},
	{.name = "noise",
		.kind = OPTION_STRING,
		.offset = FIELD(noise),
		.metavar = "KIND,…|all",
		.help = "what differs in every response and is no change: nonce, csrf, clock, ad, "
			"comment, csrf-meta, tokens, viewstate, session, buster, hash, rendered, "
			"ids, attributes, whitespace, json, script, build, perf, challenge, email, "
			"x-attribute, x-ad, x-field, x-literal (default: none)"},
	{.name = "noise-per-page",
		.kind = OPTION_INT,
		.offset = FIELD(noise_per_page),
		.metavar = "N",
		.help = "give each page only so many of these kinds (default: all)",
		.min = 1,
		.max = NOISE_KINDS},
	{.name = "changes",
		.kind = OPTION_STRING,
		.offset = FIELD(changes),
		.metavar = "KIND,…|all",
		.help = "what a change alters; each page has one kind: text, price, date, counter, "
			"character, href, src, action, value, alt, structured, order (default: "
			"text)"},
	{.name = "vanishing",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(vanishing),
		.metavar = "SHARE",
		.help = "share of pages that vanish and appear again with their changes "
			"(default: 0)",
		.max = 1},
	{.name = "commits",
		.kind = OPTION_DURATION,
		.offset = FIELD(commits),
		.help = "mean time between changes that touch many pages at one instant "
			"(default: none)",
		.min = 0.001,
		.max = 1e9},
	{.name = "commit-share",
		.kind = OPTION_DOUBLE,
		.offset = FIELD(commit_share),
		.metavar = "SHARE",
		.help = "share of pages that such a change touches (default: 0.5)",
		.min = 0.001,
		.max = 1},
	{.name = "replicas",
		.kind = OPTION_INT,
		.offset = FIELD(replicas),
		.metavar = "N",
		.help = "servers that answer by turns, each further behind (default: 1)",
		.min = 1,
		.max = 1000},
	{.name = "replica-lag",
		.kind = OPTION_DURATION,
		.offset = FIELD(replica_lag),
		.help = "how far each of them is behind the one before (default: 1s)",
		.max = 1e6},
	{.name = "replicas-by",
		.kind = OPTION_CHOICE,
		.offset = FIELD(replicas_by),
		.choices = REPLICAS_BY,
		.help = "what decides which one answers: request, connection or address "
			"(default: request)"},
	{.name = "cache",
		.kind = OPTION_DURATION,
		.offset = FIELD(cache),
		.help = "put a cache in front that keeps each response for this time "
			"(default: none)",
		.max = 1e6},
	{.name = "variants",
		.kind = OPTION_STRING,
		.offset = FIELD(variants),
		.metavar = "SHARE[:KIND,…]",
		.help = "share of pages that differ by cookie, language (default: 0; both kinds)"},
	{.name = "block-after",
		.kind = OPTION_INT,
		.offset = FIELD(block_after),
		.metavar = "N",
		.help = "answer with a block page after so many requests (default: never)",
		.min = 1,
		.max = 1e9},
	{.name = "block-for",
		.kind = OPTION_INT,
		.offset = FIELD(block_for),
		.metavar = "N",
		.help = "to so many requests, then start again (default: for ever)",
		.min = 1,
		.max = 1e9},
	{.name = "block-kind",
		.kind = OPTION_CHOICE,
		.offset = FIELD(block_kind),
		.choices = BLOCKS,
		.help = "forbidden (403), too-many (429), challenge (503) or soft (200) "
			"(default: forbidden)"},
	{.name = "session-requests",
		.kind = OPTION_INT,
		.offset = FIELD(session_requests),
		.metavar = "N",
		.help = "requests until a session expires and pages redirect to /login "
			"(default: never)",
		.min = 1,
		.max = 1e9},
	{.name = "shells",
		.kind = OPTION_STRING,
		.offset = FIELD(shells),
		.metavar = "SHARE[:KIND,…]",
		.help = "share of pages that are empty without scripts, whose content is JSON: "
			"fetch, inline (default: 0; both kinds)"},
	{.name = "sitemap",
		.kind = OPTION_CHOICE,
		.offset = FIELD(sitemap),
		.choices = SITEMAPS,
		.help = "none, flat (one file) or index (a file for each section) (default: none)"},
	{.name = "robots-delay",
		.kind = OPTION_DURATION,
		.offset = FIELD(robots_delay),
		.help = "Crawl-delay of robots.txt (default: none)",
		.max = 1e6},
	{.name = "robots-disallow",
		.kind = OPTION_LIST,
		.offset = FIELD(disallow),
		.metavar = "PATH",
		.help = "a Disallow of robots.txt; may be given more than once"},
	{.name = "truth",
		.letter = 't',
		.kind = OPTION_STRING,
		.offset = FIELD(truth),
		.metavar = "FILE",
		.help = "log every change: unix_ms, host, path and version, separated by tabs"},
	{.name = "served",
		.kind = OPTION_STRING,
		.offset = FIELD(served),
		.metavar = "FILE",
		.help = "log every response: what it showed, and why its bytes differ"},
	{.name = "write-rates",
		.kind = OPTION_STRING,
		.offset = FIELD(write_rates),
		.metavar = "FILE",
		.help = "write url,rate of all pages and requisites"},
	{.name = "write-pages",
		.kind = OPTION_STRING,
		.offset = FIELD(write_pages),
		.metavar = "FILE",
		.help = "write url,kind,rate,behaviour,validators,target,changes,noise of them"},
	{.name = "threads",
		.kind = OPTION_INT,
		.offset = FIELD(threads),
		.help = "that serve (default: 2)",
		.min = 1,
		.max = 64},
	{.name = "duration",
		.kind = OPTION_DURATION,
		.offset = FIELD(duration),
		.help = "stop after this time (default: at SIGINT or SIGTERM)",
		.max = 1e9,
		.bounds = OPTION_ABOVE_MIN},
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
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

/* A value of an option that the options' table cannot read: its error names the option. */
static int in_option(int rc, const char *name, struct err *err)
{
	if (rc)
		err_prefix(err, "--%s", name);
	return rc;
}

static int prepare_rates(const struct living_options *o, struct living_params *m, struct err *err)
{
	int rc = 0;

	m->rates.scaled = o->mean_rate >= 0;
	m->rates.mean = o->mean_rate;
	m->requisite_rates.scaled = o->requisite_mean_rate >= 0;
	m->requisite_rates.mean = o->requisite_mean_rate;
	if (o->rates)
		rc = in_option(living_rates_parse(o->rates, &m->rates, err), "rates", err);
	if (rc == 0 && o->requisite_rates)
		rc = in_option(living_rates_parse(o->requisite_rates, &m->requisite_rates, err),
			"requisite-rates", err);
	if (rc == 0 && m->requisite_rates.kind == LIVING_RATE_FILE)
		rc = err_set(err, ERR_USAGE,
			"--requisite-rates: '%.80s' is no distribution (a file goes to --rates)",
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
			"'%.80s' is no share and time (like 0.1:2s, at most an hour)", text);
	return 0;
}

static int prepare_behaviour(
	const struct living_options *o, struct living_params *m, struct err *err)
{
	int rc = 0;

	if (o->errors)
		rc = in_option(living_share_parse(o->errors, LIVING_ERRORS, &m->errors, err),
			"errors", err);
	if (rc == 0 && o->redirects)
		rc = in_option(
			living_share_parse(o->redirects, LIVING_REDIRECTS, &m->redirects, err),
			"redirects", err);
	if (rc == 0 && o->slow)
		rc = in_option(parse_slow(o->slow, m, err), "slow", err);
	if (rc == 0 && o->lying)
		rc = in_option(
			living_lies_parse(o->lying, &m->lying, err), "lying-validators", err);
	if (rc == 0 && o->noise)
		rc = in_option(living_noise_parse(o->noise, &m->noise, err), "noise", err);
	if (rc == 0 && o->changes)
		rc = in_option(living_details_parse(o->changes, &m->details, err), "changes", err);
	if (rc == 0 && o->variants)
		rc = in_option(living_variants_parse(o->variants, &m->deceit.variants, err),
			"variants", err);
	if (rc == 0 && o->shells)
		rc = in_option(
			living_shells_parse(o->shells, &m->deceit.shells, err), "shells", err);
	if (rc == 0 && o->requisite_kinds)
		rc = in_option(living_requisites_parse(o->requisite_kinds, m, err),
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
		"'%.80s' is no host name (letters, digits, '.' and '-', no port)", name);
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
		rc = in_option(check_name(p->hosts[i], err), "host", err);
	}
	if (rc == 0 && o->cdn_host)
		rc = in_option(check_name(o->cdn_host, err), "cdn-host", err);
	for (size_t i = 0; rc == 0 && i < o->requisite_host.len; i++)
		rc = in_option(check_name(o->requisite_host.ptr[i], err), "requisite-host", err);
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
	rc = in_option(
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
	FILE *file;
	int rc;

	if (!name)
		return 0;
	file = fopen(name, "we");
	if (!file)
		return err_set(err, ERR_IO, "%.200s: %s", name, strerror(errno));
	rc = write(site, file);
	if (fclose(file) != 0 && rc == 0)
		rc = ERR_IO;
	return rc ? err_set(err, rc, "%.200s: %s", name, err_name(rc)) : 0;
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

enum cmd_status cmd_living_site(int argc, char **argv)
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
