/* stillpoint-lab simulate: the options of all modes, and which mode they ask for. */
#include "commands/simulate.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/parallel.h"

enum { COMMAND_MAX = 16 << 10 };

const char *const SIMULATE_RATES[] = {"past", "oracle", "predicted", "known", "learned", NULL};
const char *const SIMULATE_HALVES[] = {"all", "first", "second", NULL};

const char *const SIMULATE_CHANGED[] = {"cycle", "local", NULL};

#define ROW_OF struct simulate_options

static const struct option_spec SPECS[] = {
	ROW(STRING, table, "table", 'T',
		"an experiment of the papers, 'all' of them, or 'list'; those that begin with "
		"sampling- or fresh- stand by themselves, most with --history and --start",
		.metavar = "NAME"),
	ROW(STRING, site, "site", 0,
		"a synthetic site: synthetic:n=10000,skew=1.2,outdegree=400,leaves=cold; what is "
		"left out is as here",
		.metavar = "SPEC"),
	ROW(STRING, graph, "graph", 'g',
		"the site: CSV with the header page,rate[,weight][,shape][,links]; '-' is standard "
		"input",
		.metavar = "FILE"),
	ROW(STRING, history, "history", 0,
		"captures of a real site at random moments of its recorded history; gzip is fine",
		.metavar = "FILE"),
	ROW(STRING, evaluate, "evaluate", 0,
		"with --history: how well change rates are estimated: hacs (which pages change "
		"within a week), predictor (rates of unknown pages) or estimators",
		.metavar = "WHAT"),
	ROW(STRING, start, "start", 0,
		"with --evaluate: first day of the three years, as 2015-06-01 (default: those with "
		"most pages); with --sampling: first day of the first cycle",
		.metavar = "DATE"),
	ROW(LIST, sampling, "sampling", 0,
		"with --history: how many of the pages downloaded in each cycle have changed, by "
		"rns, rr, gsb, db:D, cb:D, lb:D (D: depth; also with :ha, :wha, :pra), hybrid, "
		"clairvoyant",
		.metavar = "POLICIES"),
	ROW(STRING, cycle, "cycle", 0,
		"with --sampling: length of a cycle, as 8w or 10d (default: 8w)",
		.metavar = "TIME"),
	ROW(INT, cycles, "cycles", 0, "with --sampling: number of cycles (default: 24)", .min = 1,
		.max = 100000),
	ROW(INT, clusters, "clusters", 0,
		"with --sampling: clusters of cb:D (default: the root of half the pages)", .min = 1,
		.max = 100000),
	ROW(DOUBLE, budget, "budget", 0,
		"with --sampling: downloads in a cycle, with --watch: looks in a day (for --site a "
		"unit of time), as a share of the pages at the start (default: 0.1)",
		.metavar = "SHARE", .max = 1e6, .bounds = OPTION_ABOVE_MIN),
	ROW(CHOICE, changed, "changed", 0,
		"with --sampling: changed within the cycle (default), or since the last download: "
		"cycle, local",
		.choices = SIMULATE_CHANGED),
	ROW(LIST, watch, "watch", 0,
		"with --history or --site: what an archive is worth that is kept up to date by "
		"uniform, proportional, fresh, age, harmonic, longevity, capture, hacs, sample, "
		"hybrid, sharp, captures",
		.metavar = "POLICIES"),
	ROW(DOUBLE, days, "days", 0,
		"with --watch: length of a watch, of which the second half is measured (default: "
		"365)",
		.max = 1e6, .bounds = OPTION_ABOVE_MIN),
	ROW(DURATION, grid, "grid", 0,
		"with --watch: time between two instants at which pages are to be proven (default: "
		"1d)",
		.max = 1e9, .bounds = OPTION_ABOVE_MIN),
	CMD_PLANNING_SPECS,
	ROW(INT, size, "size", 'n',
		"estimated number of pages that the strategy is told (default: the true one)",
		.min = 1, .max = UINT32_MAX),
	ROW(LIST, seeds, "seeds", 0,
		"pages known at the beginning, separated by commas; may be given more than once "
		"(default: the first page of the file, or all where no page has links)",
		.metavar = "PAGES"),
	ROW(INT, runs, "runs", 'r',
		"how often the changes are drawn (default: 20; for tables 40, and fewer for their "
		"largest sites)",
		.min = 1, .max = 1000000),
	ROW(DOUBLE, crawl_days, "crawl-days", 0, "with --history: length of a crawl (default: 7)",
		.metavar = "DAYS", .max = 1e5, .bounds = OPTION_ABOVE_MIN),
	ROW(INT, draws, "draws", 0, "with --history: number of crawls (default: 200)", .min = 1,
		.max = 1e6),
	ROW(STRING, links, "links", 0,
		"with --history: find pages by these links, from index.html on (default: all are "
		"known at the start); with --sampling: the link graph",
		.metavar = "FILE"),
	ROW(CHOICE, rates, "rates", 0,
		"with --history: change rates from what came before the crawl (default), from "
		"the changes during it, or predicted from paths and the past of a tenth of the "
		"pages",
		.choices = SIMULATE_RATES),
	ROW(DOUBLE, memory_days, "memory-days", 0,
		"with --history: rates from so much of the past (default: all of it)",
		.metavar = "DAYS", .max = 1e6, .bounds = OPTION_ABOVE_MIN),
	ROW(LIST, gains, "gain", 0,
		"with --history: what the first strategy would gain by last-modified, "
		"best-instant, subsites, canaries, third-visit, or several joined by '+'",
		.metavar = "LIST"),
	ROW(INT, canary_period, "canary-period", 0,
		"with --history: visits between two canaries (default: 10)", .min = 1, .max = 1e6),
	ROW(CHOICE, half, "half", 0,
		"with --history: part of the time range in which crawls begin: all (default), "
		"first, second",
		.choices = SIMULATE_HALVES),
	ROW(INT, seed, "seed", 0,
		"seed of the random numbers: the same seed gives the same figures (default: 0)",
		.min = 0, .max = 9e15),
	ROW(INT, threads, "threads", 0,
		"runs at a time; the figures do not depend on it (default: one for each processor)",
		.min = 1, .max = PARALLEL_THREADS_MAX),
	ROW(DOUBLE, estimate_error, "estimate-error", 0,
		"tell the strategies (1 + E) times the true number of pages: 1 for twice as many, "
		"-0.1 for a tenth less (default: 0)",
		.metavar = "E", .min = -1, .max = 1000, .bounds = OPTION_ABOVE_MIN),
	ROW(DOUBLE, rate_error, "rate-error", 0,
		"tell the strategies wrong rates: each is off by a random factor between 1/F and F "
		"(default: 1)",
		.metavar = "F", .min = 1, .max = 1e6),
	ROW(DOUBLE, failures, "failures", 0,
		"probability that a download fails and is tried again (default: 0)", .metavar = "P",
		.max = 1, .bounds = OPTION_BELOW_MAX),
	ROW(DOUBLE, late, "late", 0,
		"probability that a link is not there yet at the visit of its page (default: 0)",
		.metavar = "P", .max = 1, .bounds = OPTION_BELOW_MAX),
	ROW(FLAG, json, "json", 'j', "print JSON"),
	ROW(STRING, text, "text", 0, "also write the text report to a file", .metavar = "FILE"),
	ROW(STRING, html, "html", 0, "also write an HTML page with tables and plots to a file",
		.metavar = "FILE"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = LAB_PROGRAM,
	.command = "simulate",
	.usage = "--table NAME [OPTION…]\n--site SPEC [OPTION…]\n--graph FILE [OPTION…]\n"
		 "--history FILE [OPTION…]\n--evaluate WHAT --history FILE "
		 "[OPTION…]\n--sampling POLICIES --history FILE [OPTION…]\n--watch POLICIES "
		 "--history FILE [OPTION…]\n--watch POLICIES --site SPEC [OPTION…]",
	.description =
		"--table repeats an experiment of the papers and prints our figures beside the "
		"printed ones: what may be expected, and what simulated changes gave.\n\n"
		"--site compares strategies, a list separated by commas or 'all', on a synthetic "
		"site "
		"that may differ from what they are told, and whose downloads may fail. 'op' is "
		"one more strategy here; it knows the future.\n\n"
		"--graph runs a strategy over a site whose pages it finds only by following links, "
		"and prints in which order it visits and revisits them and what may be expected of "
		"that. The file has one line for each page; links are page names separated by "
		"blanks.\n\n"
		"  page,rate,weight,links\n"
		"  /,0.01,2,/news /imprint\n"
		"  /news,0.1,1,/\n"
		"  /imprint,0.000001,1,\n\n"
		"A strategy that needs all pages beforehand is given those that can be reached.\n\n"
		"--history captures a real site at random moments of its recorded past, by several "
		"strategies, a list as above, and with what could be gained on top of the first. A "
		"line is time, commit, A, M or D, and path, separated by tabs.\n\n"
		"--evaluate draws irregular visits from such a past and prints how well what they "
		"saw tells which pages change within the next week (hacs: against the policies of "
		"that paper), how often pages change (estimators), and how well their paths alone "
		"predict that (predictor).\n\n"
		"--sampling repeats the experiments of update detection by sampling: in each cycle "
		"a share of the pages is downloaded, as the policies choose, and the change ratio "
		"is the share of these that had changed.\n\n"
		"--watch keeps an archive up to date with a budget of looks, as the policies of "
		"`stillpoint watch` choose, and prints how fresh, old, complete and sharp it is. "
		"captures is one more: captures of the whole site, one behind another.",
	.specs = SPECS,
};

/* A mode is picked by the option that says what to simulate. */
static const struct mode {
	const char *option;
	const char *takes; /* its other options, each between blanks */
	enum cmd_status (*run)(const struct simulate_options *o);
	bool studies; /* needs one of the others, as what it works on */
} MODES[] = {
	{"evaluate", " history start seed json text ", simulate_evaluate, true},
	{"watch",
		" history site start days grid budget rates memory-days runs seed threads json "
		"text ",
		simulate_watch, true},
	{"sampling",
		" history links start cycle cycles clusters budget changed runs seed json text ",
		simulate_sampling, true},
	{"table", " history links start runs seed threads json text html ", simulate_table, false},
	{"site",
		" strategy delay tau runs seed threads estimate-error rate-error failures late "
		"json text html ",
		simulate_site, false},
	{"graph", " strategy delay tau size seeds json text html ", simulate_graph, false},
	{"history",
		" strategy tau crawl-days draws links rates memory-days gain canary-period half "
		"seed "
		"threads "
		"json text html ",
		simulate_history, false},
};

enum { MODES_N = sizeof MODES / sizeof MODES[0] };

/* Whether it was given a value other than nothing. */
static bool is_set(const struct option_spec *spec, const struct simulate_options *o)
{
	static const size_t SIZES[] = {
		[OPTION_FLAG] = sizeof(bool),
		[OPTION_STRING] = sizeof(const char *),
		[OPTION_INT] = sizeof(int64_t),
		[OPTION_DOUBLE] = sizeof(double),
		[OPTION_SIZE] = sizeof(uint64_t),
		[OPTION_DURATION] = sizeof(double),
		[OPTION_CHOICE] = sizeof(int),
		[OPTION_LIST] = sizeof(struct text_list),
	};
	const unsigned char *field = (const unsigned char *)o + spec->offset;

	for (size_t i = 0; i < SIZES[spec->kind]; i++)
		if (field[i])
			return true;
	return false;
}

static bool is_given(const char *option, const struct simulate_options *o)
{
	for (const struct option_spec *s = SPECS; s->name; s++)
		if (strcmp(s->name, option) == 0)
			return is_set(s, o);
	return false;
}

static bool takes(const struct mode *m, const char *option)
{
	size_t len = strlen(option);
	const char *at = m->takes;

	while ((at = strstr(at, option)) && !(at[-1] == ' ' && at[len] == ' '))
		at += len;
	return at || strcmp(m->option, option) == 0;
}

/* An option that would be ignored is a mistake. */
static int check_options(const struct mode *m, const struct simulate_options *o, struct err *err)
{
	for (const struct option_spec *s = SPECS; s->name; s++)
		if (is_set(s, o) && !takes(m, s->name))
			return err_set(err, ERR_USAGE,
				"--%s has no meaning with --%s (try 'stillpoint-lab simulate "
				"--help')",
				s->name, m->option);
	return 0;
}

static const struct mode *pick(const struct simulate_options *o, struct err *err)
{
	const struct mode *found = NULL;

	for (size_t i = 0; i < MODES_N; i++) {
		if (!is_given(MODES[i].option, o))
			continue;
		if (found && (found->studies || takes(found, MODES[i].option)))
			continue; /* what it works on; others are refused below */
		if (found) {
			(void)err_set(err, ERR_USAGE, "--%s and --%s cannot be combined",
				found->option, MODES[i].option);
			return NULL;
		}
		found = &MODES[i];
	}
	if (!found)
		(void)err_set(err, ERR_USAGE,
			"--table, --site, --graph or --history is missing (try "
			"'stillpoint-lab simulate --help')");
	return found;
}

static int write_html(const void *output, FILE *file)
{
	const struct simulate_output *o = output;

	o->html(o->context, file);
	return 0;
}

static int write_text(const void *output, FILE *file)
{
	const struct simulate_output *o = output;

	o->text(o->context, file);
	return 0;
}

enum cmd_status simulate_print(
	const struct simulate_options *o, const struct simulate_output *output)
{
	struct err err = {0};

	if ((o->html && cmd_write_file(o->html, write_html, output, &err)) ||
		(o->text && cmd_write_file(o->text, write_text, output, &err)))
		return cmd_fail("simulate", &err);
	if (o->json)
		return cmd_finish(output->json(output->context, stdout));
	output->text(output->context, stdout);
	return cmd_finish(0);
}

/* Whether it can be written: found out before hours of computing, not behind them. */
static int check_output(const char *path, struct err *err)
{
	char dir[PATH_MAX] = ".";
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!path || access(path, W_OK) == 0)
		return 0;
	if (slash)
		(void)snprintf(dir, sizeof dir, "%.*s", (int)(slash - path) + 1, path);
	if (errno == ENOENT && access(dir, W_OK | X_OK) == 0)
		return 0;
	return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
}

/* A word as a shell would have to be given it. */
static int add_word(struct buf *line, const char *word)
{
	static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";
	int rc = buf_add_char(line, ' ');

	if (rc == 0 && *word && word[strspn(word, PLAIN)] == '\0')
		return buf_add_str(line, word);
	if (rc == 0)
		rc = buf_add_char(line, '\'');
	for (; rc == 0 && *word; word++)
		rc = *word == '\'' ? buf_add_str(line, "'\\''") : buf_add_char(line, *word);
	return rc ? rc : buf_add_char(line, '\'');
}

/* A page says how it was made. A line that is too long is cut: nobody types that. */
static const char *command_line(int argc, char **argv, struct buf *line)
{
	int rc = buf_add_str(line, LAB_PROGRAM);

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = add_word(line, argv[i]);
	if (rc)
		(void)buf_add_str(line, " …");
	return buf_str(line);
}

enum cmd_status lab_simulate(int argc, char **argv)
{
	struct simulate_options o = {0};
	struct buf line;
	const struct mode *mode;
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	buf_init(&line, COMMAND_MAX);
	o.command = command_line(argc, argv, &line); /* options_parse changes the order */
	if (cmd_options(&OPTIONS, argc, argv, &o, &args, &status)) {
		mode = pick(&o, &err);
		if (!mode || check_options(mode, &o, &err) || check_output(o.html, &err) ||
			check_output(o.text, &err))
			status = cmd_fail("simulate", &err);
		else
			status = mode->run(&o);
	}
	options_release(&OPTIONS, &o);
	buf_release(&line);
	return status;
}
