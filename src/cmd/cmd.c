#include "cmd/cmd.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/output.h"
#include "base/text.h"
#include "cmd/stop.h"

/* Messages quote files: no quotation may break the line or command the terminal. */
static void print_error(const char *command, const char *text)
{
	(void)fprintf(stderr, "%s: ", CMD_PROGRAM);
	if (command)
		(void)fprintf(stderr, "%s: ", command);
	text_name(stderr, slice_str(text), 0);
	(void)putc('\n', stderr);
}

void cmd_say(const char *format, ...)
{
	char text[PATH_MAX + 1024];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	text_name(stderr, slice_str(text), 0);
	(void)putc('\n', stderr);
}

enum cmd_status cmd_fail(const char *command, const struct err *err)
{
	print_error(command, err->text);
	switch (err->code) {
	case ERR_NOMEM:
	case ERR_IO:
	case ERR_STATE: /* of an archive: the command was right */
		return CMD_FAILURE;
	default:
		return CMD_USAGE;
	}
}

enum cmd_status cmd_fail_input(const char *command, const struct err *err)
{
	print_error(command, err->text);
	return err->code == ERR_NOMEM ? CMD_FAILURE : CMD_USAGE;
}

enum cmd_status cmd_fail_archive(const char *command, const struct err *err)
{
	print_error(command, err->text);
	return err->code == ERR_USAGE || err->code == ERR_UNSUPPORTED ? CMD_USAGE : CMD_FAILURE;
}

/* The output is a pipe or socket that is not read any more; errno may be of something later. */
static bool is_reader_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return errno == EPIPE || (poll(&p, 1, 0) == 1 && (p.revents & POLLERR));
}

enum cmd_status cmd_finish(int rc)
{
	struct err err;

	if (rc == 0 && fflush(stdout) == 0 && !ferror(stdout))
		return CMD_OK;
	if (is_reader_gone()) { /* end as other programs do: without a word */
		stop_restore(SIGPIPE);
		(void)raise(SIGPIPE);
	}
	(void)err_set(&err, ERR_IO, "standard output: %s", strerror(errno));
	return cmd_fail(NULL, &err);
}

bool cmd_options(const struct options *o, int argc, char **argv, void *out,
	struct option_args *ret_args, enum cmd_status *ret_status)
{
	struct err err = {0};
	int rc = options_parse(o, argc, argv, out, ret_args, &err);

	if (rc == 0)
		return true;
	if (rc == OPTIONS_HELP || rc == OPTIONS_HELP_ALL) {
		options_help(o, rc == OPTIONS_HELP_ALL, stdout);
		*ret_status = cmd_finish(0);
	} else {
		*ret_status = cmd_fail(NULL, &err); /* it names the command itself */
	}
	return false;
}

int cmd_in_option(int rc, const char *option, struct err *err)
{
	if (rc)
		err_prefix(err, "--%s", option);
	return rc;
}

const char *cmd_temporary(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given ? given : "/tmp";
}

void cmd_log(bool verbose)
{
	log_setup(&(struct log_config){.file = stderr,
		.level = getenv("STILLPOINT_DEBUG") ? LOG_LEVEL_DEBUG
			 : verbose                  ? LOG_LEVEL_INFO
						    : LOG_LEVEL_WARN});
}

int cmd_unknown(const char *what, const struct closest *c, const char *hint, struct err *err)
{
	const char *best = closest_get(c);

	return err_set(err, ERR_USAGE, "%s '%.99s'%s%s%s (%s)", what, c->word,
		best ? ", did you mean '" : "", best ? best : "", best ? "'?" : "", hint);
}

FILE *cmd_open_input(const char *path, struct err *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : file_stream(path, "rbe");

	if (!file)
		(void)err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	return file;
}

void cmd_close_input(FILE *file)
{
	if (file != stdin)
		(void)fclose(file);
}

int cmd_read_input(const char *path, struct buf *out, struct err *err)
{
	FILE *file = cmd_open_input(path, err);
	int rc;

	if (!file)
		return ERR_IO;
	rc = buf_reserve(out, out->max);
	if (rc == 0)
		out->len = fread(out->ptr, 1, out->max, file);
	if (rc)
		(void)err_set(err, rc, "%s: %s", path, err_name(rc));
	else if (ferror(file))
		rc = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	cmd_close_input(file);
	return rc;
}

bool cmd_read_line(FILE *file, struct buf *line)
{
	int c = getc(file);

	buf_reset(line);
	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = getc(file))
		if (line->len < line->max && buf_add_char(line, (char)c))
			return false;
	if (line->len > 0 && line->ptr[line->len - 1] == '\r')
		buf_truncate(line, line->len - 1);
	return true;
}

int cmd_write_file(const char *path, int (*write)(const void *context, FILE *file),
	const void *context, struct err *err)
{
	struct output out;
	int rc = output_open(&out, path, err);

	if (rc)
		return rc;
	rc = err_code(err, write(context, out.file));
	return output_close(&out, rc, err);
}
