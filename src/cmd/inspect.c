/* stillpoint inspect: a table of what can be inspected. */
#include "cmd/inspect.h"

#include "cmd/program.h"

static const struct command READERS[] = {
	{"change", "whether two downloads are the same page, and what is noise", inspect_change,
		true},
	{"links", "what a document links to", inspect_links, true},
	{"robots", "what a robots.txt allows, and by which line", inspect_robots, true},
	{"sitemap", "the entries of a sitemap or feed", inspect_sitemap, true},
	{"text", "what a reader sees of a document", inspect_text, true},
	{"url", "how a URL is parsed, resolved and indexed", inspect_url, true},
	{"warc", "the records of a WARC file, and whether they are sound", inspect_warc, true},
	{.name = NULL},
};

static const struct moved MOVED[] = {
	{"allocate", "stillpoint-lab"},
	{"distance", "stillpoint-lab"},
	{"pagerank", "stillpoint-lab"},
	{"rate", "stillpoint-lab"},
	{.name = NULL},
};

enum cmd_status cmd_inspect(int argc, char **argv)
{
	static const struct program INSPECT = {
		.about = "Shows how Stillpoint reads foreign input, one JSON object on each line.",
		.commands = READERS,
		.moved = MOVED,
	};

	return program_inspect(&INSPECT, argc, argv);
}
