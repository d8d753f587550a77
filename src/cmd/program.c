#include "cmd/program.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { HINT_SIZE = 64, NAMES_SIZE = 256 };

static const struct command *find(const struct command *table, const char *name)
{
	for (; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

static void print_row(const struct command *c, int width)
{
	printf("  %-*s %s\n", width, c->name, c->summary);
}

static void offer_table(const struct command *table, struct closest *c)
{
	for (; table->name; table++)
		closest_offer(c, table->name);
}

/* Whether the name is in the list; then err says where it went. */
static bool is_moved(const struct moved *list, const char *under, const char *name, struct err *err)
{
	for (; list && list->name; list++)
		if (strcmp(list->name, name) == 0) {
			(void)err_set(err, ERR_USAGE,
				"'%s%s' is now a command of %s: run '%s %s%s'", under, name,
				list->program, list->program, under, name);
			return true;
		}
	return false;
}

static bool is_any(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static const char *heading_of(const struct heading *list, const char *command)
{
	for (; list->first; list++)
		if (strcmp(list->first, command) == 0)
			return list->text;
	return NULL;
}

static enum cmd_status print_help(const struct program *p)
{
	printf("Usage: %s COMMAND [ARGUMENT…]\n"
	       "       %s help [COMMAND [all]]\n"
	       "       %s --version\n"
	       "\n"
	       "%s\n",
		CMD_PROGRAM, CMD_PROGRAM, CMD_PROGRAM, p->about);
	for (const struct command *c = p->commands; c->name; c++) {
		const char *heading = p->headings ? heading_of(p->headings, c->name)
						  : (c == p->commands ? "Commands" : NULL);

		if (heading)
			printf("\n%s:\n", heading);
		print_row(c, 11);
	}
	printf("\n'%s COMMAND --help' explains a command.\n", CMD_PROGRAM);
	return cmd_finish(0);
}

static enum cmd_status fail_unknown(const struct program *p, const char *name)
{
	struct err err = {0};
	struct closest c;
	char hint[HINT_SIZE];

	if (is_moved(p->moved, "", name, &err))
		return cmd_fail(NULL, &err);
	closest_init(&c, name);
	offer_table(p->commands, &c);
	closest_offer(&c, "help");
	closest_offer(&c, "--help");
	closest_offer(&c, "--version");
	(void)snprintf(hint, sizeof hint, "try '%s --help'", CMD_PROGRAM);
	(void)cmd_unknown(name[0] == '-' ? "unknown option" : "unknown command", &c, hint, &err);
	return cmd_fail(NULL, &err);
}

/* help, help COMMAND, help COMMAND all */
static enum cmd_status help(const struct program *p, int argc, char **argv)
{
	char option[] = "--help";
	char *command_line[] = {argv[0], option, argc > 2 ? argv[2] : NULL, NULL};
	const struct command *command;

	if (argc < 2)
		return print_help(p);
	command = find(p->commands, argv[1]);
	if (!command)
		return fail_unknown(p, argv[1]);
	return command->run(argc > 2 ? 3 : 2, command_line);
}

int program_main(const struct program *p, int argc, char **argv)
{
	const struct command *command;
	struct err err = {0};

	/*
	 * Large pieces of memory go back to the system when they are freed, for good: glibc would
	 * raise the size that it takes for large with every such piece.
	 */
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
	mem_end_when_out();
	/* A reader that goes away must not end a capture; cmd_finish sees to it when all is done.
	 */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		(void)err_set(
			&err, ERR_USAGE, "a command is missing (try '%s --help')", CMD_PROGRAM);
		return cmd_fail(NULL, &err);
	}
	if (is_any(argv[1], "--help", "-h"))
		return print_help(p);
	if (is_any(argv[1], "--version", "-V")) {
		printf("%s " STILLPOINT_VERSION "\n", CMD_PROGRAM);
		return cmd_finish(0);
	}
	if (strcmp(argv[1], "help") == 0)
		return help(p, argc - 1, argv + 1);
	command = find(p->commands, argv[1]);
	if (!command)
		return fail_unknown(p, argv[1]);
	if (command->only_prints) /* so it ends at once, however much it would still compute */
		(void)signal(SIGPIPE, SIG_DFL);
	return command->run(argc - 1, argv + 1);
}

static enum cmd_status fail_inspect(const struct program *p, const char *name)
{
	struct err err = {0};
	struct closest c;
	char hint[HINT_SIZE];

	if (is_moved(p->moved, "inspect ", name, &err))
		return cmd_fail(NULL, &err);
	closest_init(&c, name);
	offer_table(p->commands, &c);
	(void)snprintf(hint, sizeof hint, "try '%s inspect --help'", CMD_PROGRAM);
	(void)cmd_unknown("cannot inspect", &c, hint, &err);
	return cmd_fail("inspect", &err);
}

enum cmd_status program_inspect(const struct program *p, int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		char names[NAMES_SIZE] = "";
		struct err err = {0};
		size_t len = 0;

		for (const struct command *c = p->commands; c->name && len < sizeof names; c++)
			len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", c->name,
				!c[1].name  ? ""
				: c[2].name ? ", "
					    : " or ");
		(void)err_set(&err, ERR_USAGE, "say what to inspect: %s (try '%s inspect --help')",
			names, CMD_PROGRAM);
		return cmd_fail("inspect", &err);
	}
	if (is_any(argv[1], "--help", "-h")) {
		char option[] = "--help", name[] = "inspect";
		enum cmd_status status = CMD_OK;

		printf("Usage: %s inspect WHAT ARGUMENT…\n\n%s\n\nWhat:\n", CMD_PROGRAM, p->about);
		for (const struct command *c = p->commands; c->name; c++)
			print_row(c, 10);
		for (const struct command *c = p->commands; c->name && status == CMD_OK; c++) {
			char *command_line[] = {name, option, NULL};

			puts("");
			status = c->run(2, command_line);
		}
		return status == CMD_OK ? cmd_finish(0) : status;
	}
	command = find(p->commands, argv[1]);
	return command ? command->run(argc - 1, argv + 1) : fail_inspect(p, argv[1]);
}
