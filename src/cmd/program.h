/* A program of several commands: its table, its help, and how it starts. The same for inspect. */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/cmd.h"

struct command {
	const char *name;
	const char *summary;
	enum cmd_status (*run)(int argc, char **argv); /* argv[0] is the name */
	bool only_prints; /* nothing is lost when the reader of its output goes away */
};

/* Commands from this one on stand under a heading in the help. */
struct heading {
	const char *first;
	const char *text;
};

/* What another program does: asked for it, ours names that one. */
struct moved {
	const char *name;
	const char *program;
};

/* All tables end with a row of NULLs. */
struct program {
	const char *about; /* the second paragraph of its help */
	const struct command *commands;
	const struct moved *moved;      /* NULL: nothing */
	const struct heading *headings; /* NULL: one for all */
};

/* All that main does. Completion and the tests read the commands off --help. */
int program_main(const struct program *p, int argc, char **argv);

/*
 * inspect WHAT …: the commands are what can be inspected. The help is a list of them and what each
 * says of itself, so that all options are in one place.
 */
enum cmd_status program_inspect(const struct program *p, int argc, char **argv);

#endif
