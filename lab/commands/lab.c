/* stillpoint-lab: a table of commands. */
#include "cmd/program.h"
#include "commands/commands.h"

const char CMD_PROGRAM[] = LAB_PROGRAM;

static const struct command INSPECTED[] = {
	{"allocate", "how a budget of looks is best divided among pages", inspect_allocate, true},
	{"distance", "how far pages are from a page, by links or directories", inspect_distance,
		true},
	{"pagerank", "the PageRank of the pages of a link graph", inspect_pagerank, true},
	{"rate", "how often pages change, from what visits saw", inspect_rate, true},
	{.name = NULL},
};

static enum cmd_status inspect(int argc, char **argv)
{
	static const struct program INSPECT = {
		.about = "Shows what our formulas give, one JSON object on each line.",
		.commands = INSPECTED,
	};

	return program_inspect(&INSPECT, argc, argv);
}

static const struct command COMMANDS[] = {
	{"demo", "capture a changing site in several ways and check the results", lab_demo, false},
	{"inspect", "show what rates, budgets and link graphs give, in JSON lines", inspect, true},
	{"living-site", "serve a web site whose pages change at known times", lab_living_site,
		false},
	{"simulate", "simulate captures of a given site", lab_simulate, true},
	{.name = NULL},
};

static const struct program PROGRAM = {
	.about = "The laboratory of Stillpoint: sites that change as they are told, captures of\n"
		 "them in virtual time, the papers' experiments, histories of real sites.",
	.commands = COMMANDS,
};

int main(int argc, char **argv)
{
	return program_main(&PROGRAM, argc, argv);
}
