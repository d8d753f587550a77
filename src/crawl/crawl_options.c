#include "crawl/crawl_options.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/retire.h"
#include "archive/text_input.h"
#include "archive/topic_file.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/closest.h"
#include "crawl/crawl.h"
#include "crawl/gate.h"
#include "crawl/settings.h"
#include "formats/robots.h"
#include "formats/url_pattern.h"
#include "net/net.h"
#include "net/pace.h"
#include "plan/rank_order.h"
#include "plan/refresh_policy.h"
#include "proof/noise_rules.h"
#include "proof/rulebook.h"
#include "text/topic.h"
#include "warc/warc_input.h"

/* ---- options ---- */

enum {
	TOPIC_LINE_MAX = 1 << 20,
	OPERATOR_MAX = 500, /* bytes */
};

static const char *const ROBOTS[] = {"obey", "ignore", NULL};
static const char *const EVIDENCE[] = {"records", "compact", NULL};
static const char *const SWITCH[] = {"on", "off", NULL};
/* By enum crawl_spam, crawl_dust, crawl_mirrors, crawl_earlier, scope_kind, warc_coding. */
static const char *const SPAM[] = {"flag", "skip", "off", NULL};
static const char *const DUST[] = {"learn", "apply", "off", NULL};
static const char *const MIRRORS[] = {"flag", "skip", "off", NULL};
static const char *const EARLIER[] = {"pages", "size", "off", NULL};
static const char *const SCOPES[] = {"page", "prefix", "host", "domain", NULL};
static const char *const WARC_CODINGS[] = {"none", "gzip", "zstd", NULL};

/* ---- what values must be ---- */

static int check_output(const char *value, struct err *err)
{
	return value[0] ? 0 : err_set(err, ERR_USAGE, "is empty; give the name of a directory");
}

static int check_agent(const char *value, struct err *err)
{
	return value[0] ? 0 : err_set(err, ERR_USAGE, "is empty; leave it out to use the default");
}

static int check_strategy(const char *value, struct err *err)
{
	struct err why = {0};

	if (strategy_named(value, false, &why))
		return 0;
	return err_set(err, ERR_USAGE, "is wrong: %s", why.text);
}

static int check_prefix(const char *value, struct err *err)
{
	if (crawl_prefix_is_valid(slice_str(value)))
		return 0;
	return err_set(err, ERR_USAGE,
		"is up to 64 letters, digits and . _ -, and begins with a letter or digit, not "
		"'%.70s'",
		value);
}

/* It stands in a line of its own. */
static int check_operator(const char *value, struct err *err)
{
	if (value[0] && strlen(value) <= OPERATOR_MAX && !strpbrk(value, "\r\n"))
		return 0;
	return err_set(
		err, ERR_USAGE, "is wrong: give one line of at most %d bytes", (int)OPERATOR_MAX);
}

static int check_contact(const char *value, struct err *err)
{
	if (!value[0] || contact_is_valid(slice_str(value)))
		return 0;
	return err_set(err, ERR_USAGE,
		"is wrong: a contact is a URL or a mail address (https://example.org/bot, "
		"me@example.org), not '%.100s'",
		value);
}

static int check_hours(const char *value, struct err *err)
{
	static const char NAME[] = "--hours: ";
	struct windows unused;
	struct err why = {0};
	int rc = gate_parse_hours(&unused, value, &why);
	bool is_named = strncmp(why.text, NAME, strlen(NAME)) == 0;

	return rc ? err_set(err, ERR_USAGE, "%s", why.text + (is_named ? strlen(NAME) : 0)) : 0;
}

static int check_pattern(const char *value, struct err *err)
{
	struct pattern *pattern = NULL;
	struct err why = {0};
	int rc = pattern_compile(slice_str(value), &pattern, &why);

	pattern_free(pattern);
	return rc ? err_set(err, ERR_USAGE, "'%.100s': %s", value, why.text) : 0;
}

/* What follows the option's name in a message: a sentence that began without it. */
static int in_place(int rc, const struct err *why, struct err *err)
{
	return rc ? err_set(err, ERR_USAGE, "is wrong: %s", why->text) : 0;
}

static int check_dns(const char *value, struct err *err)
{
	struct err why = {0};

	return in_place(net_check_dns(value, &why), &why, err);
}

static int check_certificates(const char *value, struct err *err)
{
	struct err why = {0};

	return in_place(net_check_certificates(value, &why), &why, err);
}

static int check_rule(const char *value, struct err *err)
{
	struct err why = {0};
	enum proof_rule_id unused;

	return in_place(proof_rule_read(value, &unused, &why), &why, err);
}

static const char WEIGHTS_FILE[] = "weights=";

static bool is_weights_file(const char *order)
{
	size_t len = sizeof WEIGHTS_FILE - 1;

	return strncmp(order, WEIGHTS_FILE, len) == 0 && order[len];
}

/* The number of an order that needs no file; RANK_WEIGHTS: there is none of that name. */
static uint32_t find_order(const char *name)
{
	uint32_t order = RANK_BREADTH;

	while (order < RANK_WEIGHTS && strcmp(name, RANK_ORDERS[order]) != 0)
		order++;
	return order;
}

static int check_order(const char *value, struct err *err)
{
	if (is_weights_file(value) || find_order(value) < RANK_WEIGHTS)
		return 0;
	return err_set(err, ERR_USAGE,
		"is breadth, indegree, pagerank, opic, sitemap, site-backlog or weights=FILE, not "
		"'%.100s'",
		value);
}

static int check_policy(const char *value, struct err *err)
{
	struct closest c;

	if (refresh_policy_find(value))
		return 0;
	closest_init(&c, value);
	for (size_t i = 0; refresh_policy_at(i); i++)
		closest_offer(&c, refresh_policy_at(i)->name);
	return err_set(err, ERR_USAGE,
		"is wrong: unknown policy '%.60s'%s%s%s (see docs/watching.md)", value,
		closest_get(&c) ? ", did you mean '" : "", closest_get(&c) ? closest_get(&c) : "",
		closest_get(&c) ? "'?" : "");
}

static int check_retention(const char *value, struct err *err)
{
	struct retention unused;
	struct err why = {0};

	return in_place(retention_parse(slice_str(value), &unused, &why), &why, err);
}

/* ---- the table ---- */

/* Groups, in the order of help. */
static const char WHAT[] = "What and where", PAGES[] = "Which pages", PLAN[] = "Time and plan",
		  MANNERS[] = "Manners", ACCESS[] = "Access", COMPARE[] = "Comparing",
		  WIRE[] = "Connections and limits", STORE[] = "Archive files", OUTPUT[] = "Output",
		  WATCHED[] = "Of a watch";

/* Why values have no effect in a watch. */
#define NO_WATCH(why_) .unfit[CRAWL_BY_WATCH] = (why_)
#define NO_LEGS        NO_WATCH("is for captures: a watch has no visits and revisits")
#define NO_REPORT      NO_WATCH("is for captures: a watch prints no report")

/*
 * Kind without OPTION_, member, name, letter or 0, group, tags, help; then other members of the row
 * by name. A SET is saved with the capture, a RUN is not.
 */
#define ROW(kind_, member_, name_, letter_, group_, tags_, ...)                            \
	{                                                                                  \
		.kind = OPTION_##kind_, .offset = offsetof(struct crawl_command, member_), \
		.name = (name_), .letter = (letter_), .group = (group_), .tags = (tags_),  \
		.help = __VA_ARGS__                                                        \
	}
#define SET(kind_, member_, name_, letter_, group_, tags_, ...) \
	ROW(kind_, settings.member_, name_, letter_, group_, tags_, __VA_ARGS__, .saved = #member_)
#define GONE(name_, instead_)                                            \
	{                                                                \
		.kind = OPTION_GONE, .name = (name_), .help = (instead_) \
	}

const struct option_spec CRAWL_SPECS[] = {
	ROW(STRING, output, "output", 'o', WHAT, CRAWL_WIDE | CRAWL_BASIC | CRAWL_ELSEWHERE,
		"directory of the archive; an existing archive gets one more capture (default: "
		"HOST.stillpoint of the first URL, HOST-PORT.stillpoint if it has a port, or the "
		"name of the --seeds file)",
		.metavar = "ARCHIVE", .check = check_output),
	ROW(STRING, output, "archive", 0, WHAT, CRAWL_WIDE | CRAWL_FILE | CRAWL_ELSEWHERE,
		"the same as output", .metavar = "ARCHIVE", .check = check_output),
	ROW(STRING, config, "config", 0, WHAT,
		CRAWL_LINE | CRAWL_RUN | CRAWL_BASIC | CRAWL_ELSEWHERE,
		"read options and sites from a YAML file ('-' is standard input), see "
		"docs/config.md; options of the command line go before those of the file",
		.metavar = "FILE"),
	ROW(FLAG, print_config, "print-config", 0, WHAT, CRAWL_LINE | CRAWL_ELSEWHERE,
		"print the configuration that counts, as such a file, and capture nothing"),
	ROW(STRING, seeds, "seeds", 0, WHAT, CRAWL_BASIC | CRAWL_ELSEWHERE,
		"read URLs from a file, one per line ('#' starts a comment; '-' is standard input)",
		.metavar = "FILE"),
	SET(CHOICE, scope, "scope", 0, PAGES, CRAWL_OWN | CRAWL_BASIC,
		"how much of the site a URL means: itself, its directory, its host, or its "
		"registered domain",
		.choices = SCOPES, .usual = "host"),
	SET(LIST, includes, "include", 'i', PAGES, CRAWL_OWN | CRAWL_BASIC | CRAWL_CHANGES,
		"also capture URLs that match (repeatable); with resume also those that were left "
		"out before",
		.metavar = "REGEX", .check = check_pattern),
	SET(LIST, excludes, "exclude", 'x', PAGES, CRAWL_OWN | CRAWL_BASIC,
		"leave out URLs that match, even if another rule includes them (repeatable)",
		.metavar = "REGEX", .check = check_pattern),
	SET(LIST, surts, "surt", 0, PAGES, CRAWL_OWN | CRAWL_CHANGES,
		"also capture URLs whose SURT begins with this (repeatable)", .metavar = "PREFIX"),
	SET(UINT, max_pages, "max-pages", 0, PAGES, CRAWL_OWN | CRAWL_BASIC | CRAWL_CHANGES,
		"take no more pages than this; resume with a larger number takes those that were "
		"refused as far as there is room",
		.min = 1, .max = UINT32_MAX - 1),
	SET(UINT, max_depth, "max-depth", 0, PAGES, CRAWL_OWN | CRAWL_BASIC | CRAWL_CHANGES,
		"follow no more links in a row than this", .max = INT32_MAX),
	SET(FLAG, no_requisites, "no-requisites", 0, PAGES, CRAWL_OWN,
		"do not fetch what pages embed from outside the scope"),
	SET(FLAG, no_sitemaps, "no-sitemaps", 0, PAGES, CRAWL_OWN, "do not ask for sitemaps"),
	SET(UINT, max_outside, "max-outside", 0, PAGES, CRAWL_OWN,
		"keep no more URLs outside the scope than this; others are counted",
		.max = UINT32_MAX - 1, .usual = "1000000"),
	SET(SWITCH, no_traps, "traps", 0, PAGES, CRAWL_OWN,
		"on: parts of a site that continue without new content are left out beyond their "
		"budget, and each host is asked once for a page that cannot exist, to recognise "
		"its soft 404s",
		.choices = SWITCH, .usual = "on"),
	SET(FLAG, all_views, "views", 0, PAGES, CRAWL_OWN,
		"take views of pages (edit, history, old revisions, print versions …) like all "
		"other pages; without it they come last, and are at most a tenth of the pages"),
	SET(UINT, trap_budget, "trap-budget", 0, PAGES, CRAWL_OWN,
		"URLs of one shape to fetch although they show nothing new", .min = 1,
		.max = 100000000, .usual = "1000"),
	SET(CHOICE, spam, "spam", 0, PAGES, CRAWL_OWN,
		"what to do with pages that look like spam: flag them in the report, skip their "
		"links and revisits, or off: do not look",
		.choices = SPAM, .usual = "flag"),
	SET(UINT, forms, "forms", 0, PAGES, CRAWL_OWN,
		"send search forms up to this many queries for each site, to reach pages that no "
		"link leads to (0: forms are never sent)",
		.max = 1000000, .usual = "0"),
	SET(CHOICE, dust, "dust", 0, PAGES, CRAWL_OWN,
		"URLs that show what another one shows (session ids, index.html, parameters that "
		"change nothing, print versions …): 'learn' reports the rules that the capture "
		"found, 'apply' confirms them by a few requests and leaves such URLs out",
		.choices = DUST, .usual = "learn",
		NO_WATCH("is for captures: rules are confirmed when all visits are made, and a "
			 "watch has no such moment")),
	SET(CHOICE, mirrors, "mirrors", 0, PAGES, CRAWL_OWN,
		"hosts that serve the same as another one: 'flag' reports them, 'skip' leaves "
		"their pages out",
		.choices = MIRRORS, .usual = "flag"),
	ROW(STRING, order, "order", 0, PAGES, 0,
		"which pages are visited when not all can be, and which are worth most: breadth, "
		"indegree, pagerank, opic, sitemap, site-backlog, or weights=FILE, a CSV file with "
		"the header url,weight (default: none)",
		.metavar = "NAME", .check = check_order),
	SET(STRING, topic, "topic", 0, PAGES, CRAWL_OWN,
		"visit pages about this first, and leave what does not promise any: a file or a "
		"directory with example pages (text or HTML), or else words",
		.metavar = "FILE|WORDS"),
	SET(SWITCH, unweighted, "weight", 0, PAGES, CRAWL_OWN,
		"whether what --order says of a page is its weight for the plan, too",
		.choices = SWITCH, .usual = "on"),
	SET(UINT, host_budget, "host-budget", 0, PAGES, CRAWL_OWN,
		"visit no more pages of each host than this; auto: hosts that lead to more new "
		"pages get a larger share, and every host gets some",
		.metavar = "auto|N", .min = 1, .max = CRAWL_BUDGET_AUTO - 1, .word = "auto",
		.word_value = CRAWL_BUDGET_AUTO),
	SET(STRING, strategy, "strategy", 's', PLAN, CRAWL_OWN | CRAWL_BASIC,
		"order of visits and revisits; 'stillpoint plan --list-strategies' lists them",
		.metavar = "NAME", .check = check_strategy, .usual = "stillpoint", NO_LEGS),
	SET(FLAG, single, "single", 0, PLAN, CRAWL_OWN | CRAWL_BASIC,
		"visit only, in the strategy's order", NO_LEGS),
	SET(DURATION, time_limit, "time-limit", 't', PLAN, CRAWL_OWN | CRAWL_BASIC | CRAWL_CHANGES,
		"end after this time; if it is too short for two downloads of every page, visits "
		"stop in time for the revisits that --aim wants; time between two runs does not "
		"count",
		.max = 1e9, .bounds = OPTION_ABOVE_MIN,
		NO_WATCH("is for captures: a watch runs until it is stopped")),
	SET(SIZE, max_bytes, "max-bytes", 0, PLAN, CRAWL_OWN | CRAWL_CHANGES,
		"download no more than this in all; as with --time-limit, visits stop in time for "
		"the revisits that --aim wants",
		.min = 1, .max = 1e18,
		NO_WATCH("is for captures: a watch has bytes per day in its budget")),
	SET(CHOICE, aim, "aim", 0, PLAN, CRAWL_OWN,
		"what a limit that is too small is spent on: 'sharp' for most sharp pages, "
		"'complete' for most pages, 'balanced' to revisit what is more likely than not to "
		"be sharp",
		.choices = PLAN_AIMS, .usual = "balanced", NO_LEGS),
	SET(FLAG, plan_apart, "plan-apart", 0, PLAN, CRAWL_OWN,
		"plan every server and every requisite for itself: no common end of the visits, "
		"and no regard for whole pages; to compare with",
		NO_LEGS),
	SET(STRING, rates, "rates", 'r', PLAN, CRAWL_OWN,
		"how often pages change: CSV with the header "
		"url,rate[,weight][,shape] (or page for url), "
		"in changes per second",
		.metavar = "CSV"),
	SET(UINT, size, "size", 0, PLAN, CRAWL_OWN, "estimated number of pages of the site",
		.min = 1, .max = UINT32_MAX - 1, NO_LEGS),
	SET(CHOICE, earlier, "earlier", 0, PLAN, CRAWL_OWN,
		"what the plan is told of an earlier capture of the same site in the archive: its "
		"'pages', so that they need not be found again, only their number ('size'), or "
		"nothing: off",
		.choices = EARLIER, .usual = "pages", NO_LEGS),
	SET(UINT, attempts, "attempts", 0, PLAN, CRAWL_OWN, "tries of a page in each leg", .min = 1,
		.max = 100, .usual = "3",
		NO_WATCH("is for captures: a watch tries a page that failed again, ever more "
			 "rarely")),
	SET(DURATION, delay, "delay", 'd', MANNERS, CRAWL_BASIC | CRAWL_CHANGES,
		"pause from the end of a request to the start of the next on the same host; auto "
		"is ten times the last response time, from 1 s to 60 s; Crawl-delay and "
		"Retry-After count as well",
		.metavar = "auto|DURATION", .max = 86400, .usual = "auto", .word = "auto",
		.word_value = CRAWL_DELAY_AUTO),
	SET(UINT, jobs, "jobs", 'j', MANNERS, CRAWL_CHANGES, "requests to a host at once", .min = 1,
		.max = PACE_JOBS_MAX, .usual = "1"),
	SET(STRING, hours, "hours", 0, MANNERS, CRAWL_BASIC | CRAWL_CHANGES,
		"start requests only at these hours, local time: 22-06, or 22:30-06:00,12-13 "
		"(default: always)",
		.metavar = "FROM-TO", .check = check_hours),
	SET(SIZE, bandwidth, "bandwidth", 0, MANNERS, CRAWL_CHANGES,
		"receive no more bytes per second than this (default: no limit)", .min = 1024,
		.max = 1e12),
	SET(STRING, contact, "contact", 0, MANNERS, CRAWL_BASIC | CRAWL_CHANGES,
		"how site owners can reach you: a URL or a mail address; goes into the user agent "
		"and the archive (default: the environment variable STILLPOINT_CONTACT)",
		.metavar = "URL|MAIL", .check = check_contact),
	SET(STRING, operator, "operator", 0, MANNERS, 0,
		"who answers for the capture, such as a name and an institution; goes into the "
		"archive and its reports",
		.metavar = "TEXT", .check = check_operator),
	SET(STRING, user_agent, "user-agent", 'A', MANNERS, 0,
		"User-Agent to send, instead of the default with --contact; robots.txt rules for "
		"its product token apply",
		.metavar = "TEXT", .check = check_agent),
	SET(SWITCH, ignore_robots, "robots", 0, MANNERS, CRAWL_BASIC,
		"whether to obey robots.txt; it is archived and its Crawl-delay obeyed in either "
		"case",
		.choices = ROBOTS, .usual = "obey"),
	SET(DURATION, robots_age, "robots-age", 0, MANNERS, CRAWL_CHANGES,
		"fetch robots.txt again after this time, at most 24h", .max = ROBOTS_FRESH_SECONDS,
		.bounds = OPTION_ABOVE_MIN, .usual = "24h"),
	SET(DURATION, down_after, "down-after", 0, MANNERS, CRAWL_CHANGES,
		"a server that has not answered for this long is down: its pages fail at once, "
		"until it answers",
		.max = 1e9, .bounds = OPTION_ABOVE_MIN, .usual = "5m"),
	ROW(STRING, login, "login", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN | CRAWL_BASIC,
		"log in by a form, and again when the session is lost: a YAML file with url, "
		"fields and sentinel, see docs/config.md",
		.metavar = "FILE"),
	ROW(STRING, cookies, "cookies", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN | CRAWL_BASIC,
		"start with the cookies of this file (Netscape format)", .metavar = "FILE"),
	ROW(STRING, proxy, "proxy", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN | CRAWL_SECRET | CRAWL_BASIC,
		"fetch through http://, socks5:// or socks5h://[USER:PASSWORD@]HOST:PORT",
		.metavar = "URL"),
	ROW(STRING, proxy_file, "proxy-file", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN,
		"read the proxy's URL from a file, to hide its password from other users",
		.metavar = "FILE"),
	ROW(LIST, auth, "auth", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN | CRAWL_SECRET,
		"log in at the seeds' hosts (basic); or https://USER:PASSWORD@HOST/ for one host "
		"(repeatable)",
		.metavar = "USER:PASSWORD"),
	ROW(STRING, auth_file, "auth-file", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN,
		"read --auth passwords from a file, one per line (default: the environment "
		"variable STILLPOINT_AUTH)",
		.metavar = "FILE"),
	ROW(LIST, header, "header", 'H', ACCESS, CRAWL_WIDE | CRAWL_RUN | CRAWL_SECRET,
		"also send this field (repeatable); fields that may hold a key go only to the "
		"seeds' hosts and are not archived",
		.metavar = "NAME:VALUE"),
	ROW(STRING, header_file, "header-file", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN,
		"read --header fields from a file, one per line, to hide them from other users",
		.metavar = "FILE"),
	ROW(STRING, cert, "cert", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN,
		"show this client certificate (PEM) to the seeds' hosts, if they ask for one",
		.metavar = "FILE"),
	ROW(STRING, key, "key", 0, ACCESS, CRAWL_WIDE | CRAWL_RUN,
		"its private key (PEM, without a password), if it is not in the same file",
		.metavar = "FILE"),
	SET(FLAG, no_cookies, "no-cookies", 0, ACCESS, 0, "neither accept nor send cookies"),
	SET(FLAG, keep_secrets, "keep-secrets", 0, ACCESS, 0,
		"archive requests with their cookies and passwords"),
	SET(FLAG, bytes_only, "bytes-only", 0, COMPARE, 0,
		"call pages sharp only if both downloads are equal byte for byte: no rules against "
		"noise"),
	SET(LIST, without_rules, "without-rule", 0, COMPARE, 0,
		"switch this rule against noise off; may be given several times (inspect change "
		"--list-rules prints them)",
		.metavar = "NAME", .check = check_rule),
	ROW(STRING, ignore, "ignore", 0, COMPARE, 0,
		"rules of your own: what to ignore in pages, and what a page must have, see "
		"docs/judgement.md",
		.metavar = "FILE"),
	SET(FLAG, no_probes, "no-probes", 0, COMPARE, 0,
		"do not fetch some pages once more to learn what varies by itself; such probes are "
		"at most 6 % of the requests, or 8",
		NO_WATCH("is for captures: a watch makes no probes")),
	SET(FLAG, cloaking, "cloaking", 0, COMPARE, CRAWL_OWN,
		"fetch some pages (2 %, at least 4) once more as a browser would, and report where "
		"it gets another page",
		NO_WATCH("is for captures: a watch makes no probes")),
	SET(DURATION, timeout, "timeout", 0, WIRE, CRAWL_CHANGES,
		"give up a request after this; connecting may take half of it, up to 30s, and less "
		"than 64 bytes/s last half of it, up to 60s (above 1h more, in proportion)",
		.max = 1e6, .bounds = OPTION_ABOVE_MIN, .usual = "1h"),
	SET(SIZE, max_body, "max-body", 0, WIRE, CRAWL_CHANGES, "cut bodies at this size", .min = 1,
		.max = 1e15, .usual = "2G"),
	SET(SIZE, memory, "memory", 0, WIRE, CRAWL_CHANGES,
		"memory for what grows with the URLs that are known; what is more goes on in "
		"files of the archive's directory",
		.min = 16 << 20, .max = 1e15, .usual = "1G"),
	SET(SIZE, min_free, "min-free", 0, WIRE, CRAWL_CHANGES,
		"pause while less than this is free on the archive's disk; 0 for never",
		.max = 1e15, .usual = "128M"),
	SET(FLAG, http2, "http2", 0, WIRE, 0, "use HTTP/2 with https servers that support it"),
	SET(STRING, ca_file, "cacert", 0, WIRE, 0, "also trust these certificates (PEM)",
		.metavar = "FILE", .check = check_certificates),
	SET(FLAG, insecure, "insecure", 0, WIRE, 0, "do not check certificates"),
	SET(FLAG, allow_private, "allow-private", 0, WIRE, 0,
		"also connect to addresses of private networks, of this machine and of cloud "
		"metadata services, wherever links, redirects and names lead (default: only if a "
		"URL on the command line contains such an address)"),
	SET(STRING, dns, "dns", 0, WIRE, CRAWL_CHANGES,
		"addresses of the DNS servers to use (default: the system's)",
		.metavar = "HOST[:PORT],…", .check = check_dns),
	SET(FLAG, dns_records, "dns-records", 0, WIRE, CRAWL_CHANGES,
		"archive the DNS answers for each host"),
	ROW(INT, lanes, "lanes", 0, WIRE, CRAWL_WIDE | CRAWL_RUN,
		"threads to capture several sites with (default: one for each processor)", .min = 1,
		.max = CRAWL_LANES_MAX),
	SET(SIZE, warc_size, "warc-size", 0, STORE, CRAWL_CHANGES,
		"start a new WARC file at this size", .min = 1, .max = 1e15, .usual = "1G"),
	SET(STRING, warc_prefix, "warc-prefix", 0, STORE, CRAWL_CHANGES,
		"what the names of WARC files begin with (default: stillpoint)",
		.metavar = "PREFIX", .check = check_prefix),
	ROW(FLAG, warc_per_site, "warc-per-site", 0, STORE, CRAWL_WIDE,
		"give each site a series of WARC files of its own, with its host in their names"),
	SET(SWITCH, compact, "evidence", 0, STORE, 0,
		"how looks that found nothing new are archived: records, a revisit record each, "
		"which other tools read; or compact, many in one record (default of a watch)",
		.choices = EVIDENCE, .usual = "records"),
	SET(CHOICE, warc_coding, "warc-compression", 0, STORE, CRAWL_CHANGES,
		"how records are compressed, each by itself; zstd is read faster, but not by every "
		"tool yet",
		.choices = WARC_CODINGS, .usual = "gzip"),
	ROW(FLAG, json, "json", 0, OUTPUT, CRAWL_WIDE | CRAWL_RUN | CRAWL_BASIC,
		"print the report as JSON", NO_REPORT),
	ROW(STRING, crawl_log, "crawl-log", 0, OUTPUT, CRAWL_WIDE | CRAWL_RUN,
		"append a line for each request to a file, in the columns of Heritrix",
		.metavar = "FILE"),
	ROW(STRING, events, "events", 0, OUTPUT, CRAWL_WIDE | CRAWL_RUN,
		"append what happens to a file as JSON lines; - is standard output",
		.metavar = "FILE"),
	ROW(FLAG, quiet, "quiet", 'q', OUTPUT, CRAWL_WIDE | CRAWL_RUN | CRAWL_BASIC,
		"show no progress, and print no report", NO_REPORT),
	ROW(FLAG, verbose, "verbose", 'v', OUTPUT, CRAWL_WIDE | CRAWL_RUN,
		"log what fails, and why",
		NO_WATCH("is for captures: give watch --verbose on the command line")),
	ROW(FLAG, retry_failed, "retry-failed", 0, OUTPUT, CRAWL_OF_RESUME | CRAWL_ELSEWHERE,
		"ask once more for pages that failed, if the visits are not over"),
	ROW(FLAG, revisit_now, "revisit-now", 0, OUTPUT, CRAWL_OF_RESUME | CRAWL_ELSEWHERE,
		"end the visits and begin the revisits; pages not yet visited stay unvisited"),
	ROW(STRING, policy, "policy", 0, WATCHED, CRAWL_FILE | CRAWL_OF_WATCH,
		"what a look is worth: docs/watching.md", .metavar = "NAME", .check = check_policy,
		.usual = "fresh"),
	ROW(STRING, windows, "windows", 0, WATCHED, CRAWL_FILE | CRAWL_OF_WATCH,
		"hours of a watch alone", .metavar = "FROM-TO", .check = check_hours),
	ROW(DURATION, grid, "grid", 0, WATCHED, CRAWL_FILE | CRAWL_OF_WATCH,
		"sharp: time between two instants", .min = CRAWL_GRID_MIN, .max = 1e9),
	ROW(DOUBLE, theta, "theta", 0, WATCHED, CRAWL_FILE | CRAWL_OF_WATCH,
		"hacs: probability of a change", .max = 1, .bounds = OPTION_BELOW_MAX),
	ROW(DURATION, use, "use", 0, WATCHED, CRAWL_FILE | CRAWL_OF_WATCH,
		"longevity: how long content must last", .max = 1e9),
	ROW(STRING, ping, "ping", 0, WATCHED, CRAWL_WIDE | CRAWL_FILE | CRAWL_OF_WATCH,
		"where pings are heard", .metavar = "HOST:PORT"),
	ROW(STRING, retention, "retention", 0, WATCHED, CRAWL_WIDE | CRAWL_FILE | CRAWL_OF_WATCH,
		"which versions stay", .metavar = "RULES", .check = check_retention),
	GONE("tau", "the default of 0.7 counts; 'stillpoint plan --tau' plans with others"),
	GONE("max-header", "heads of up to 256 KiB are read"),
	GONE("variant-language", "give --header 'Accept-Language: TAG' to capture in a language"),
	GONE("connect-timeout", "it is half of --timeout, up to 30s"),
	GONE("stall-timeout", "it is half of --timeout, up to 60s"),
	{.name = NULL},
};

_Static_assert(offsetof(struct crawl_command, settings) == 0, "offsets serve both");
_Static_assert(sizeof CRAWL_SPECS / sizeof CRAWL_SPECS[0] <= CRAWL_OPTIONS_MAX, "too many rows");

static bool is_basic(const struct option_spec *s)
{
	return s->tags & CRAWL_BASIC;
}

static const char *crawl_refuses(const struct option_spec *s)
{
	if (s->tags & CRAWL_OF_RESUME)
		return "is for stillpoint resume";
	return s->tags & CRAWL_FILE ? "is a key of configuration files, see docs/config.md" : NULL;
}

/* What a capture has been begun with stays, or its pages would not have been treated alike. */
static const char *resume_refuses(const struct option_spec *s)
{
	if (s->kind == OPTION_GONE || s->tags & (CRAWL_CHANGES | CRAWL_RUN | CRAWL_OF_RESUME))
		return NULL;
	if (s->tags & CRAWL_FILE)
		return crawl_refuses(s);
	return "cannot change once a capture has begun";
}

static const char *crawl_refuses_top(const struct option_spec *s)
{
	return (s->tags & (CRAWL_LINE | CRAWL_OF_RESUME)) ? "is for the command line only" : NULL;
}

/* Why a key cannot be used, or has no effect, for config_read: at the top of a file and in one of
 * its sites. */
static const char *crawl_refuses_site(const struct option_spec *s)
{
	if (s->tags & CRAWL_WIDE)
		return "is for all sites together; put it at the top of the file";
	return crawl_refuses_top(s);
}

static const char *crawl_ignores(const struct option_spec *s)
{
	return s->tags & CRAWL_OF_WATCH ? "" : NULL;
}

static const char *watch_ignores(const struct option_spec *s)
{
	return s->unfit[CRAWL_BY_WATCH];
}

const struct options CRAWL_OPTIONS = {
	.program = "stillpoint",
	.command = "crawl",
	.usage = "URL… [OPTION…]\n--config FILE [URL…] [OPTION…]",
	.description = "Captures a site: visits every page, then revisits it, politely, in an "
		       "order that lets as many pages as possible be proven unchanged around one "
		       "instant, the still point. Writes an archive (WARC files, an index, a "
		       "catalog) and prints its quality.\n\nURLs of several sites make a capture "
		       "for each, all at once and in one archive.\n\nCtrl-C stops cleanly; "
		       "'stillpoint resume ARCHIVE' continues, also after a crash.",
	.specs = CRAWL_SPECS,
	.max_args = SIZE_MAX,
	.refuses = crawl_refuses,
	.is_basic = is_basic,
	.given = offsetof(struct crawl_command, given),
};

const struct options RESUME_OPTIONS = {
	.program = "stillpoint",
	.command = "resume",
	.usage = "ARCHIVE [OPTION…]",
	.description = "Continues all unfinished captures of an archive with the same settings, "
		       "but for those that are given here: they count from now on, for later "
		       "runs, too. "
		       "Passwords, keys and cookies are not in the archive: give those that a "
		       "capture was started with again. What a crash left unfinished in a WARC "
		       "file is moved to a file of its own, never deleted.",
	.specs = CRAWL_SPECS,
	.min_args = 1,
	.max_args = 1,
	.refuses = resume_refuses,
	.given = offsetof(struct crawl_command, given),
};

void crawl_command_init(struct crawl_command *o)
{
	*o = (struct crawl_command){0};
	crawl_settings_init(&o->settings);
	options_init(CRAWL_SPECS, o);
}

void crawl_command_release(struct crawl_command *o)
{
	crawl_settings_release(&o->settings);
	options_release(&CRAWL_OPTIONS, o);
}

bool crawl_command_has(const struct crawl_command *o, const void *field)
{
	size_t offset = (size_t)((const char *)field - (const char *)o);

	for (size_t i = 0; CRAWL_SPECS[i].name; i++)
		if (CRAWL_SPECS[i].offset == offset && CRAWL_SPECS[i].kind != OPTION_GONE &&
			o->given[i])
			return true;
	return false;
}

/* ---- settings ---- */

/* The environment says it where no option does. */
static int set_contact(struct crawl_settings *s, struct err *err)
{
	const char *given = getenv("STILLPOINT_CONTACT");

	if (s->contact && !s->contact[0]) { /* nobody, whatever the environment says */
		s->contact = NULL;
	} else if (!s->contact && given && given[0]) {
		s->contact = given;
		if (check_contact(given, err)) {
			err_prefix(err, "STILLPOINT_CONTACT");
			return err->code;
		}
	}
	return 0;
}

/* What cannot be combined. */
static int check(const struct crawl_command *o, struct err *err)
{
	const struct crawl_settings *s = &o->settings;

	if (s->no_cookies && (o->cookies || o->login))
		return err_set(err, ERR_USAGE, "--%s and --no-cookies cannot be combined",
			o->cookies ? "cookies" : "login");
	if (s->bytes_only && (o->ignore || s->without_rules.len))
		return err_set(err, ERR_USAGE,
			"--bytes-only applies no rules: leave it out, or --ignore and "
			"--without-rule" CRAWL_SEE_HELP);
	return 0;
}

/* The lines of the user's rules; text goes into the arena. */
static int set_ignore(
	const char *path, struct arena *arena, struct crawl_settings *s, struct err *err)
{
	BUF_SCOPED(content, IGNORE_FILE_MAX + 1);
	slice left, line;

	TRY(ignore_file_read(path, &content, err));
	left = buf_slice(&content);
	while (rulebook_next_line(&left, &line))
		text_list_push(&s->ignore, arena_keep(arena, line).ptr);
	return 0;
}

/* A file or directory of that name; else they are words. */
static int set_topic(struct crawl_settings *s, struct arena *arena, struct err *err)
{
	SCOPED(topic_release) struct topic topic = {0};
	BUF_SCOPED(line, TOPIC_LINE_MAX);
	const char *text = s->topic;
	int rc = access(text, F_OK) == 0 ? topic_file_read(text, &line, err)
					 : err_code(err, buf_printf(&line, "words %s", text));

	s->topic = rc ? NULL : arena_keep(arena, buf_slice(&line)).ptr;
	if (rc == 0)
		rc = topic_read(&topic, slice_str(s->topic), NULL);
	if (rc == ERR_SYNTAX || strchr(text, '\n'))
		rc = err_set(err, ERR_USAGE,
			"'%.100s' is no file, and has no words of three letters and more: give "
			"words in one line, or a file with example pages" CRAWL_SEE_HELP,
			text);
	if (rc)
		err_prefix(err, "--topic");
	return rc;
}

int crawl_command_complete(struct crawl_command *o, struct arena *arena, struct err *err)
{
	struct crawl_settings *s = &o->settings;

	TRY(check(o, err));
	if (o->order && is_weights_file(o->order))
		s->weights = o->order + sizeof WEIGHTS_FILE - 1;
	if (o->order)
		s->order = find_order(o->order);
	if (s->topic)
		TRY(set_topic(s, arena, err));
	TRY(set_contact(s, err));
	s->software = "stillpoint/" STILLPOINT_VERSION;
	return o->ignore ? set_ignore(o->ignore, arena, s, err) : 0;
}

/* ---- secrets that users give ---- */

/* Where what was given goes. */
struct destination {
	struct crawl_settings *settings;
	struct crawl_secrets *secrets;
	struct config_notes *notes;
	lines_item *add; /* what a line of a file is given to */
};

static int add_auth(void *context, const char *text, struct err *err)
{
	const struct destination *to = context;

	return crawl_secrets_add_auth(to->secrets, text, err);
}

static int add_header(void *context, const char *text, struct err *err)
{
	const struct destination *to = context;

	return crawl_secrets_add_header(to->secrets, to->settings, text, err);
}

static int set_proxy(void *context, const char *text, struct err *err)
{
	const struct destination *to = context;

	if (to->secrets->proxy || to->settings->proxy)
		return err_set(err, ERR_USAGE,
			"the proxy is given twice; give one of --proxy and --proxy-file");
	return crawl_secrets_set_proxy(to->secrets, to->settings, text, err);
}

static int on_line(void *context, const char *item, struct err *err)
{
	const struct destination *to = context;

	return to->add(context, arena_keep(to->notes->arena, slice_str(item)).ptr, err);
}

/* Notes that other users can read a file with secrets. */
static void given_secrets_warn(const char *path, struct config_notes *notes)
{
	BUF_SCOPED(text, ERR_TEXT_MAX);
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !(st.st_mode & (S_IRGRP | S_IROTH)))
		return;
	(void)buf_printf(
		&text, "%.300s: other users can read this file; run 'chmod 600' on it", path);
	text_list_push(&notes->list, arena_keep(notes->arena, buf_slice(&text)).ptr);
}

/* Where secrets come from. */
struct source {
	const struct text_list *list;
	const char *file, *variable;
	lines_item *add;
};

/* Options first, then the file; the environment if there is neither. */
static int add_source(const struct source *from, struct destination *to, struct err *err)
{
	const char *text = from->variable ? getenv(from->variable) : NULL;
	size_t given = from->list ? from->list->len : 0, count = 0;

	to->add = from->add;
	for (size_t i = 0; i < given; i++)
		TRY(from->add(to, from->list->ptr[i], err));
	if (from->file) { /* every user of the machine can see argv */
		given_secrets_warn(from->file, to->notes);
		TRY(lines_read(from->file, LINES_WHOLE, on_line, to, &count, err));
		if (count == 0)
			return err_set(err, ERR_USAGE, "%s: the file is empty", from->file);
	} else if (given == 0 && text && text[0] && from->add(to, text, err)) {
		err_prefix(err, "%s in the environment", from->variable);
		return err->code;
	}
	return 0;
}

static bool has_secrets(const struct crawl_command *o)
{
	const char *auth = getenv("STILLPOINT_AUTH"), *header = getenv("STILLPOINT_HEADER");

	return o->auth.len > 0 || o->header.len > 0 || o->auth_file || o->header_file || o->proxy ||
	       o->proxy_file || o->cookies || o->login || o->cert || (auth && auth[0]) ||
	       (header && header[0]);
}

static int set_certificate(const struct crawl_command *o, struct destination *to, struct err *err)
{
	if (!o->cert)
		return o->key ? err_set(err, ERR_USAGE, "--key is of use only with --cert") : 0;
	TRY(net_check_pair(o->cert, o->key, err));
	given_secrets_warn(o->key ? o->key : o->cert, to->notes);
	to->secrets->cert = o->cert;
	to->secrets->key = o->key;
	return 0;
}

int given_secrets(const struct crawl_command *o, struct crawl_settings *settings,
	struct crawl_secrets *secrets, struct login_file *login, struct config_notes *notes,
	struct err *err)
{
	const struct source sources[] = {
		{&o->auth, o->auth_file, "STILLPOINT_AUTH", add_auth},
		{&o->header, o->header_file, "STILLPOINT_HEADER", add_header},
		{.file = o->proxy_file, .add = set_proxy},
	};
	struct destination to = {.settings = settings, .secrets = secrets, .notes = notes};

	if (has_secrets(o)) {
		struct rlimit limit;

		/*
		 * No core file may have passwords in it. One byte is too few for one, and, unlike
		 * none, also keeps a program that core files are piped to (core(5)) from getting
		 * it.
		 */
		if (!getrlimit(RLIMIT_CORE, &limit)) {
			limit.rlim_cur = limit.rlim_max > 1 ? 1 : limit.rlim_max;
			(void)setrlimit(RLIMIT_CORE, &limit);
		}
	}
	secrets->cookies = o->cookies;
	if (o->proxy)
		TRY(set_proxy(&to, o->proxy, err));
	TRY(set_certificate(o, &to, err));
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		TRY(add_source(&sources[i], &to, err));
	if (!o->login)
		return 0;
	given_secrets_warn(o->login, notes);
	secrets->login = login;
	return login_file_read(login, o->login, err);
}

/* ---- configuration files ---- */

#define PART(name, kind, member)                                 \
	{                                                        \
		name, kind, offsetof(struct crawl_entry, member) \
	}

static const struct config_part TOP_PARTS[] = {
	PART("sites", YAML_LIST, sites),
	PART("budget", YAML_SCALAR, budget),
	PART("weights", YAML_SCALAR, weights),
	{.name = NULL},
};

static const struct config_part SITE_PARTS[] = {
	PART("url", YAML_SCALAR, url),
	PART("budget", YAML_SCALAR, budget),
	PART("weights", YAML_SCALAR, weights),
	{.name = NULL},
};

/* How a file is read: for whom, and what goes before it. */
struct filing {
	const char *(*ignores)(const struct option_spec *s);
	const struct crawl_line *line; /* NULL: none */
	bool compact;                  /* the default of --evidence */
};

static struct config_table table_of(struct crawl_config *c, const struct filing *f)
{
	return (struct config_table){
		.specs = CRAWL_SPECS,
		.parts = TOP_PARTS,
		.refuses = crawl_refuses_top,
		.ignores = f->ignores,
		.notes = &c->notes,
		.given = offsetof(struct crawl_entry, o.given),
	};
}

/* ---- the command line ---- */

static void forget_lists(struct crawl_command *o)
{
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++)
		if (s->kind == OPTION_LIST)
			*(struct text_list *)option_field(s, o) = (struct text_list){0};
}

/* Parses the command line over options that are there; its lists replace theirs. */
static int apply_line(const struct crawl_config *c, const struct crawl_line *line,
	struct crawl_command *o, struct option_args *ret_args, struct err *err)
{
	char **argv = ARENA_ARRAY(c->arena, char *, (size_t)line->argc + 1);
	struct crawl_command before = *o;
	int rc;

	if (!argv)
		return err_code(err, ERR_NOMEM);
	memcpy(argv, line->argv, (size_t)line->argc * sizeof *argv); /* parsing reorders it */
	forget_lists(o);
	rc = options_parse(line->options, line->argc, argv, o, ret_args, err);
	if (rc == 0)
		rc = err_code(err, options_inherit(&CRAWL_OPTIONS, &before, o));
	options_release(&CRAWL_OPTIONS, &before);
	return rc;
}

/* ---- the file ---- */

/* A new entry with the options of the top. Its seeds are its own. */
static int new_entry(struct crawl_config *c, struct crawl_entry **ret, struct err *err)
{
	struct crawl_entry *entry = ARENA_NEED(c->arena, struct crawl_entry);

	*ret = entry;
	crawl_entries_push(&c->entries, entry);
	entry->o = c->top.o;
	entry->o.seeds = NULL;
	forget_lists(&entry->o);
	return err_code(err, options_inherit(&CRAWL_OPTIONS, &c->top.o, &entry->o));
}

/* Two names of one setting. */
static int check_twins(const struct crawl_config *c, struct err *err)
{
	const struct yaml_node *archive = yaml_get(c->file.root, "archive");

	if (!archive || !yaml_get(c->file.root, "output"))
		return 0;
	return yaml_refuse(
		&c->file, archive, err, "archive and output are the same; give one of them");
}

static int read_site(struct crawl_config *c, const struct yaml_node *map, const struct filing *f,
	struct err *err)
{
	struct config_table table = table_of(c, f);
	struct option_args unused;
	struct crawl_entry *entry = NULL;
	const char *seeds;

	TRY(new_entry(c, &entry, err));
	entry->at = map;
	if (map->kind != YAML_MAP)
		return yaml_refuse(&c->file, map, err,
			"a site is a mapping with a url, as in '- url: https://example.org/'");
	table.parts = SITE_PARTS;
	table.refuses = crawl_refuses_site;
	TRY(config_read(&c->file, map, &table, entry, err));
	static const struct option_spec url = {
		.name = "url", .kind = OPTION_LIST, .offset = offsetof(struct crawl_entry, urls)};

	if (!entry->url && !entry->o.seeds)
		return yaml_refuse(&c->file, entry->at, err, "the key 'url' is missing");
	if (entry->url)
		TRY(config_value(&c->file, entry->url, &url, entry, err));
	if (entry->url && entry->urls.len == 0)
		TRY(yaml_refuse(&c->file, entry->url, err, "a site has one URL at least"));
	seeds = entry->o.seeds;
	if (f->line)
		TRY(apply_line(c, f->line, &entry->o, &unused, err));
	entry->o.seeds = seeds; /* of the command line: a matter of the top */
	return 0;
}

/* Reads the top. */
static int read_top(struct crawl_config *c, const struct filing *f, struct err *err)
{
	struct config_table table = table_of(c, f);

	crawl_command_release(&c->top.o);
	crawl_command_init(&c->top.o);
	c->top.o.settings.compact = f->compact;
	TRY(config_read(&c->file, c->file.root, &table, &c->top, err));
	TRY(check_twins(c, err));
	/* Passwords may be in the file itself. */
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++)
		if (s->tags & CRAWL_SECRET && yaml_get(c->file.root, s->name)) {
			given_secrets_warn(c->file.name, &c->notes);
			break;
		}
	return 0;
}

static int read_sites(struct crawl_config *c, const struct filing *f, struct err *err)
{
	const struct yaml_node *list = c->top.sites;

	if (list && !list->entries)
		return yaml_refuse(&c->file, list, err, "sites: there must be one at least");
	for (const struct yaml_entry *e = list ? list->entries : NULL; e; e = e->next)
		TRY(read_site(c, e->value, f, err));
	return 0;
}

/* The file of --config; the command line counts before it. */
static int read_file(
	struct crawl_config *c, const struct filing *f, struct option_args *args, struct err *err)
{
	TRY(yaml_read(&c->file, c->top.o.config, err));
	TRY(read_top(c, f, err));
	TRY(read_sites(c, f, err));
	return apply_line(c, f->line, &c->top.o, args, err);
}

/* URLs of the command line and a list at the top have the options of the top. */
static int add_top(struct crawl_config *c, const struct option_args *args, struct err *err)
{
	struct crawl_entry *entry = NULL;

	if (args->count == 0 && !c->top.o.seeds)
		return c->entries.len > 0 ? 0
					  : err_set(err, ERR_USAGE,
						    "a URL is missing; give one, --seeds FILE or "
						    "--config FILE" CRAWL_SEE_HELP);
	TRY(new_entry(c, &entry, err));
	entry->o.seeds = c->top.o.seeds;
	for (size_t i = 0; i < args->count; i++)
		text_list_push(&entry->urls, args->ptr[i]);
	return 0;
}

static void init(struct crawl_config *c, struct arena *arena)
{
	c->arena = c->notes.arena = arena;
	crawl_command_init(&c->top.o);
}

int crawl_config_read(
	struct crawl_config *c, const struct crawl_line *line, struct arena *arena, struct err *err)
{
	const struct filing f = {.ignores = crawl_ignores, .line = line};
	struct option_args args = {0};
	int rc;

	*c = (struct crawl_config){0};
	init(c, arena);
	TRY(apply_line(c, line, &c->top.o, &args, err));
	rc = c->top.o.config ? read_file(c, &f, &args, err) : 0;
	if (rc == 0)
		rc = add_top(c, &args, err);
	if (rc)
		err_prefix(err, "%s", line->options->command); /* as options_parse does */
	return rc;
}

int crawl_config_read_changes(struct crawl_config *c, const struct crawl_line *line,
	struct arena *arena, struct option_args *ret_args, struct err *err)
{
	const struct filing f = {.ignores = crawl_ignores};
	int rc;

	*c = (struct crawl_config){0};
	init(c, arena);
	rc = apply_line(c, line, &c->top.o, ret_args, err);
	if (rc || !c->top.o.config)
		return rc;
	rc = yaml_read(&c->file, c->top.o.config, err);
	if (rc == 0)
		rc = read_top(c, &f, err);
	/* The captures have settings of their own; those at the top of a file need not be theirs.
	 */
	for (size_t i = 0; CRAWL_SPECS[i].name; i++)
		if (!(CRAWL_SPECS[i].tags & CRAWL_RUN))
			c->top.o.given[i] = false;
	if (rc == 0)
		return apply_line(c, line, &c->top.o, ret_args, err);
	err_prefix(err, "%s", line->options->command);
	return rc;
}

int crawl_config_read_watch(struct crawl_config *c, struct arena *arena, struct err *err)
{
	const struct filing f = {.ignores = watch_ignores, .compact = true};

	init(c, arena);
	TRY(read_top(c, &f, err));
	if (!c->top.sites && !c->top.o.seeds)
		TRY(yaml_refuse(&c->file, c->file.root, err, "the key 'sites' is missing"));
	TRY(read_sites(c, &f, err));
	return add_top(c, &(struct option_args){0}, err);
}

void crawl_config_release(struct crawl_config *c)
{
	for (size_t i = 0; i < c->entries.len; i++) {
		crawl_command_release(&c->entries.ptr[i]->o);
		text_list_release(&c->entries.ptr[i]->urls);
	}
	crawl_entries_release(&c->entries);
	crawl_command_release(&c->top.o);
	text_list_release(&c->notes.list);
	login_file_release(&c->login);
	yaml_release(&c->file);
}

/* ---- sites ---- */

static void share_headers(const struct crawl_settings *from, struct crawl_settings *to)
{
	to->proxy = from->proxy;
	for (size_t i = 0; i < from->headers.len; i++)
		text_list_push(&to->headers, from->headers.ptr[i]);
}

static int add_urls(struct crawl_entry *entry, const struct seeds *seeds, struct err *err)
{
	sites_begin(seeds->sites, &entry->o.settings);
	for (size_t i = 0; i < entry->urls.len; i++)
		TRY(seeds_add(seeds, entry->urls.ptr[i], err));
	return entry->o.seeds ? seeds_read(seeds, entry->o.seeds, err) : 0;
}

int crawl_config_add_sites(struct crawl_config *c, const struct seeds *seeds, struct err *err)
{
	struct crawl_command *top = &c->top.o;
	int rc = given_secrets(top, &top->settings, seeds->secrets, &c->login, &c->notes, err);

	for (size_t i = 0; rc == 0 && i < c->entries.len; i++) {
		struct crawl_entry *entry = c->entries.ptr[i];
		const struct yaml_node *at = entry->at;
		size_t before = seeds->sites->list.len;

		rc = crawl_command_complete(&entry->o, c->arena, err);
		if (rc == 0)
			share_headers(&top->settings, &entry->o.settings);
		if (rc == 0 && entry->url)
			at = entry->url;
		if (rc == 0)
			rc = add_urls(entry, seeds, err);
		entry->site_count = seeds->sites->list.len - before;
		if (at) /* late checks know no place of their own */
			rc = yaml_locate(&c->file, at, rc, err);
	}
	return rc ? rc : seeds_finish(seeds, &top->settings, err);
}
