/* The program: a table of commands. */
#include "cmd/program.h"

const char CMD_PROGRAM[] = "stillpoint";

static const struct command COMMANDS[] = {
	{"crawl", "capture a site, then print its quality", cmd_crawl, false},
	{"resume", "continue captures that were interrupted", cmd_resume, false},
	{"watch", "keep sites fresh, sharp or complete, on a budget", cmd_watch, false},
	{"serve", "show archives in a browser, and by Memento and CDX", cmd_serve, false},
	{"search", "find pages of an archive by their words", cmd_search, false},
	{"report", "print how sharp a capture is, page by page", cmd_report, true},
	{"diff", "show the two versions of a page side by side", cmd_diff, true},
	{"verify", "check what an archive claims against its WARC files", cmd_verify, true},
	{"judge", "verdicts from one or two archives of any crawler", cmd_judge, true},
	{"plan", "compute a schedule for known pages and rates, and its outcome", cmd_plan, true},
	{"rates", "tell how often pages change, from archives and lists of captures", cmd_rates,
		true},
	{"train", "learn from known change rates, for predict", cmd_train, false},
	{"predict", "predict change rates of pages without history", cmd_predict, true},
	{"import", "take in captures that others made", cmd_import, false},
	{"export", "write an archive as WACZ or WARC, or its index as CDXJ or CSV", cmd_export,
		false},
	{"index", "rebuild the index of an archive", cmd_index, false},
	{"rebuild", "make a lost or damaged catalog anew from the WARC files", cmd_rebuild, false},
	{"retire", "give up old versions of pages, by rules", cmd_retire, false},
	{"graph", "print the link graph of a capture, with PageRank", cmd_graph, false},
	{"inspect", "show how input files are read, one JSON object per line", cmd_inspect, true},
	{"similar", "list pages of an archive that show nearly the same text", cmd_similar, true},
	{.name = NULL},
};

static const struct heading HEADINGS[] = {
	{"crawl", "Capture"},
	{"serve", "Look"},
	{"verify", "Prove"},
	{"plan", "Plan"},
	{"import", "Keep"},
	{"graph", "Study"},
	{.first = NULL},
};

static const struct moved MOVED[] = {
	{"demo", "stillpoint-lab"},
	{"living-site", "stillpoint-lab"},
	{"simulate", "stillpoint-lab"},
	{.name = NULL},
};

static const struct program PROGRAM = {
	.about =
		"Archives web sites and proves what they showed at one moment: visits every page,\n"
		"revisits it, and tells which were unchanged around one instant, the still point.",
	.commands = COMMANDS,
	.moved = MOVED,
	.headings = HEADINGS,
};

int main(int argc, char **argv)
{
	return program_main(&PROGRAM, argc, argv);
}
