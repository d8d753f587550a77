#include "base/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/slice.h"
#include "tap.h"

enum { ARGS_MAX = 16 };

struct settings {
	bool json;
	bool color;
	const char *output;
	int64_t seed;
	double tau;
	uint64_t max_body;
	double delay;
	int strategy;
	struct text_list seeds;
};

static const char *const STRATEGIES[] = {"bfs", "dfs", "sharc-offline", "stillpoint-offline", NULL};

#define AT(member) .offset = offsetof(struct settings, member)
static const struct option_spec SPECS[] = {
	{.name = "json", .letter = 'j', .kind = OPTION_FLAG, AT(json), .help = "print JSON"},
	{.name = "color", .letter = 'c', .kind = OPTION_FLAG, AT(color), .help = "in colour"},
	{.name = "output",
		.letter = 'o',
		.kind = OPTION_STRING,
		AT(output),
		.metavar = "FILE",
		.help = "write to FILE instead of standard output, which is what happens when "
			"nothing "
			"is said"},
	{.name = "seed",
		.kind = OPTION_INT,
		AT(seed),
		.min = -5,
		.max = 1e6,
		.help = "random seed"},
	{.name = "tau",
		.kind = OPTION_DOUBLE,
		AT(tau),
		.min = 0,
		.max = 1,
		.bounds = OPTION_ABOVE_MIN | OPTION_BELOW_MAX,
		.help = "confidence"},
	{.name = "max-body", .kind = OPTION_SIZE, AT(max_body), .help = "largest body kept"},
	{.name = "delay", .letter = 'd', .kind = OPTION_DURATION, AT(delay), .help = "pause"},
	{.name = "strategy",
		.letter = 's',
		.kind = OPTION_CHOICE,
		AT(strategy),
		.choices = STRATEGIES,
		.help = "order of the visits"},
	{.name = "seed-page-with-a-long-name",
		.kind = OPTION_LIST,
		AT(seeds),
		.metavar = "PAGE",
		.help = "where to begin – may be given more than once"},
	{0},
};
#undef AT

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "plan",
	.usage = "PAGES.csv [OPTION…]\n--list",
	.description =
		"Computes a schedule for known pages and rates. The file has one line for each "
		"page and a header that names the columns.\n\n  page,rate\n  /news,0.5\n\n"
		"Nothing is downloaded.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 2,
};

/* The settings and positional arguments as one line, to compare with. */
static void describe(const struct settings *s, const struct option_args *a, char *out, size_t size)
{
	int n = snprintf(out, size,
		"json=%d color=%d output=%s seed=%lld tau=%g max=%llu delay=%g "
		"strategy=%s",
		s->json, s->color, s->output ? s->output : "-", (long long)s->seed, s->tau,
		(unsigned long long)s->max_body, s->delay, STRATEGIES[s->strategy]);

	for (size_t i = 0; i < s->seeds.len; i++)
		n += snprintf(out + n, size - (size_t)n, " +%s", s->seeds.ptr[i]);
	for (size_t i = 0; i < a->count; i++)
		n += snprintf(out + n, size - (size_t)n, " [%s]", a->ptr[i]);
}

/* Splits at blanks; a word "''" is the empty string. */
static int split(char *line, char **argv)
{
	static char command[] = "plan", empty[] = "";
	int argc = 0;

	argv[argc++] = command;
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "''") == 0 ? empty : word;
	argv[argc] = NULL;
	return argc;
}

static int parse(const char *text, char *ret_text, size_t size)
{
	struct settings s = {.color = true, .tau = 0.7, .delay = 1};
	struct option_args args = {0};
	struct err err = {0};
	char *argv[ARGS_MAX + 2];
	char line[256];
	int rc;

	(void)snprintf(line, sizeof line, "%s", text);
	rc = options_parse(&COMMAND, split(line, argv), argv, &s, &args, &err);
	if (rc == 0)
		describe(&s, &args, ret_text, size);
	else
		(void)snprintf(ret_text, size, "%s", err.text);
	options_release(&COMMAND, &s);
	return rc;
}

static void test_accepted(void)
{
#define REST(json, color, output, seed, tau, max, delay, strategy)                                \
	"json=" #json " color=" #color " output=" output " seed=" #seed " tau=" #tau " max=" #max \
	" delay=" #delay " strategy=" strategy
	static const struct {
		const char *line, *want;
	} rows[] = {
		{"p", REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"--json p", REST(1, 1, "-", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"p -j --no-color", REST(1, 0, "-", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"-jc p", REST(1, 1, "-", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"--json --no-json p", REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"--output=a=b p", REST(0, 1, "a=b", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"--output out p", REST(0, 1, "out", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"-o out p", REST(0, 1, "out", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"-oout p", REST(0, 1, "out", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"-jo out p", REST(1, 1, "out", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"-o - -", REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " [-]"},
		{"--output=--json p", REST(0, 1, "--json", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"--output= p", REST(0, 1, "", 0, 0.7, 0, 1, "bfs") " [p]"},
		{"--seed -5 p", REST(0, 1, "-", -5, 0.7, 0, 1, "bfs") " [p]"},
		{"--seed=1000000 p", REST(0, 1, "-", 1000000, 0.7, 0, 1, "bfs") " [p]"},
		{"--tau=0.999 p", REST(0, 1, "-", 0, 0.999, 0, 1, "bfs") " [p]"},
		{"--max-body 2k p", REST(0, 1, "-", 0, 0.7, 2048, 1, "bfs") " [p]"},
		{"-d1.5m p", REST(0, 1, "-", 0, 0.7, 0, 90, "bfs") " [p]"},
		{"-d 1 -d 2 p", REST(0, 1, "-", 0, 0.7, 0, 2, "bfs") " [p]"},
		{"-s sharc-offline p", REST(0, 1, "-", 0, 0.7, 0, 1, "sharc-offline") " [p]"},
		{"--seed-page-with-a-long-name a p --seed-page-with-a-long-name=b q",
			REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " +a +b [p] [q]"},
		{"-- --json -j", REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " [--json] [-j]"},
		{"p -- --", REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " [p] [--]"},
		{"''", REST(0, 1, "-", 0, 0.7, 0, 1, "bfs") " []"},
	};
#undef REST

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[1024];

		tap_case("accepted: %s", rows[i].line);
		CHECK_INT(parse(rows[i].line, text, sizeof text), 0);
		CHECK_STR(text, rows[i].want);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{"", "an argument is missing"},
		{"p q r", "unexpected argument 'r'"},
		{"--foo p", "unknown option --foo"},
		{"--foo=1 p", "unknown option --foo"},
		{"--dely 1 p", "unknown option --dely, did you mean --delay?"},
		{"--outptu=x p", "unknown option --outptu, did you mean --output?"},
		{"--str bfs p", "unknown option --str, did you mean --strategy?"},
		{"-x p", "unknown option -x"},
		{"-jx p", "unknown option -x"},
		{"--no-output p", "unknown option --no-output, did you mean --output?"},
		{"--json=yes p", "--json takes no value"},
		{"--no-json=1 p", "--no-json takes no value"},
		{"p --output", "--output needs a value"},
		{"p -o", "--output needs a value"},
		{"-o --json p", "--output needs a value"},
		{"--help=1", "--help takes no value"},
		{"--seed=1.5 p", "--seed needs a whole number, not '1.5'"},
		{"--seed= p", "--seed needs a whole number, not ''"},
		{"--seed=-6 p", "--seed must be at least -5 and at most 1000000, not -6"},
		{"--seed=99999999999999999999 p",
			"--seed must be at least -5 and at most 1000000, not 99999999999999999999"},
		{"--tau=nan p", "--tau needs a number, not 'nan'"},
		{"--tau=inf p", "--tau needs a number, not 'inf'"},
		{"--tau=0.5x p", "--tau needs a number, not '0.5x'"},
		{"--tau=0 p", "--tau must be above 0 and below 1, not 0"},
		{"--tau=1 p", "--tau must be above 0 and below 1, not 1"},
		{"--max-body=1.5G p", "--max-body needs a size such as 512, 64k or 2G, not '1.5G'"},
		{"--max-body=99999999T p", "--max-body: 99999999T is out of range"},
		{"--delay=soon p", "--delay needs a time such as 30, 1.5s, 20m or 2h, not 'soon'"},
		{"--delay=-1 p", "--delay: -1 is out of range"},
		{"--strategy=sharc-ofline p",
			"unknown strategy 'sharc-ofline', did you mean 'sharc-offline'? It is one "
			"of bfs, dfs, sharc-offline, stillpoint-offline"},
		{"--strategy=random p", "unknown strategy 'random', it is one of bfs, dfs, "
					"sharc-offline, stillpoint-offline"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[1024], want[1024];

		tap_case("refused: %s", rows[i].line);
		CHECK_INT(parse(rows[i].line, text, sizeof text), ERR_USAGE);
		(void)snprintf(
			want, sizeof want, "plan: %s (try 'stillpoint plan --help')", rows[i].want);
		CHECK_STR(text, want);
	}
}

static void test_help_is_asked_for(void)
{
	char text[1024];

	CHECK_INT(parse("--help", text, sizeof text), OPTIONS_HELP);
	CHECK_INT(parse("p -h", text, sizeof text), OPTIONS_HELP);
	CHECK_INT(parse("-jh", text, sizeof text), OPTIONS_HELP);
	CHECK_INT(parse("-- --help", text, sizeof text), 0);
}

/* An endless argument must not push the hint out of the message. */
static void test_long_argument(void)
{
	char line[256], text[1024];

	memset(line, 'x', sizeof line - 1);
	line[sizeof line - 1] = '\0';
	memcpy(line, "--tau=", 6);
	CHECK_INT(parse(line, text, sizeof text), ERR_USAGE);
	CHECK(strstr(text, "(try 'stillpoint plan --help')") != NULL);
}

static void test_program_without_commands(void)
{
	static const struct option_spec none[] = {{0}};
	static const struct options program = {.program = "stillpoint", .specs = none};
	char name[] = "stillpoint", bad[] = "--foo";
	char *argv[] = {name, bad, NULL};
	struct option_args args;
	struct err err = {0};

	CHECK_INT(options_parse(&program, 2, argv, NULL, &args, &err), ERR_USAGE);
	CHECK_STR(err.text, "stillpoint: unknown option --foo (try 'stillpoint --help')");
	CHECK_INT(options_parse(&program, 1, argv, NULL, &args, &err), 0);
	CHECK_INT((int64_t)args.count, 0);
}

static void test_help(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	CHECK(file != NULL);
	if (!file)
		return;
	options_help(&COMMAND, false, file);
	(void)fclose(file);
	tap_golden("base/options-help.txt", (slice){text, size});
	free(text);
}

static void test_closest(void)
{
	CHECK_STR(options_closest("sharc-online", STRATEGIES), "sharc-offline");
	CHECK_STR(options_closest("nothing", STRATEGIES), NULL);
}

static const struct option_spec *spec_of(const char *name)
{
	const struct option_spec *s = SPECS;

	while (strcmp(s->name, name) != 0)
		s++;
	return s;
}

/* What is set can be read again as the same. */
static void test_text(void)
{
	static const struct {
		const char *name, *value, *want;
	} rows[] = {
		{"json", "true", "true"},
		{"output", "a b", "a b"},
		{"seed", "-3", "-3"},
		{"tau", "0.25", "0.25"},
		{"max-body", "64k", "65536"},
		{"delay", "1d", "86400"},
		{"strategy", "dfs", "dfs"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct option_spec *s = spec_of(rows[i].name);
		char text[OPTION_TEXT_SIZE];
		struct settings out = {0}, again = {0};
		struct err err = {0};

		tap_case("text: %s", rows[i].name);
		CHECK_INT(option_set(s, &out, rows[i].value, "", &err), 0);
		CHECK_SLICE(option_text(s, &out, text), slice_str(rows[i].want));
		CHECK_INT(option_set(s, &again, rows[i].want, "", &err), 0);
		CHECK_SLICE(option_text(s, &again, text), slice_str(rows[i].want));
	}
}

static void test_no_text(void)
{
	struct settings out = {0};
	char text[OPTION_TEXT_SIZE];

	CHECK(!option_text(spec_of("output"), &out, text).ptr);
	CHECK(!option_text(spec_of("tau"), &out, text).ptr); /* 0 is out of its range */
}

/* ---- a table that several commands share ---- */

struct shared {
	double pause;
	uint32_t share;
	bool ignores;
	bool given[8];
};

static const char *const OBEY[] = {"obey", "ignore", NULL};
static const char FIRST[] = "First", SECOND[] = "Second";

static const struct option_spec SHARED[] = {
	{.name = "pause",
		.letter = 'p',
		.kind = OPTION_DURATION,
		.offset = offsetof(struct shared, pause),
		.max = 60,
		.usual = "auto",
		.word = "auto",
		.word_value = -1,
		.group = FIRST,
		.tags = 1,
		.help = "pause"},
	{.name = "share",
		.kind = OPTION_UINT,
		.offset = offsetof(struct shared, share),
		.min = 1,
		.max = 9,
		.group = FIRST,
		.help = "share"},
	{.name = "robots",
		.kind = OPTION_SWITCH,
		.offset = offsetof(struct shared, ignores),
		.choices = OBEY,
		.usual = "obey",
		.group = SECOND,
		.help = "robots.txt"},
	{.name = "deep",
		.letter = 'D',
		.kind = OPTION_FLAG,
		.offset = offsetof(struct shared, ignores),
		.group = SECOND,
		.tags = 2,
		.help = "deep"},
	{.name = "tau", .kind = OPTION_GONE, .help = "0.7 counts"},
	{.name = NULL},
};

static const char *refuses_deep(const struct option_spec *s)
{
	return s->tags & 2 ? "is for others" : NULL;
}

static bool has_first_tag(const struct option_spec *s)
{
	return s->tags & 1;
}

static const struct options SHARING = {.program = "p",
	.command = "c",
	.specs = SHARED,
	.max_args = 1,
	.refuses = refuses_deep,
	.is_basic = has_first_tag,
	.given = offsetof(struct shared, given)};

static void test_shared(void)
{
	static const struct {
		const char *argument;
		int want;
		double pause;
		uint32_t share;
		bool ignores;
		const char *error;
	} ROWS[] = {
		{"x", 0, -1, 0, false, ""},
		{"--pause=auto", 0, -1, 0, false, ""},
		{"-p5", 0, 5, 0, false, ""},
		{"--pause=90", ERR_USAGE, -1, 0, false,
			"c: --pause must be at least 0 and at most 60, not 90 (try 'p c --help')"},
		{"--pause=soon", ERR_USAGE, -1, 0, false,
			"c: --pause needs auto or a time such as 30, 1.5s, 20m or 2h, not 'soon' "
			"(try 'p c --help')"},
		{"--share=9", 0, -1, 9, false, ""},
		{"--share=-1", ERR_USAGE, -1, 0, false,
			"c: --share must be at least 1 and at most 9, not -1 (try 'p c --help')"},
		{"--robots=ignore", 0, -1, 0, true, ""},
		{"--robots=maybe", ERR_USAGE, -1, 0, false,
			"c: unknown robots 'maybe', it is one of obey, ignore (try 'p c --help')"},
		{"--deep", ERR_USAGE, -1, 0, false, "c: --deep is for others (try 'p c --help')"},
		{"--no-deep", ERR_USAGE, -1, 0, false,
			"c: --deep is for others (try 'p c --help')"},
		{"-D", ERR_USAGE, -1, 0, false, "c: --deep is for others (try 'p c --help')"},
		{"--tau", ERR_USAGE, -1, 0, false,
			"c: --tau is gone: 0.7 counts (try 'p c --help')"},
		{"--tao", ERR_USAGE, -1, 0, false, "c: unknown option --tao (try 'p c --help')"},
		{"--help", OPTIONS_HELP, -1, 0, false, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		char command[] = "c", argument[32];
		char *argv[] = {command, argument, NULL};
		struct shared out = {0};
		struct option_args args;
		struct err err = {0};

		tap_case("a shared table: %s", ROWS[i].argument);
		(void)snprintf(argument, sizeof argument, "%s", ROWS[i].argument);
		options_init(SHARED, &out);
		CHECK_INT(options_parse(&SHARING, 2, argv, &out, &args, &err), ROWS[i].want);
		CHECK_STR(err.text, ROWS[i].error);
		CHECK_NEAR(out.pause, ROWS[i].pause, 0);
		CHECK_INT(out.share, ROWS[i].share);
		CHECK_INT(out.ignores, ROWS[i].ignores);
		CHECK_INT(out.given[1], ROWS[i].share > 0);
		CHECK_INT(out.given[2], ROWS[i].ignores);
	}
}

static void test_shared_help(void)
{
	char *text[2] = {NULL, NULL};
	char command[] = "c", help[] = "-h", all[] = "all";
	char *argv[] = {command, help, all, NULL};
	struct shared out = {0};
	struct option_args args;
	struct err err = {0};

	CHECK_INT(options_parse(&SHARING, 3, argv, &out, &args, &err), OPTIONS_HELP_ALL);
	for (int i = 0; i < 2; i++) {
		size_t size = 0;
		FILE *file = open_memstream(&text[i], &size);

		options_help(&SHARING, i == 1, file);
		(void)fclose(file);
	}
	CHECK(strstr(text[0], "First:\n") && strstr(text[0], "(default: auto)"));
	CHECK(!strstr(text[0], "--share") && !strstr(text[0], "Second:"));
	CHECK(strstr(text[1], "--share") && strstr(text[1], "Second:\n"));
	CHECK(!strstr(text[1], "--deep") && !strstr(text[1], "--tau"));
	free(text[0]);
	free(text[1]);
}

static void test_inherit(void)
{
	static const struct options o = {.specs = SPECS};
	struct settings from = {0}, to = {0}, own = {0};

	CHECK_INT(text_list_push(&from.seeds, "a"), 0);
	CHECK_INT(text_list_push(&own.seeds, "b"), 0);
	CHECK_INT(options_inherit(&o, &from, &to), 0);
	CHECK_INT(options_inherit(&o, &from, &own), 0);
	CHECK(to.seeds.len == 1 && strcmp(to.seeds.ptr[0], "a") == 0);
	CHECK(own.seeds.len == 1 && strcmp(own.seeds.ptr[0], "b") == 0);
	options_release(&o, &from);
	options_release(&o, &to);
	options_release(&o, &own);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_accepted();
	test_refused();
	TAP_RUN(test_help_is_asked_for);
	TAP_RUN(test_long_argument);
	TAP_RUN(test_program_without_commands);
	TAP_RUN(test_help);
	TAP_RUN(test_closest);
	test_text();
	TAP_RUN(test_no_text);
	test_shared();
	TAP_RUN(test_shared_help);
	TAP_RUN(test_inherit);
	return tap_done();
}
