#include "commands/inspect_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"

#define LINE_SIZE_MAX ((size_t)64 << 20)

/* A line without its end, ERR_END after the last. */
static int next_line(FILE *file, struct buf *line)
{
	int c = getc_unlocked(file), rc = 0;

	buf_reset(line);
	if (c == EOF)
		return ferror(file) ? ERR_IO : ERR_END;
	for (; c != EOF && c != '\n' && rc == 0; c = getc_unlocked(file))
		rc = buf_add_char(line, (char)c);
	return rc;
}

static int read_all(
	FILE *file, const char *name, inspect_line *read, void *context, struct err *err)
{
	struct buf line;
	size_t number = 0;
	int rc;

	buf_init(&line, LINE_SIZE_MAX);
	while ((rc = next_line(file, &line)) == 0) {
		number++;
		if (strspn(buf_str(&line), " \t\r") == line.len)
			continue;
		rc = read(context, buf_slice(&line), err);
		if (rc)
			break;
	}
	buf_release(&line);
	if (rc == ERR_IO)
		return err_set(err, rc, "%s: %s", name, strerror(errno));
	if (rc && rc != ERR_END) {
		(void)err_code(err, rc);
		err_prefix(err, "%.200s:%zu", name, number);
		return rc;
	}
	return 0;
}

int inspect_lines(const char *file, inspect_line *read, void *context, struct err *err)
{
	FILE *opened;
	int rc;

	if (strcmp(file, "-") == 0)
		return read_all(stdin, "standard input", read, context, err);
	opened = file_stream(file, "rbe");
	if (!opened)
		return err_set(err, ERR_IO, "%s: %s", file, strerror(errno));
	rc = read_all(opened, file, read, context, err);
	(void)fclose(opened);
	return rc;
}
