/*
 * What the commands share: how they are called, how they fail and how their output ends. A command
 * is one file: it reads options, calls the rooms below and prints. It writes nothing to standard
 * output before all its input has proven good.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/closest.h"
#include "base/err.h"
#include "base/options.h"

/* The strategy of commands that are not told which. */
#define CMD_STRATEGY "stillpoint"

/* The name of the program that runs: its main file says it. */
extern const char CMD_PROGRAM[];

/* What the program exits with. */
enum cmd_status {
	CMD_OK = 0,
	CMD_FAILURE = 1, /* memory, output */
	CMD_USAGE = 2,   /* wrong usage or bad input */
	CMD_PARTIAL = 3, /* some sites failed, or a signal stopped it: what there is is kept */
};

/* argv[0] is the command's name. Return what to exit with. */
enum cmd_status cmd_crawl(int argc, char **argv);
enum cmd_status cmd_diff(int argc, char **argv);
enum cmd_status cmd_export(int argc, char **argv);
enum cmd_status cmd_import(int argc, char **argv);
enum cmd_status cmd_graph(int argc, char **argv);
enum cmd_status cmd_index(int argc, char **argv);
enum cmd_status cmd_retire(int argc, char **argv);
enum cmd_status cmd_inspect(int argc, char **argv);
enum cmd_status cmd_judge(int argc, char **argv);
enum cmd_status cmd_plan(int argc, char **argv);
enum cmd_status cmd_predict(int argc, char **argv);
enum cmd_status cmd_rates(int argc, char **argv);
enum cmd_status cmd_rebuild(int argc, char **argv);
enum cmd_status cmd_report(int argc, char **argv);
enum cmd_status cmd_resume(int argc, char **argv);
enum cmd_status cmd_search(int argc, char **argv);
enum cmd_status cmd_serve(int argc, char **argv);
enum cmd_status cmd_similar(int argc, char **argv);
enum cmd_status cmd_train(int argc, char **argv);
enum cmd_status cmd_verify(int argc, char **argv);
enum cmd_status cmd_watch(int argc, char **argv);

/* What `report` prints of a capture (0: the last), for the commands that have just made one. */
enum cmd_status cmd_report_capture(const char *archive, uint32_t capture, bool json);

/* Writes the page of its last capture, as `report --html` does. */
enum cmd_status cmd_report_page(const char *archive, const char *html);

/*
 * Prints "PROGRAM: COMMAND: …" as one line on standard error and returns the status that belongs
 * to the error. The command is NULL where the error names it, or where there is none.
 */
enum cmd_status cmd_fail(const char *command, const struct err *err);

/* A line of standard error as printf makes it; control characters in it are masked. */
void cmd_say(const char *format, ...) SP_PRINTF(1, 2);

/* The same for a file of the user's that cannot be read: bad input, whatever the reason. */
enum cmd_status cmd_fail_input(const char *command, const struct err *err);

/*
 * The same for an archive: that it is not there, damaged or in use is a failure, since the command
 * line was right; that a newer program has made it is bad input.
 */
enum cmd_status cmd_fail_archive(const char *command, const struct err *err);

/*
 * To be called when all is printed: whether it got out. rc is 0 or what a writer has said already.
 * Does not return when the output's reader has gone (`| head`): the process ends by SIGPIPE.
 */
enum cmd_status cmd_finish(int rc);

/*
 * Reads the options. False when that is all there is to do, because of --help or an error, and
 * *ret_status is what to return then.
 */
bool cmd_options(const struct options *o, int argc, char **argv, void *out,
	struct option_args *ret_args, enum cmd_status *ret_status) SP_MUST_CHECK;

/* Returns rc; puts "--OPTION: " before the sentence of an error. */
int cmd_in_option(int rc, const char *option, struct err *err);

/* The directory for temporary files: $TMPDIR, or /tmp. */
const char *cmd_temporary(void);

/* Messages of long-running commands go to standard error: warnings, or all there is to tell. */
void cmd_log(bool verbose);

/*
 * Sets "WHAT 'NAME', did you mean '…'? (HINT)", the question only if a word is close. Returns
 * ERR_USAGE.
 */
int cmd_unknown(const char *what, const struct closest *c, const char *hint, struct err *err);

/* Opens a file to read; "-" is standard input. NULL with "PATH: why" in err. */
FILE *cmd_open_input(const char *path, struct err *err);
void cmd_close_input(FILE *file);

/* Reads a file, as much of it as the buffer may hold; "-" is standard input. */
int cmd_read_input(const char *path, struct buf *out, struct err *err) SP_MUST_CHECK;

/*
 * Reads a line without its end; of one that is longer than the buffer may be, the beginning. False
 * at the end of the file.
 */
bool cmd_read_line(FILE *file, struct buf *line);

/* Writes a file anew; "-" is standard output. 0, or ERR_IO with "PATH: why" in err. */
int cmd_write_file(const char *path, int (*write)(const void *context, FILE *file),
	const void *context, struct err *err);

#endif
