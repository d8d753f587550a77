/* The program: a table of commands. Completion and the tests read them off --help. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

struct command {
	const char *name;
	const char *summary;
	enum cmd_status (*run)(int argc, char **argv);
};

static const struct command COMMANDS[] = {
	{"crawl", "capture a site, then print its quality", cmd_crawl},
	{"demo", "capture a changing site in several ways and check the results", cmd_demo},
	{"diff", "show the two versions of a page side by side", cmd_diff},
	{"export", "write an archive as WACZ or WARC, or its index as CDXJ or CSV", cmd_export},
	{"graph", "print the link graph of a capture, with PageRank", cmd_graph},
	{"import", "take in captures that others made", cmd_import},
	{"index", "rebuild the index of an archive", cmd_index},
	{"inspect", "show how input files are read, one JSON object per line", cmd_inspect},
	{"judge", "verdicts from one or two archives of any crawler", cmd_judge},
	{"living-site", "serve a web site whose pages change at known times", cmd_living_site},
	{"plan", "compute a schedule for known pages and rates, and its outcome", cmd_plan},
	{"predict", "predict change rates of pages without history", cmd_predict},
	{"rates", "tell how often pages change, from archives and lists of captures", cmd_rates},
	{"rebuild", "make a lost or damaged catalog anew from the WARC files", cmd_rebuild},
	{"report", "print how sharp a capture is, page by page", cmd_report},
	{"resume", "continue captures that were interrupted", cmd_resume},
	{"retire", "give up old versions of pages, by rules", cmd_retire},
	{"search", "find pages of an archive by their words", cmd_search},
	{"serve", "show archives in a browser, and by Memento and CDX", cmd_serve},
	{"similar", "list pages of an archive that show nearly the same text", cmd_similar},
	{"simulate", "simulate captures of a given site", cmd_simulate},
	{"train", "learn from known change rates, for predict", cmd_train},
	{"verify", "check what an archive claims against its WARC files", cmd_verify},
	{"watch", "keep sites fresh, sharp or complete, on a budget", cmd_watch},
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0] };

static enum cmd_status print_help(void)
{
	puts("Usage: stillpoint COMMAND [ARGUMENT…]\n"
	     "       stillpoint help [COMMAND]\n"
	     "       stillpoint --version\n"
	     "\n"
	     "Takes sharp pictures of web sites: plans in which order pages are visited and\n"
	     "revisited, so that as many as possible are proven unchanged around one instant.\n"
	     "\n"
	     "Commands:");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-11s %s\n", COMMANDS[i].name, COMMANDS[i].summary);
	puts("\n'stillpoint COMMAND --help' explains a command.");
	return cmd_finish(0);
}

static enum cmd_status print_version(void)
{
	puts("stillpoint " STILLPOINT_VERSION);
	return cmd_finish(0);
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(COMMANDS[i].name, name) == 0)
			return &COMMANDS[i];
	return NULL;
}

static enum cmd_status fail_unknown(const char *name)
{
	struct err err = {0};
	struct closest c;

	closest_init(&c, name);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		closest_offer(&c, COMMANDS[i].name);
	closest_offer(&c, "help");
	closest_offer(&c, "--help");
	closest_offer(&c, "--version");
	(void)cmd_unknown(name[0] == '-' ? "unknown option" : "unknown command", &c,
		"try 'stillpoint --help'", &err);
	return cmd_fail(NULL, &err);
}

/* help, help COMMAND */
static enum cmd_status help(int argc, char **argv)
{
	char option[] = "--help";
	char *command_line[] = {argv[0], option, NULL};
	const struct command *command;

	if (argc < 2)
		return print_help();
	command = find(argv[1]);
	if (!command)
		return fail_unknown(argv[1]);
	return command->run(2, command_line);
}

static bool is_any(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/*
 * Large pieces of memory go back to the system when they are freed, for good: glibc would raise
 * the size that it takes for large with every such piece.
 */
static void set_up_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

/* Nothing is lost when the reader of its output goes away. */
static bool only_prints(const struct command *command)
{
	static const char *const names[] = {"diff", "inspect", "judge", "plan", "predict", "rates",
		"report", "similar", "simulate", "verify"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(command->name, names[i]) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	const struct command *command;

	set_up_memory();
	/* A reader that goes away must not end a capture; cmd_finish sees to it when all is done.
	 */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	if (argc < 2)
		return cmd_fail(NULL,
			&(struct err){ERR_USAGE, "a command is missing (try 'stillpoint --help')"});
	if (is_any(argv[1], "--help", "-h"))
		return print_help();
	if (is_any(argv[1], "--version", "-V"))
		return print_version();
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	command = find(argv[1]);
	if (!command)
		return fail_unknown(argv[1]);
	if (only_prints(command)) /* so it ends at once, however much it would still compute */
		(void)signal(SIGPIPE, SIG_DFL);
	return command->run(argc - 1, argv + 1);
}
