/* stillpoint simulate: the options of all modes, and which mode they ask for. */
#include "cmd/simulate.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "sim/parallel.h"

enum { COMMAND_MAX = 16 << 10 };

const char *const SIMULATE_RATES[] = {"past", "oracle", NULL};
const char *const SIMULATE_HALVES[] = {"all", "first", "second", NULL};

static const struct option_spec SPECS[] = {
	{.name = "table",
		.letter = 'T',
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, table),
		.metavar = "NAME",
		.help = "an experiment of the papers, 'all' of them, or 'list'"},
	{.name = "site",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, site),
		.metavar = "SPEC",
		.help = "a synthetic site: synthetic:n=10000,skew=1.2,outdegree=400,leaves=cold; "
			"what is left out is as here"},
	{.name = "graph",
		.letter = 'g',
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, graph),
		.metavar = "FILE",
		.help = "the site: CSV with the header page,rate,weight,links; '-' is standard "
			"input"},
	{.name = "history",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, history),
		.metavar = "FILE",
		.help = "captures of a real site at random moments of its recorded history; gzip "
			"is fine"},
	{.name = "evaluate",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, evaluate),
		.metavar = "WHAT",
		.help = "with --history: how well change rates are estimated: hacs (which pages "
			"change within a week), predictor (rates of unknown pages) or estimators"},
	{.name = "start",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, start),
		.metavar = "DATE",
		.help = "with --evaluate: first day of the three years, as 2015-06-01 (default: "
			"those with most pages)"},
	CMD_PLANNING_SPECS(struct simulate_options),
	{.name = "size",
		.letter = 'n',
		.kind = OPTION_INT,
		.offset = offsetof(struct simulate_options, size),
		.help = "estimated number of pages that the strategy is told (default: the true "
			"one)",
		.min = 1,
		.max = UINT32_MAX},
	{.name = "seeds",
		.kind = OPTION_LIST,
		.offset = offsetof(struct simulate_options, seeds),
		.metavar = "PAGES",
		.help = "pages known at the beginning, separated by commas; may be given more than "
			"once "
			"(default: the first page of the file)"},
	{.name = "runs",
		.letter = 'r',
		.kind = OPTION_INT,
		.offset = offsetof(struct simulate_options, runs),
		.help = "how often the changes are drawn (default: 20; for tables 40, and fewer "
			"for "
			"their largest sites)",
		.min = 1,
		.max = 1000000},
	{.name = "crawl-days",
		.kind = OPTION_DOUBLE,
		.offset = offsetof(struct simulate_options, crawl_days),
		.metavar = "DAYS",
		.help = "with --history: length of a crawl (default: 7)",
		.max = 1e5,
		.bounds = OPTION_ABOVE_MIN},
	{.name = "draws",
		.kind = OPTION_INT,
		.offset = offsetof(struct simulate_options, draws),
		.help = "with --history: number of crawls (default: 200)",
		.min = 1,
		.max = 1e6},
	{.name = "links",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, links),
		.metavar = "FILE",
		.help = "with --history: find pages by these links, from index.html on (default: "
			"all "
			"are known at the start)"},
	{.name = "rates",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct simulate_options, rates),
		.choices = SIMULATE_RATES,
		.help = "with --history: change rates from what came before the crawl (default), "
			"or from the changes during it"},
	{.name = "memory-days",
		.kind = OPTION_DOUBLE,
		.offset = offsetof(struct simulate_options, memory_days),
		.metavar = "DAYS",
		.help = "with --history: rates from so much of the past (default: all of it)",
		.max = 1e6,
		.bounds = OPTION_ABOVE_MIN},
	{.name = "gain",
		.kind = OPTION_LIST,
		.offset = offsetof(struct simulate_options, gains),
		.metavar = "LIST",
		.help = "with --history: what the first strategy would gain by last-modified, "
			"best-instant, subsites, canaries, third-visit, or several joined by '+'"},
	{.name = "canary-period",
		.kind = OPTION_INT,
		.offset = offsetof(struct simulate_options, canary_period),
		.help = "with --history: visits between two canaries (default: 10)",
		.min = 1,
		.max = 1e6},
	{.name = "half",
		.kind = OPTION_CHOICE,
		.offset = offsetof(struct simulate_options, half),
		.choices = SIMULATE_HALVES,
		.help = "with --history: part of the time range in which crawls begin: all "
			"(default), first, second"},
	{.name = "seed",
		.kind = OPTION_INT,
		.offset = offsetof(struct simulate_options, seed),
		.help = "of the random numbers: the same seed gives the same figures (default: 0)",
		.min = 0,
		.max = 9e15},
	{.name = "threads",
		.kind = OPTION_INT,
		.offset = offsetof(struct simulate_options, threads),
		.help = "runs at a time; the figures do not depend on it (default: one for each "
			"processor)",
		.min = 1,
		.max = PARALLEL_THREADS_MAX},
	{.name = "estimate-error",
		.kind = OPTION_DOUBLE,
		.offset = offsetof(struct simulate_options, estimate_error),
		.metavar = "E",
		.help = "tell the strategies (1 + E) times the true number of pages: 1 for twice "
			"as "
			"many, -0.1 for a tenth less (default: 0)",
		.min = -1,
		.max = 1000,
		.bounds = OPTION_ABOVE_MIN},
	{.name = "rate-error",
		.kind = OPTION_DOUBLE,
		.offset = offsetof(struct simulate_options, rate_error),
		.metavar = "F",
		.help = "tell the strategies wrong rates: each is off by a random factor between "
			"1/F and F (default: 1)",
		.min = 1,
		.max = 1e6},
	{.name = "failures",
		.kind = OPTION_DOUBLE,
		.offset = offsetof(struct simulate_options, failures),
		.metavar = "P",
		.help = "probability that a download fails and is tried again (default: 0)",
		.max = 1,
		.bounds = OPTION_BELOW_MAX},
	{.name = "late",
		.kind = OPTION_DOUBLE,
		.offset = offsetof(struct simulate_options, late),
		.metavar = "P",
		.help = "probability that a link is not there yet at the visit of its page "
			"(default: 0)",
		.max = 1,
		.bounds = OPTION_BELOW_MAX},
	{.name = "json",
		.letter = 'j',
		.kind = OPTION_FLAG,
		.offset = offsetof(struct simulate_options, json),
		.help = "print JSON"},
	{.name = "text",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, text),
		.metavar = "FILE",
		.help = "write the text for people to a file, whatever is printed"},
	{.name = "html",
		.kind = OPTION_STRING,
		.offset = offsetof(struct simulate_options, html),
		.metavar = "FILE",
		.help = "write a page with tables and plots to a file, whatever is printed"},
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "simulate",
	.usage = "--table NAME [OPTION…]\n--site SPEC [OPTION…]\n--graph FILE [OPTION…]\n"
		 "--history FILE [OPTION…]\n--evaluate WHAT --history FILE "
		 "[OPTION…]",
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
		"predict that (predictor).",
	.specs = SPECS,
};

/* A mode is picked by the option that says what to simulate. */
static const struct mode {
	const char *option;
	const char *takes; /* its other options, each between blanks */
	enum cmd_status (*run)(const struct simulate_options *o);
} MODES[] = {
	{"evaluate", " history start seed json text ", simulate_evaluate},
	{"table", " runs seed threads json text html ", simulate_table},
	{"site",
		" strategy delay tau runs seed threads estimate-error rate-error failures late "
		"json text html ",
		simulate_site},
	{"graph", " strategy delay tau size seeds json text html ", simulate_graph},
	{"history",
		" strategy tau crawl-days draws links rates memory-days gain canary-period half "
		"seed "
		"threads "
		"json text html ",
		simulate_history},
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
		[OPTION_LIST] = sizeof(struct option_list),
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
				"--%s has no meaning with --%s (try 'stillpoint simulate "
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
		if (found && strcmp(found->option, "evaluate") == 0)
			break; /* --history is its file then, others are refused below */
		if (found) {
			(void)err_set(err, ERR_USAGE, "--%s and --%s exclude each other",
				found->option, MODES[i].option);
			return NULL;
		}
		found = &MODES[i];
	}
	if (!found)
		(void)err_set(err, ERR_USAGE,
			"--table, --site, --graph or --history is missing (try "
			"'stillpoint simulate --help')");
	return found;
}

static int write_file(const char *path, void (*write)(const void *context, FILE *file),
	const void *context, struct err *err)
{
	FILE *file = fopen(path, "we");
	bool failed;

	if (!file)
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	write(context, file);
	failed = ferror(file);
	if (fclose(file) || failed)
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	return 0;
}

enum cmd_status simulate_print(
	const struct simulate_options *o, const struct simulate_output *output)
{
	struct err err = {0};

	if ((o->html && write_file(o->html, output->html, output->context, &err)) ||
		(o->text && write_file(o->text, output->text, output->context, &err)))
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
	int rc = buf_add_str(line, "stillpoint");

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = add_word(line, argv[i]);
	if (rc)
		(void)buf_add_str(line, " …");
	return buf_str(line);
}

enum cmd_status cmd_simulate(int argc, char **argv)
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
