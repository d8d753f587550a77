/* stillpoint crawl: captures a site, then prints its quality. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/warc_input.h"
#include "base/buf.h"
#include "base/parse.h"
#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "cmd/noise.h"
#include "cmd/option_row.h"
#include "crawl/contact.h"
#include "crawl/crawl.h"
#include "crawl/gate.h"
#include "crawl/seeds.h"
#include "crawl/sites.h"
#include "extract/robots_policy.h"
#include "frontier/pace.h"
#include "frontier/traps.h"
#include "net/net.h"

struct crawl_command {
	struct crawl_settings settings; /* as far as options can write to it directly */
	const char *output;
	const char *seeds;
	int64_t lanes;
	const char *delay, *contact;
	int scope, traps, robots, warc_coding; /* traps and robots are indexes of the words below */
	int evidence;                          /* the same */
	int aim;                               /* enum plan_aim */
	int dust, mirrors;                     /* enum crawl_dust, crawl_mirrors */
	struct option_list surts, includes, excludes, without;
	const char *ignore;
	int64_t max_pages, max_depth, max_outside, trap_budget, jobs, size, attempts;
	const char *proxy, *cookies;
	const char *auth_file, *header_file, *proxy_file;
	struct option_list auth, headers;
	bool json;
	const char *crawl_log, *events;
	bool quiet;
	bool verbose;
};

enum { ROBOTS_OBEY, ROBOTS_IGNORE };
enum { EVIDENCE_COMPACT, EVIDENCE_RECORDS };

static const char *const ROBOTS[] = {"obey", "ignore", NULL};
static const char *const EVIDENCE[] = {"compact", "records", NULL};
static const char *const DUST[] = {"learn", "apply", "off", NULL};
static const char *const MIRRORS[] = {"flag", "skip", "off", NULL};
static const char *const SWITCH[] = {"on", "off", NULL};
static const char *const SCOPES[] = {"page", "prefix", "host", "domain", NULL};

/* By enum warc_coding. */
static const char *const WARC_CODINGS[] = {"none", "gzip", "zstd", NULL};

#define ROW_OF struct crawl_command

static const struct option_spec SPECS[] = {
	ROW(STRING, output, "output", 'o',
		"directory of the archive; an existing archive gets one more capture (default: "
		"HOST.stillpoint of the first URL, HOST-PORT.stillpoint if it has a port, or the "
		"name of the --seeds file)",
		.metavar = "ARCHIVE"),
	ROW(STRING, seeds, "seeds", 0,
		"read URLs from a file, one per line ('#' starts a comment; '-' is standard input)",
		.metavar = "FILE"),
	ROW(STRING, settings.strategy, "strategy", 's',
		"order of visits and revisits; 'stillpoint plan --list-strategies' lists them "
		"(default: stillpoint)",
		.metavar = "NAME"),
	ROW(FLAG, settings.single, "single", 0, "visit only, in the strategy's order"),
	ROW(STRING, delay, "delay", 'd',
		"pause from the end of a request to the start of the next on the same host; auto "
		"is ten times the last response time, from 1 s to 60 s; Crawl-delay and "
		"Retry-After count as well (default: auto)",
		.metavar = "auto|DURATION"),
	ROW(INT, jobs, "jobs", 'j', "requests to a host at once (default: 1)", .min = 1,
		.max = PACE_JOBS_MAX),
	ROW(INT, lanes, "lanes", 0,
		"threads to capture several sites with (default: one for each processor)", .min = 1,
		.max = CRAWL_LANES_MAX),
	ROW(CHOICE, scope, "scope", 0,
		"how much of the site a URL means: itself, its directory, its host, or its "
		"registered domain (default: host)",
		.choices = SCOPES),
	ROW(LIST, surts, "surt", 0, "also capture URLs whose SURT begins with this (repeatable)",
		.metavar = "PREFIX"),
	ROW(LIST, includes, "include", 'i', "also capture URLs that match (repeatable)",
		.metavar = "REGEX"),
	ROW(LIST, excludes, "exclude", 'x',
		"leave out URLs that match, even if another rule includes them (repeatable)",
		.metavar = "REGEX"),
	ROW(FLAG, settings.no_requisites, "no-requisites", 0,
		"do not fetch what pages embed from outside the scope"),
	ROW(FLAG, settings.no_sitemaps, "no-sitemaps", 0, "do not ask for sitemaps"),
	ROW(INT, max_pages, "max-pages", 0, "take no more pages than this", .min = 1,
		.max = UINT32_MAX - 1),
	ROW(INT, max_depth, "max-depth", 0, "follow no more links in a row than this",
		.max = INT32_MAX),
	ROW(INT, max_outside, "max-outside", 0,
		"keep no more URLs outside the scope than this; others are counted (default: "
		"1000000)",
		.max = UINT32_MAX - 1),
	ROW(CHOICE, traps, "traps", 0,
		"on: parts of a site that continue without new content are left out beyond their "
		"budget, and each host is asked once for a page that cannot exist, to recognise "
		"its soft 404s (default: on)",
		.choices = SWITCH),
	ROW(INT, trap_budget, "trap-budget", 0,
		"URLs of one shape to fetch although they show nothing new (default: 1000)",
		.min = 1, .max = 100000000),
	ROW(CHOICE, dust, "dust", 0,
		"URLs that show what another one shows (session ids, index.html, parameters that "
		"change nothing, print versions …): 'learn' reports the rules that the capture "
		"found, 'apply' confirms them by a few requests and leaves such URLs out "
		"(default: learn)",
		.choices = DUST),
	ROW(CHOICE, mirrors, "mirrors", 0,
		"hosts that serve the same as another one: 'flag' reports them, 'skip' leaves "
		"their pages out (default: flag)",
		.choices = MIRRORS),
	ROW(DURATION, settings.time_limit, "time-limit", 't',
		"end after this time; if it is too short for two downloads of every page, visits "
		"stop in time for the revisits that --aim wants",
		.max = 1e9, .bounds = OPTION_ABOVE_MIN),
	ROW(CHOICE, aim, "aim", 0,
		"what a limit that is too small is spent on: 'sharp' for most sharp pages, "
		"'complete' for most pages, 'balanced' to revisit what is more likely than not to "
		"be sharp (default: balanced)",
		.choices = PLAN_AIMS),
	ROW(STRING, settings.rates, "rates", 'r',
		"how often pages change: CSV with the header "
		"url,rate[,weight][,shape] (or page for url), "
		"in changes per second",
		.metavar = "CSV"),
	ROW(INT, size, "size", 0, "estimated number of pages of the site", .min = 1,
		.max = UINT32_MAX - 1),
	ROW(DOUBLE, settings.tau, "tau", 0,
		"confidence of solar and sharc-threshold (default: 0.7)", .max = 1,
		.bounds = OPTION_ABOVE_MIN),
	ROW(FLAG, settings.bytes_only, "bytes-only", 0,
		"call pages sharp only if both downloads are equal byte for byte: no rules against "
		"noise"),
	ROW(LIST, without, "without-rule", 0,
		"switch this rule against noise off; may be given several times (inspect change "
		"--list-rules prints them)",
		.metavar = "NAME"),
	ROW(STRING, ignore, "ignore", 0,
		"rules of your own: what to ignore in pages, and what a page must have, see "
		"docs/judgement.md",
		.metavar = "FILE"),
	ROW(FLAG, settings.no_probes, "no-probes", 0,
		"do not fetch some pages once more to learn what varies by itself; such probes are "
		"at most 6 % of the requests, or 4"),
	ROW(FLAG, settings.mask_visible, "mask-visible", 0,
		"let learned rules mask visible lines, too, unless they read like a price, a date, "
		"an amount, a name or a stock figure"),
	ROW(STRING, settings.variant_language, "variant-language", 0,
		"fetch some pages with this Accept-Language, too, and note where they differ",
		.metavar = "TAG"),
	ROW(INT, attempts, "attempts", 0, "tries of a page in each leg (default: 3)", .min = 1,
		.max = 100),
	ROW(DURATION, settings.connect_timeout, "connect-timeout", 0,
		"give up connecting after this (default: 30s)", .max = 1e6,
		.bounds = OPTION_ABOVE_MIN),
	ROW(DURATION, settings.stall_timeout, "stall-timeout", 0,
		"give up a response slower than 64 bytes/s for this long (default: 60s)",
		.max = 1e6, .bounds = OPTION_ABOVE_MIN),
	ROW(DURATION, settings.timeout, "timeout", 0, "give up a request after this (default: 1h)",
		.max = 1e6, .bounds = OPTION_ABOVE_MIN),
	ROW(SIZE, settings.max_body, "max-body", 0, "cut bodies at this size (default: 2G)",
		.min = 1, .max = 1e15),
	ROW(SIZE, settings.max_header, "max-header", 0,
		"give up a response whose header is larger (default and maximum: 256k)", .min = 256,
		.max = NET_HEAD_MAX),
	ROW(SIZE, settings.max_bytes, "max-bytes", 0,
		"download no more than this in all; as with --time-limit, visits stop in time for "
		"the revisits that --aim wants",
		.min = 1, .max = 1e18),
	ROW(SIZE, settings.warc_size, "warc-size", 0,
		"start a new WARC file at this size (default: 1G)", .min = 1, .max = 1e15),
	ROW(STRING, settings.warc_prefix, "warc-prefix", 0,
		"what the names of WARC files begin with (default: stillpoint)",
		.metavar = "PREFIX"),
	ROW(CHOICE, evidence, "evidence", 0,
		"how revisits that found nothing new are archived: compact, many in one record "
		"(default), or records, a revisit, request and metadata record each, for other "
		"tools",
		.choices = EVIDENCE),
	ROW(CHOICE, warc_coding, "warc-compression", 0,
		"how records are compressed, each by itself; zstd is read faster, but not by every "
		"tool yet (default: gzip)",
		.choices = WARC_CODINGS),
	ROW(STRING, settings.user_agent, "user-agent", 'A',
		"User-Agent to send, instead of the default with --contact; robots.txt rules for "
		"its product token apply",
		.metavar = "TEXT"),
	ROW(STRING, contact, "contact", 0,
		"how site owners can reach you: a URL or a mail address; goes into the user agent "
		"and the archive (default: the environment variable STILLPOINT_CONTACT)",
		.metavar = "URL|MAIL"),
	ROW(CHOICE, robots, "robots", 0,
		"whether to obey robots.txt; it is archived and its Crawl-delay obeyed in either "
		"case (default: obey)",
		.choices = ROBOTS),
	ROW(DURATION, settings.robots_age, "robots-age", 0,
		"fetch robots.txt again after this time, at most 24h (default: 24h)",
		.max = ROBOTS_FRESH_SECONDS, .bounds = OPTION_ABOVE_MIN),
	ROW(DURATION, settings.down_after, "down-after", 0,
		"a server that has not answered for this long is down: its pages fail at once, "
		"until it answers (default: 5m)",
		.max = 1e9, .bounds = OPTION_ABOVE_MIN),
	ROW(STRING, settings.hours, "hours", 0,
		"start requests only at these hours, local time: 22-06, or 22:30-06:00,12-13 "
		"(default: always)",
		.metavar = "FROM-TO"),
	ROW(SIZE, settings.bandwidth, "bandwidth", 0,
		"receive no more bytes per second than this (default: no limit)", .min = 1024,
		.max = 1e12),
	ROW(SIZE, settings.min_free, "min-free", 0,
		"pause while less than this is free on the archive's disk; 0 for never (default: "
		"128M)",
		.max = 1e15),
	ROW(LIST, headers, "header", 'H',
		"also send this field (repeatable); fields that may hold a key go only to the "
		"seeds' hosts and are not archived",
		.metavar = "NAME:VALUE"),
	ROW(LIST, auth, "auth", 0,
		"log in at the seeds' hosts (basic); or https://USER:PASSWORD@HOST/ for one host "
		"(repeatable)",
		.metavar = "USER:PASSWORD"),
	ROW(STRING, header_file, "header-file", 0,
		"read --header fields from a file, one per line, to hide them from other users",
		.metavar = "FILE"),
	ROW(STRING, auth_file, "auth-file", 0,
		"read --auth passwords from a file, one per line (default: the environment "
		"variable STILLPOINT_AUTH)",
		.metavar = "FILE"),
	ROW(STRING, cookies, "cookies", 0, "start with the cookies of this file (Netscape format)",
		.metavar = "FILE"),
	ROW(FLAG, settings.no_cookies, "no-cookies", 0, "neither accept nor send cookies"),
	ROW(FLAG, settings.keep_secrets, "keep-secrets", 0,
		"archive requests with their cookies and passwords"),
	ROW(STRING, proxy, "proxy", 0,
		"fetch through http://, socks5:// or socks5h://[USER:PASSWORD@]HOST:PORT",
		.metavar = "URL"),
	ROW(STRING, proxy_file, "proxy-file", 0,
		"read the proxy's URL from a file, to hide its password from other users",
		.metavar = "FILE"),
	ROW(FLAG, settings.http2, "http2", 0, "use HTTP/2 with https servers that support it"),
	ROW(STRING, settings.ca_file, "cacert", 0, "also trust these certificates (PEM)",
		.metavar = "FILE"),
	ROW(FLAG, settings.insecure, "insecure", 0, "do not check certificates"),
	ROW(FLAG, settings.allow_private, "allow-private", 0,
		"also connect to addresses of private networks, of this machine and of cloud "
		"metadata services, wherever links, redirects and names lead (default: only if a "
		"URL on the command line contains such an address)"),
	ROW(STRING, settings.dns, "dns", 0,
		"addresses of the DNS servers to use (default: the system's)",
		.metavar = "HOST[:PORT],…"),
	ROW(FLAG, settings.dns_records, "dns-records", 0, "archive the DNS answers for each host"),
	ROW(FLAG, json, "json", 0, "print the report as JSON"),
	ROW(STRING, crawl_log, "crawl-log", 0,
		"append a line for each request to a file, in the columns of Heritrix",
		.metavar = "FILE"),
	ROW(STRING, events, "events", 0,
		"append what happens to a file as JSON lines; - is standard output",
		.metavar = "FILE"),
	ROW(FLAG, quiet, "quiet", 'q', "show no progress, and print no report"),
	ROW(FLAG, verbose, "verbose", 'v', "log what fails, and why"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "crawl",
	.usage = "URL… [OPTION…]",
	.description = "Captures a site: visits every page, then revisits it, politely, in an "
		       "order that lets as many pages as possible be proven unchanged around one "
		       "instant, the still point. Writes an archive (WARC files, an index, a "
		       "catalog) and prints its quality.\n\nURLs of several sites make a capture "
		       "for each, all at once and in one archive.\n\nCtrl-C stops cleanly; "
		       "'stillpoint resume ARCHIVE' continues, also after a crash.",
	.specs = SPECS,
	.max_args = SIZE_MAX,
};

#define SEE_HELP " (try 'stillpoint crawl --help')"

static int set_contact(const char *text, struct crawl_settings *s, struct err *err)
{
	if (!text)
		text = getenv("STILLPOINT_CONTACT");
	if (!text || !text[0])
		return 0;
	if (!contact_is_valid(slice_str(text)))
		return err_set(err, ERR_USAGE,
			"a contact is a URL or a mail address (https://example.org/bot, "
			"me@example.org), not '%.100s'" SEE_HELP,
			text);
	s->contact = text;
	return 0;
}

static int copy_list(const struct option_list *from, struct text_list *to)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < from->len; i++)
		rc = text_list_push(to, from->ptr[i]);
	return rc;
}

/* What is wrong before anything begins. */
static int check(const struct crawl_command *o, struct err *err)
{
	const struct crawl_settings *s = &o->settings;
	int rc = 0;

	if (o->output && !o->output[0])
		return err_set(
			err, ERR_USAGE, "--output is empty; give the name of a directory" SEE_HELP);
	if (s->user_agent && !s->user_agent[0])
		return err_set(err, ERR_USAGE,
			"--user-agent is empty; leave it out to use the default" SEE_HELP);
	if (s->no_cookies && o->cookies)
		return err_set(err, ERR_USAGE, "--cookies and --no-cookies cannot be combined");
	if (s->dns)
		rc = cmd_in_option(net_check_dns(s->dns, err), "dns", err);
	if (rc == 0 && s->ca_file)
		rc = cmd_in_option(net_check_certificates(s->ca_file, err), "cacert", err);
	return rc;
}

/* The lines of the user's rules; text goes into the arena. */
static int set_ignore(
	const char *path, struct arena *arena, struct crawl_settings *s, struct err *err)
{
	struct buf content;
	slice left, line;
	int rc;

	buf_init(&content, IGNORE_FILE_MAX + 1);
	rc = noise_read_file(path, &content, err);
	left = buf_slice(&content);
	while (rc == 0 && rulebook_next_line(&left, &line)) {
		const char *copy = arena_strdup(arena, line);

		rc = err_code(err, copy ? text_list_push(&s->ignore, copy) : ERR_NOMEM);
	}
	buf_release(&content);
	return rc;
}

static int set_rules(struct crawl_command *o, struct arena *arena, struct err *err)
{
	noise_set checked;
	int rc;

	if (o->settings.bytes_only && (o->ignore || o->without.len))
		return err_set(err, ERR_USAGE,
			"--bytes-only applies no rules: leave it out, or --ignore and "
			"--without-rule" SEE_HELP);
	rc = noise_option_rules(&o->without, &checked, err);
	if (rc == 0 && copy_list(&o->without, &o->settings.without_rules))
		rc = err_code(err, ERR_NOMEM);
	return rc == 0 && o->ignore ? set_ignore(o->ignore, arena, &o->settings, err) : rc;
}

/* What options cannot write into the settings themselves. */
static int complete_settings(struct crawl_command *o, struct arena *arena, struct err *err)
{
	struct crawl_settings *s = &o->settings;
	int rc = o->delay ? capture_delay(o->delay, &s->automatic_delay, &s->delay, err) : 0;

	s->scope = (enum scope_kind)o->scope;
	s->max_pages = (uint32_t)o->max_pages;
	s->max_depth = o->max_depth < 0 ? UINT32_MAX : (uint32_t)o->max_depth;
	s->max_outside = (uint32_t)o->max_outside;
	s->no_traps = o->traps != 0;
	s->trap_budget = (uint32_t)o->trap_budget;
	s->jobs = (unsigned)o->jobs;
	s->size = (uint32_t)o->size;
	s->attempts = (unsigned)o->attempts;
	s->warc_coding = (uint32_t)o->warc_coding;
	s->aim = (uint32_t)o->aim;
	s->dust = (uint32_t)o->dust;
	s->mirrors = (uint32_t)o->mirrors;
	s->ignore_robots = o->robots == ROBOTS_IGNORE;
	s->records = o->evidence == EVIDENCE_RECORDS;
	if (rc == 0 && s->warc_prefix && !crawl_prefix_is_valid(slice_str(s->warc_prefix)))
		rc = err_set(err, ERR_USAGE,
			"--warc-prefix is up to 64 letters, digits and . _ -, and begins with a "
			"letter or digit, not '%.70s'" SEE_HELP,
			s->warc_prefix);
	if (rc == 0)
		rc = set_contact(o->contact, s, err);
	if (rc == 0)
		rc = set_rules(o, arena, err);
	if (rc == 0 && (copy_list(&o->surts, &s->surts) || copy_list(&o->includes, &s->includes) ||
			       copy_list(&o->excludes, &s->excludes)))
		rc = err_code(err, ERR_NOMEM);
	return rc;
}

static int find_sites(const struct crawl_command *o, const struct option_args *args,
	const struct seeds *to, struct err *err)
{
	int rc = 0;

	if (args->count == 0 && !o->seeds)
		return err_set(
			err, ERR_USAGE, "a URL is missing; give one, or --seeds FILE" SEE_HELP);
	for (size_t i = 0; rc == 0 && i < args->count; i++)
		rc = seeds_add(to, args->ptr[i], err);
	return rc == 0 && o->seeds ? seeds_read(to, o->seeds, err) : rc;
}

static void warn(const struct crawl_settings *s, const struct seeds *seeds)
{
	if (!s->contact && !s->user_agent && !seeds_are_loopback(seeds))
		(void)fprintf(stderr, "stillpoint: warning: site owners cannot reach you; add "
				      "--contact with a URL or a mail address\n");
	if (s->ignore_robots)
		(void)fprintf(stderr, "stillpoint: warning: --robots ignore: pages that robots.txt "
				      "forbids are captured, too\n");
	if (s->insecure)
		(void)fprintf(stderr, "stillpoint: warning: --insecure: certificates are not "
				      "checked, so nothing proves which server sent the pages\n");
}

static enum cmd_status capture(const char *archive, const struct seeds *seeds,
	const struct crawl_command *o, struct err *err)
{
	const struct sites *sites = seeds->sites;
	struct crawl_results results = {0};
	struct capture_view view;
	enum cmd_status status;
	int rc = capture_view_init(&view,
		&(struct capture_look){
			"crawl", (unsigned)o->lanes, o->quiet, o->crawl_log, o->events},
		err);

	view.options.secrets = seeds->secrets;
	if (rc || crawl_start(archive, sites->list.ptr, sites->list.len, &view.options, &results,
			  err)) {
		progress_clear(&view.progress);
		status = cmd_fail("crawl", err);
	} else {
		status = capture_view_finish(&view, archive, &results, o->json);
	}
	capture_view_release(&view);
	crawl_results_release(&results);
	return status;
}

static int prepare(struct crawl_command *o, const struct option_args *args,
	const struct seeds *seeds, struct err *err)
{
	int rc = check(o, err);

	if (rc == 0)
		rc = complete_settings(o, seeds->sites->arena, err);
	if (rc == 0)
		rc = capture_secrets(&(struct capture_given){&o->auth, &o->headers, o->cookies,
					     o->proxy, o->auth_file, o->header_file, o->proxy_file},
			seeds->sites->arena, &o->settings, seeds->secrets, err);
	if (rc == 0)
		rc = find_sites(o, args, seeds, err);
	if (rc == 0)
		rc = seeds_finish(seeds, &o->settings, err);
	if (rc == 0 && !cmd_strategy(o->settings.strategy, false, err))
		rc = ERR_USAGE;
	return rc;
}

static enum cmd_status run(
	struct crawl_command *o, const struct option_args *args, struct arena *arena)
{
	char archive[PATH_MAX];
	struct crawl_secrets secrets = {0};
	struct sites sites;
	struct seeds seeds = {&sites, &secrets};
	struct err err = {0};
	enum cmd_status status;

	sites_init(&sites, &o->settings, arena);
	if (prepare(o, args, &seeds, &err) ||
		(!o->output && seeds_archive_name(&seeds, o->seeds, archive, sizeof archive, &err)))
		status = cmd_fail("crawl", &err);
	else {
		const char *name = o->output ? o->output : archive;

		warn(&o->settings, &seeds);
		capture_guard_files(name, crawl_secrets_are_in(&o->settings));
		status = capture(name, &seeds, o, &err);
	}
	sites_release(&sites);
	crawl_secrets_release(&secrets);
	return status;
}

enum cmd_status cmd_crawl(int argc, char **argv)
{
	struct crawl_command o = {
		.scope = SCOPE_HOST,
		.max_depth = -1,
		.max_outside = CRAWL_MAX_OUTSIDE,
		.trap_budget = TRAPS_BUDGET,
		.jobs = 1,
		.warc_coding = WARC_CODING_GZIP,
	};
	struct option_args args;
	struct arena arena;
	enum cmd_status status;

	crawl_settings_init(&o.settings);
	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	cmd_log(o.verbose);
	arena_init(&arena, (size_t)1 << 30);
	status = run(&o, &args, &arena);
	arena_release(&arena);
	crawl_settings_release(&o.settings);
	options_release(&OPTIONS, &o);
	return status;
}
