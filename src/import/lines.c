#include "import/lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/word.h"

enum { LINE_MAX_BYTES = 64 << 10 };

/* Cuts the item of a list out of its line, in place. */
static char *trim(char *line)
{
	size_t end = 0;

	while (word_is_space(*line))
		line++;
	while (line[end] && !(line[end] == '#' && (end == 0 || word_is_space(line[end - 1]))))
		end++;
	while (end > 0 && word_is_space(line[end - 1]))
		end--;
	line[end] = '\0';
	return line;
}

static char *find_item(char *line, enum lines_form form, bool is_first)
{
	static const char BOM[] = "\xef\xbb\xbf";

	if (form == LINES_LIST)
		return trim(line +
			    (is_first && strncmp(line, BOM, strlen(BOM)) == 0 ? strlen(BOM) : 0));
	line[strcspn(line, "\r\n")] = '\0';
	return line;
}

static int read_lines(FILE *file, const char *name, enum lines_form form, lines_item *add,
	void *context, size_t *count, struct err *err)
{
	char line[LINE_MAX_BYTES];
	size_t number = 0;
	int rc = 0;

	while (rc == 0 && fgets(line, sizeof line, file)) {
		bool has_end = strchr(line, '\n') || feof(file);
		const char *item = find_item(line, form, number++ == 0);

		if (!has_end)
			rc = err_set(err, ERR_USAGE, "the line is too long, or contains a NUL");
		else if (*item) {
			rc = add(context, item, err);
			++*count;
		}
		if (rc)
			err_prefix(err, "%s:%zu", name, number);
	}
	if (rc == 0 && ferror(file))
		rc = err_set(err, ERR_USAGE, "%s: %s", name, strerror(errno));
	return rc;
}

int lines_read(const char *path, enum lines_form form, lines_item *add, void *context,
	size_t *ret_count, struct err *err)
{
	bool is_stdin = form == LINES_LIST && strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : file_stream(path, "re");
	size_t count = 0;
	int rc;

	if (!file)
		return err_set(err, ERR_USAGE, "%s: %s", path, strerror(errno));
	rc = read_lines(file, is_stdin ? "standard input" : path, form, add, context, &count, err);
	if (!is_stdin)
		(void)fclose(file);
	*ret_count = count;
	return rc;
}
