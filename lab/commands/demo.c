/* stillpoint-lab demo: a living shop, captured by several strategies at once, held against the
 * truth.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/live.h"
#include "base/progress.h"
#include "cmd/option_row.h"
#include "cmd/stop.h"
#include "commands/commands.h"
#include "demo/contest.h"
#include "demo/exhibit.h"
#include "proof/verify.h"

enum {
	LINE_BAR = 14, /* the lines fit into 80 columns */
	SCORE_BAR = 10,
	DIR_TRIES = 1000,
	REDRAW_MS = 200,
};

/* The last one is ours. */
static const char *const STRATEGIES[] = {
	"bfs-fifo", "bfs-lifo", "sharc-selective", "stillpoint", NULL};

/* Some pages change every few seconds, most hardly ever: on average one change in 20 s. */
static const struct living_rates RATES = {
	.kind = LIVING_LOGNORMAL, .a = -4, .b = 1.5, .mean = 0.05, .scaled = true};

struct demo_options {
	const char *dir;
	int64_t pages;
	int64_t seed;
	double delay;
};

#define ROW_OF struct demo_options

static const struct option_spec SPECS[] = {
	ROW(STRING, dir, "output", 'o',
		"a new directory for the archives (default: stillpoint-demo, with a number if it "
		"exists)",
		.metavar = "DIR"),
	ROW(INT, pages, "pages", 'n', "pages of the shop (default: 300)", .min = 10, .max = 100000),
	ROW(DURATION, delay, "delay", 'd', "pause between two requests (default: 100ms)",
		.max = 3600),
	ROW(INT, seed, "seed", 's', "seed of the shop and its changes (default: 4)", .max = 1e15),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = LAB_PROGRAM,
	.command = "demo",
	.usage = "[OPTION…]",
	.description =
		"Starts a web shop on this machine whose pages change all the time, and captures "
		"identical copies of it at once, at the same politeness, by a plain crawl, by "
		"revisits in reverse, by the best strategy of the literature and by ours. Then "
		"what each archive claims is held against the truth, which the shop knows.",
	.specs = SPECS,
};

/* ---- the directory ---- */

static int make_dir(const char *wanted, char *out, size_t size, struct err *err)
{
	if (wanted && strlen(wanted) >= size)
		return err_set(err, ERR_USAGE, "the path of --output is too long");
	for (int i = 1; i < DIR_TRIES; i++) {
		if (wanted || i == 1)
			(void)snprintf(out, size, "%s", wanted ? wanted : "stillpoint-demo");
		else
			(void)snprintf(out, size, "stillpoint-demo-%d", i);
		if (mkdir(out, 0777) == 0)
			return 0;
		if (wanted || errno != EEXIST)
			break;
	}
	return err_set(err, errno == EEXIST ? ERR_USAGE : ERR_IO,
		"%s: %s; name a new directory with --output", out, strerror(errno));
}

/* ---- while it runs ---- */

static size_t filled(size_t done, size_t total, size_t width)
{
	return total ? (done < total ? done : total) * width / total : 0;
}

static int add_line(
	struct buf *out, const char *strategy, const struct crawl_progress *p, bool running)
{
	const char *leg = p->preparing ? "starting" : p->leg == PLAN_VISIT ? "visits" : "revisits";
	int rc = buf_printf(out, "  %-15s %-8s ", strategy, running ? leg : "done");

	for (size_t i = 0; rc == 0 && i < LINE_BAR; i++)
		rc = buf_add_str(out, progress_cell(i < filled(p->done, p->total, LINE_BAR)));
	if (rc == 0)
		rc = buf_printf(out, " %4zu/%-4zu", p->done, p->total);
	if (rc)
		return rc;
	if (p->leg == PLAN_VISIT)
		return buf_printf(out, " expecting %5.1f sharp", p->expected);
	return buf_printf(out, " sharp %zu, expected %.1f", p->sharp, p->expected);
}

/* Draws all lines over those of the last time; true when all are done. */
static bool draw(struct contest *c, struct live *live)
{
	struct buf texts[CONTESTANTS_MAX];
	const char *lines[CONTESTANTS_MAX];
	bool all_done = true;

	for (size_t i = 0; i < c->count; i++) {
		struct crawl_progress p;
		bool running = contest_progress(c, i, &p);

		all_done = all_done && !running;
		buf_init(&texts[i], LIVE_LINE_SIZE);
		lines[i] =
			add_line(&texts[i], c->list[i].strategy, &p, running) ? "" : texts[i].ptr;
	}
	if (all_done)
		live_keep(live, lines, c->count);
	else
		live_draw(live, lines, c->count);
	for (size_t i = 0; i < c->count; i++)
		buf_release(&texts[i]);
	return all_done;
}

/* False when the user has had enough. */
static bool watch(struct contest *c, int signals)
{
	struct pollfd p = {.fd = signals, .events = POLLIN};
	struct live live;
	bool stopped = false;

	(void)fflush(stdout);
	live_init(&live, STDOUT_FILENO, clock_system());
	while (!draw(c, &live)) {
		/* A signal stays to be read: the captures see it, too, and stop. */
		if (poll(&p, 1, stopped ? 0 : REDRAW_MS) == 1) {
			stopped = true;
			(void)poll(NULL, 0, REDRAW_MS);
		}
	}
	return !stopped;
}

/* ---- afterwards ---- */

static void print_scores(const struct contest *c)
{
	printf("\nWhat the archives claim, and what is true\n\n"
	       "  %-16s %7s %8s %7s %9s\n",
		"strategy", "claimed", "in truth", "false", "expected");
	for (size_t i = 0; i < c->count; i++) {
		const struct contest_score *s = &c->list[i].score;

		printf("  %-16s %7zu %8zu %7zu %9.1f  ", c->list[i].strategy, s->claimed, s->true_,
			s->false_, s->expected);
		for (size_t k = 0; k < SCORE_BAR; k++)
			(void)fputs(
				progress_cell(k < filled(s->claimed, s->pages, SCORE_BAR)), stdout);
		printf(" of %zu pages\n", s->pages);
	}
	printf("\n  claimed: proven the same before and after one instant, the still point\n"
	       "  in truth: pages that did not change in between, as the shop itself knows\n"
	       "  false: claimed, but changed; a single one would be a bug\n");
}

static int print_pairs(const struct contest *c, struct err *err)
{
	int rc = 0;

	printf("\nPrices and terms change together. The pair as each archive shows it\n\n");
	for (size_t i = 0; rc == 0 && i < c->count; i++) {
		struct contest_pair pair;

		rc = contest_pair(&c->list[i], &pair, err);
		if (rc)
			break;
		printf("  %-16s price list: edition %-3u terms: for edition %-3u ",
			c->list[i].strategy, pair.prices, pair.terms);
		if (pair.prices != pair.terms)
			printf("a state that never existed\n");
		else
			printf("%s\n", pair.sharp ? "true, and proven"
						  : "true, but by luck: nothing proves it");
	}
	return rc;
}

static int print_problems(const struct contestant *who, struct err *err)
{
	char path[CONTEST_PATH_SIZE + 32];
	struct catalog *catalog;
	struct verify v;
	int rc;

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", who->archive);
	rc = catalog_open(path, CATALOG_READ, &catalog, err);
	if (rc)
		return rc;
	(void)snprintf(path, sizeof path, "%s/warc", who->archive);
	rc = verify_run(&v, &(struct verify_params){.warc_dir = path, .catalog = catalog}, err);
	for (size_t i = 0; rc == 0 && i < v.problems.len; i++) {
		const struct verify_problem *p = &v.problems.ptr[i];

		printf("  %.*s%s%.*s\n", (int)p->url.len, p->url.ptr ? p->url.ptr : "",
			p->url.len ? ": " : "", (int)p->text.len, p->text.ptr);
	}
	if (rc == 0 && v.problems.len == 0)
		rc = err_set(err, ERR_STATE, "verify did not notice a flipped bit");
	verify_release(&v);
	catalog_close(catalog);
	return rc;
}

/* One bit of our own archive is turned: the archive must notice. Then it is turned back. */
static int print_verify(const struct contestant *who, struct err *err)
{
	struct exhibit e;
	char url[128];
	int rc;

	(void)snprintf(url, sizeof url, "%.*s/prices", (int)strlen(who->url) - 1, who->url);
	rc = exhibit_load(&e, who->archive, slice_str(url), err);
	if (rc == 0) {
		printf("\nOne bit of %s is turned. 'stillpoint verify' says\n\n",
			strrchr(e.file, '/') + 1);
		rc = exhibit_flip(&e, err);
	}
	if (rc == 0) {
		rc = print_problems(who, err);
		if (exhibit_flip(&e, err))
			rc = err->code;
		else
			printf("\nThe bit is turned back.\n");
	}
	exhibit_release(&e);
	return rc;
}

/* How `stillpoint` is called by who called us: it stands beside. */
static void name_product(char *out, size_t size)
{
	const char *name = program_invocation_name, *dash = strrchr(name, '-');

	if (dash && strcmp(dash, "-lab") == 0)
		(void)snprintf(out, size, "%.*s", (int)(dash - name), name);
	else
		(void)snprintf(out, size, "stillpoint");
}

static int conclude(const struct contest *c, const char *dir, struct err *err)
{
	const struct contestant *ours = &c->list[c->count - 1];
	char page[1100], product[1100];
	int rc;

	name_product(product, sizeof product);
	print_scores(c);
	rc = print_pairs(c, err);
	if (rc == 0)
		rc = print_verify(ours, err);
	(void)snprintf(page, sizeof page, "%s/report.html", dir);
	if (rc == 0 && cmd_report_page(ours->archive, page) != CMD_OK)
		rc = err_set(err, ERR_IO, "%s was not written", page);
	if (rc == 0)
		printf("\nThe archives are in %s. A report of ours, for a browser: %s\n"
		       "Look at it here with\n\n"
		       "  %s report %s\n"
		       "  %s report %s --why %sprices\n"
		       "  %s verify %s\n\n"
		       "All of them are at http://127.0.0.1:8080/ while this runs: "
		       "%s serve %s/*.stillpoint\n",
			dir, page, product, ours->archive, product, ours->archive, ours->url,
			product, ours->archive, product, dir);
	return rc;
}

/* What shops put into every response: kinds of living-site --noise that name no other URLs. */
#define NOISE "nonce,csrf,comment,csrf-meta,tokens,ids,attributes,json,script,perf"

static int run(const struct demo_options *o, const char *dir, int signals, struct err *err)
{
	struct contest_params params = {
		.dir = dir,
		.strategies = STRATEGIES,
		.site = {.seed = (uint64_t)o->seed,
			.pages = (size_t)o->pages,
			.outdegree = 10,
			.theme = LIVING_SHOP,
			.rates = RATES},
		.delay = o->delay,
		.stop_fd = signals,
	};
	struct contest c;
	bool finished = false;
	int rc = living_noise_parse(NOISE, &params.site.noise, err);

	if (rc)
		return rc;
	rc = contest_start(&c, &params, err);
	if (rc == 0) {
		printf("A shop of %lld pages that change all the time, in %zu identical copies, is "
		       "captured\nby %zu strategies at once, one request every %.0f ms. Tokens, "
		       "ids and comments differ in\nevery response; that is noise, and no "
		       "change.\n\n",
			(long long)o->pages, c.count, c.count, 1000 * o->delay);
		finished = watch(&c, signals);
		rc = contest_finish(&c, err);
	}
	if (rc == 0 && finished)
		rc = conclude(&c, dir, err);
	else if (rc == 0)
		printf("\nStopped. The archives are in %s; 'stillpoint resume' cannot continue, "
		       "since the shop is gone.\n",
			dir);
	contest_release(&c);
	return rc;
}

enum cmd_status lab_demo(int argc, char **argv)
{
	struct demo_options o = {.pages = 300, .delay = 0.1, .seed = 4};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	char dir[1024];
	int signals = -1, rc;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (make_dir(o.dir, dir, sizeof dir, &err))
		return cmd_fail_archive("demo", &err);
	rc = stop_open(&signals, &err);
	if (rc == 0)
		rc = run(&o, dir, signals, &err);
	stop_close(signals);
	return rc ? cmd_fail_archive("demo", &err) : cmd_finish(0);
}
