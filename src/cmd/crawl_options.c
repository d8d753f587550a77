#include "cmd/crawl_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
#include "extract/robots_policy.h"
#include "frontier/pace.h"
#include "frontier/traps.h"
#include "import/topic_file.h"
#include "net/net.h"
#include "rank/order.h"
#include "rank/topic.h"

enum { ROBOTS_OBEY, ROBOTS_IGNORE };
enum { EVIDENCE_COMPACT, EVIDENCE_RECORDS };

static const char *const ROBOTS[] = {"obey", "ignore", NULL};
static const char *const EVIDENCE[] = {"compact", "records", NULL};
/* By enum crawl_spam. */
static const char *const SPAM[] = {"flag", "skip", "off", NULL};
static const char *const DUST[] = {"learn", "apply", "off", NULL};
static const char *const MIRRORS[] = {"flag", "skip", "off", NULL};
static const char *const EARLIER[] = {"pages", "size", "off", NULL};
static const char *const SWITCH[] = {"on", "off", NULL};
static const char *const SCOPES[] = {"page", "prefix", "host", "domain", NULL};

/* By enum warc_coding. */
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

	if (cmd_strategy(value, false, &why))
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

/* ---- the table ---- */

enum { TOPIC_LINE_MAX = 1 << 20 };

#define ROW_OF struct crawl_command

const struct option_spec CRAWL_SPECS[] = {
	ROW(STRING, output, "output", 'o',
		"directory of the archive; an existing archive gets one more capture (default: "
		"HOST.stillpoint of the first URL, HOST-PORT.stillpoint if it has a port, or the "
		"name of the --seeds file)",
		.metavar = "ARCHIVE", .check = check_output),
	ROW(STRING, config, "config", 0,
		"read options and sites from a YAML file ('-' is standard input), see "
		"docs/config.md; options of the command line go before those of the file",
		.metavar = "FILE"),
	ROW(FLAG, print_config, "print-config", 0,
		"print the configuration that counts, as such a file, and capture nothing"),
	ROW(STRING, seeds, "seeds", 0,
		"read URLs from a file, one per line ('#' starts a comment; '-' is standard input)",
		.metavar = "FILE"),
	ROW(STRING, settings.strategy, "strategy", 's',
		"order of visits and revisits; 'stillpoint plan --list-strategies' lists them "
		"(default: stillpoint)",
		.metavar = "NAME", .check = check_strategy),
	ROW(FLAG, settings.single, "single", 0, "visit only, in the strategy's order"),
	ROW(STRING, delay, "delay", 'd',
		"pause from the end of a request to the start of the next on the same host; auto "
		"is ten times the last response time, from 1 s to 60 s; Crawl-delay and "
		"Retry-After count as well (default: auto)",
		.metavar = "auto|DURATION", .check = capture_check_delay),
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
		.metavar = "REGEX", .check = capture_check_pattern),
	ROW(LIST, excludes, "exclude", 'x',
		"leave out URLs that match, even if another rule includes them (repeatable)",
		.metavar = "REGEX", .check = capture_check_pattern),
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
	ROW(CHOICE, spam, "spam", 0,
		"what to do with pages that look like spam: flag them in the report (default), "
		"skip their links and revisits, or off: do not look",
		.choices = SPAM),
	ROW(FLAG, settings.cloaking, "cloaking", 0,
		"fetch some pages (2 %, at least 4) once more as a browser would, and report where "
		"it gets another page"),
	ROW(INT, forms, "forms", 0,
		"send search forms up to this many queries for each site, to reach pages that no "
		"link leads to (default: 0, forms are never sent)",
		.max = 1000000),
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
	ROW(FLAG, settings.plan_apart, "plan-apart", 0,
		"plan every server and every requisite for itself: no common end of the visits, "
		"and no regard for whole pages; to compare with"),
	ROW(STRING, order, "order", 0,
		"which pages are visited when not all can be, and which are worth most: breadth, "
		"indegree, pagerank, opic, sitemap, site-backlog, or weights=FILE, a CSV file with "
		"the header url,weight (default: none)",
		.metavar = "NAME"),
	ROW(STRING, topic, "topic", 0,
		"visit pages about this first, and leave what does not promise any: a file or a "
		"directory with example pages (text or HTML), or else words",
		.metavar = "FILE|WORDS"),
	ROW(CHOICE, weight, "weight", 0,
		"whether what --order says of a page is its weight for the plan, too (default: on)",
		.choices = SWITCH),
	ROW(STRING, host_budget, "host-budget", 0,
		"visit no more pages of each host than this; auto: hosts that lead to more new "
		"pages get a larger share, and every host gets some",
		.metavar = "auto|N"),
	ROW(STRING, settings.rates, "rates", 'r',
		"how often pages change: CSV with the header "
		"url,rate[,weight][,shape] (or page for url), "
		"in changes per second",
		.metavar = "CSV"),
	ROW(INT, size, "size", 0, "estimated number of pages of the site", .min = 1,
		.max = UINT32_MAX - 1),
	ROW(CHOICE, earlier, "earlier", 0,
		"what the plan is told of an earlier capture of the same site in the archive: its "
		"'pages', so that they need not be found again, only their number ('size'), or "
		"nothing: off (default: pages)",
		.choices = EARLIER),
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
		"at most 6 % of the requests, or 8"),
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
		.metavar = "PREFIX", .check = check_prefix),
	ROW(FLAG, warc_per_site, "warc-per-site", 0,
		"give each site a series of WARC files of its own, with its host in their names"),
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
		.metavar = "TEXT", .check = check_agent),
	ROW(STRING, contact, "contact", 0,
		"how site owners can reach you: a URL or a mail address; goes into the user agent "
		"and the archive (default: the environment variable STILLPOINT_CONTACT)",
		.metavar = "URL|MAIL", .check = check_contact),
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
		.metavar = "FROM-TO", .check = check_hours),
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
	ROW(STRING, login, "login", 0,
		"log in by a form, and again when the session is lost: a YAML file with url, "
		"fields and sentinel, see docs/config.md",
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
	CAPTURE_LOOK_ROWS,
	{.name = NULL},
};

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
};

const char *const CRAWL_WIDE[] = {"output", "config", "print-config", "lanes", "auth", "auth-file",
	"header", "header-file", "cookies", "login", "proxy", "proxy-file", "warc-per-site", "json",
	"crawl-log", "events", "quiet", "verbose", NULL};

void crawl_command_init(struct crawl_command *o)
{
	*o = (struct crawl_command){
		.delay = "auto",
		.scope = SCOPE_HOST,
		.max_depth = -1,
		.max_outside = CRAWL_MAX_OUTSIDE,
		.trap_budget = TRAPS_BUDGET,
		.jobs = 1,
		.warc_coding = WARC_CODING_GZIP,
	};
	crawl_settings_init(&o->settings);
}

void crawl_command_release(struct crawl_command *o)
{
	crawl_settings_release(&o->settings);
	options_release(&CRAWL_OPTIONS, o);
}

/* ---- settings ---- */

/* The environment says it where no option does. */
static int set_contact(struct crawl_command *o, struct err *err)
{
	int rc;

	if (!o->contact)
		o->contact = getenv("STILLPOINT_CONTACT");
	if (!o->contact || !o->contact[0])
		return 0;
	rc = check_contact(o->contact, err);
	if (rc)
		err_prefix(err, "STILLPOINT_CONTACT");
	o->settings.contact = o->contact;
	return rc;
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

	if (s->no_cookies && (o->cookies || o->login))
		return err_set(err, ERR_USAGE, "--%s and --no-cookies cannot be combined",
			o->cookies ? "cookies" : "login");
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
	proof_rule_set checked;
	int rc;

	if (o->settings.bytes_only && (o->ignore || o->without.len))
		return err_set(err, ERR_USAGE,
			"--bytes-only applies no rules: leave it out, or --ignore and "
			"--without-rule" CRAWL_SEE_HELP);
	rc = noise_option_rules(&o->without, &checked, err);
	if (rc == 0 && copy_list(&o->without, &o->settings.without_rules))
		rc = err_code(err, ERR_NOMEM);
	return rc == 0 && o->ignore ? set_ignore(o->ignore, arena, &o->settings, err) : rc;
}

static int set_order(const char *text, struct crawl_settings *s, struct err *err)
{
	static const char FILE_OF[] = "weights=";

	if (strncmp(text, FILE_OF, sizeof FILE_OF - 1) == 0 && text[sizeof FILE_OF - 1]) {
		s->order = RANK_WEIGHTS;
		s->weights = text + sizeof FILE_OF - 1;
		return 0;
	}
	for (uint32_t i = RANK_BREADTH; i < RANK_WEIGHTS; i++)
		if (strcmp(text, RANK_ORDERS[i]) == 0) {
			s->order = i;
			return 0;
		}
	return err_set(err, ERR_USAGE,
		"--order is breadth, indegree, pagerank, opic, sitemap, site-backlog or "
		"weights=FILE, not '%.100s'" CRAWL_SEE_HELP,
		text);
}

/* A file or directory of that name; else they are words. */
static int set_topic(
	const char *text, struct arena *arena, struct crawl_settings *s, struct err *err)
{
	struct topic topic = {0};
	struct buf line;
	int rc;

	buf_init(&line, TOPIC_LINE_MAX);
	if (access(text, F_OK) == 0)
		rc = topic_file_read(text, &line, err);
	else
		rc = err_code(err, buf_printf(&line, "words %s", text));
	s->topic = rc ? NULL : arena_strdup(arena, buf_slice(&line));
	if (rc == 0)
		rc = s->topic ? topic_read(&topic, slice_str(s->topic), NULL)
			      : err_code(err, ERR_NOMEM);
	if (rc == ERR_SYNTAX || strchr(text, '\n'))
		rc = err_set(err, ERR_USAGE,
			"'%.100s' is no file, and has no words of three letters and more: give "
			"words in one line, or a file with example pages" CRAWL_SEE_HELP,
			text);
	topic_release(&topic);
	buf_release(&line);
	return rc ? cmd_in_option(rc, "topic", err) : 0;
}

static int set_host_budget(const char *text, struct crawl_settings *s, struct err *err)
{
	uint64_t pages;

	if (strcmp(text, "auto") == 0) {
		s->host_budget = CRAWL_BUDGET_AUTO;
		return 0;
	}
	if (parse_u64(slice_str(text), &pages) || pages == 0 || pages >= CRAWL_BUDGET_AUTO)
		return err_set(err, ERR_USAGE,
			"--host-budget is auto or a number of pages from 1, not "
			"'%.100s'" CRAWL_SEE_HELP,
			text);
	s->host_budget = (uint32_t)pages;
	return 0;
}

/* What options cannot write into the settings themselves. */
int crawl_command_complete(struct crawl_command *o, struct arena *arena, struct err *err)
{
	struct crawl_settings *s = &o->settings;
	int rc = check(o, err);

	if (rc == 0)
		rc = capture_delay(o->delay, &s->automatic_delay, &s->delay, err);

	s->scope = (enum scope_kind)o->scope;
	s->max_pages = (uint32_t)o->max_pages;
	s->max_depth = o->max_depth < 0 ? UINT32_MAX : (uint32_t)o->max_depth;
	s->max_outside = (uint32_t)o->max_outside;
	s->no_traps = o->traps != 0;
	s->trap_budget = (uint32_t)o->trap_budget;
	s->forms = (uint32_t)o->forms;
	s->spam = (uint32_t)o->spam;
	s->jobs = (unsigned)o->jobs;
	s->size = (uint32_t)o->size;
	s->attempts = (unsigned)o->attempts;
	s->warc_coding = (uint32_t)o->warc_coding;
	s->aim = (uint32_t)o->aim;
	s->dust = (uint32_t)o->dust;
	s->mirrors = (uint32_t)o->mirrors;
	s->earlier = (uint32_t)o->earlier;
	s->unweighted = o->weight != 0;
	if (rc == 0 && o->order)
		rc = set_order(o->order, s, err);
	if (rc == 0 && o->topic)
		rc = set_topic(o->topic, arena, s, err);
	if (rc == 0 && o->host_budget)
		rc = set_host_budget(o->host_budget, s, err);
	s->ignore_robots = o->robots == ROBOTS_IGNORE;
	s->records = o->evidence == EVIDENCE_RECORDS;
	if (rc == 0)
		rc = set_contact(o, err);
	if (rc == 0)
		rc = set_rules(o, arena, err);
	if (rc == 0 && (copy_list(&o->surts, &s->surts) || copy_list(&o->includes, &s->includes) ||
			       copy_list(&o->excludes, &s->excludes)))
		rc = err_code(err, ERR_NOMEM);
	return rc;
}
