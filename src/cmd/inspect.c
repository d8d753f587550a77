/* stillpoint inspect: a table of what can be inspected. */
#include "cmd/inspect.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

static const struct {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} READERS[] = {
	{"allocate", "how a budget of looks is best divided among pages", inspect_allocate},
	{"change", "whether two downloads are the same page, and what is noise", inspect_change},
	{"distance", "how far pages are from a page, by links or directories", inspect_distance},
	{"links", "what a document links to", inspect_links},
	{"pagerank", "the PageRank of the pages of a link graph", inspect_pagerank},
	{"rate", "how often pages change, from what visits saw", inspect_rate},
	{"robots", "what a robots.txt allows, and by which line", inspect_robots},
	{"sitemap", "the entries of a sitemap or feed", inspect_sitemap},
	{"text", "what a reader sees of a document", inspect_text},
	{"url", "how a URL is parsed, resolved and indexed", inspect_url},
	{"warc", "the records of a WARC file, and whether they are sound", inspect_warc},
};

enum { READER_COUNT = sizeof READERS / sizeof READERS[0] };

/* What each of them says of itself follows, so that all options are in one place. */
static enum cmd_status print_help(void)
{
	char option[] = "--help";
	int status = CMD_OK;

	puts("Usage: stillpoint inspect WHAT ARGUMENT…\n"
	     "\n"
	     "Shows how Stillpoint reads foreign input, one JSON object on each line.\n"
	     "\n"
	     "What:");
	for (size_t i = 0; i < READER_COUNT; i++)
		printf("  %-10s %s\n", READERS[i].name, READERS[i].summary);
	for (size_t i = 0; i < READER_COUNT && status == CMD_OK; i++) {
		char name[] = "inspect";
		char *command_line[] = {name, option, NULL};

		puts("");
		status = READERS[i].run(2, command_line);
	}
	return status == CMD_OK ? cmd_finish(0) : (enum cmd_status)status;
}

static enum cmd_status fail_unknown(const char *name)
{
	struct err err = {0};
	struct closest c;

	closest_init(&c, name);
	for (size_t i = 0; i < READER_COUNT; i++)
		closest_offer(&c, READERS[i].name);
	(void)cmd_unknown("cannot inspect", &c, "try 'stillpoint inspect --help'", &err);
	return cmd_fail("inspect", &err);
}

enum cmd_status cmd_inspect(int argc, char **argv)
{
	if (argc < 2)
		return cmd_fail("inspect",
			&(struct err){ERR_USAGE,
				"say what to inspect: allocate, change, distance, links, pagerank, "
				"rate, robots, sitemap, text, url or warc (try 'stillpoint inspect "
				"--help')"});
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help();
	for (size_t i = 0; i < READER_COUNT; i++)
		if (strcmp(READERS[i].name, argv[1]) == 0)
			return (enum cmd_status)READERS[i].run(argc - 1, argv + 1);
	return fail_unknown(argv[1]);
}
