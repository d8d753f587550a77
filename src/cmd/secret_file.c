#include "cmd/secret_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_MAX_BYTES = 16 << 10 };

static void warn_of_readers(FILE *file, const char *path)
{
	struct stat st;

	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) &&
		(st.st_mode & (S_IRGRP | S_IROTH)))
		(void)fprintf(stderr,
			"stillpoint: warning: %s: other users can read this file; "
			"run 'chmod 600' on it\n",
			path);
}

static int read_lines(
	FILE *file, struct arena *arena, secret_file_line *add, void *context, struct err *err)
{
	char line[LINE_MAX_BYTES];
	size_t number = 0, found = 0;
	int rc = 0;

	while (rc == 0 && fgets(line, sizeof line, file)) {
		size_t len = strcspn(line, "\r\n");
		const char *copy;

		number++;
		if (line[len] == '\0' && !feof(file))
			rc = err_set(err, ERR_USAGE, "the line is too long, or contains a NUL");
		else if (len > 0 && !(copy = arena_strdup(arena, (slice){line, len})))
			rc = err_code(err, ERR_NOMEM);
		else if (len > 0) {
			rc = add(context, copy, err);
			found++;
		}
		if (rc)
			err_prefix(err, "line %zu", number);
	}
	if (rc == 0 && ferror(file))
		rc = err_set(err, ERR_USAGE, "%s", strerror(errno));
	return rc || found > 0 ? rc : err_set(err, ERR_USAGE, "the file is empty");
}

int secret_file_read(const char *path, struct arena *arena, secret_file_line *add, void *context,
	struct err *err)
{
	FILE *file = fopen(path, "re");
	int rc;

	if (!file)
		return err_set(err, ERR_USAGE, "%s: %s", path, strerror(errno));
	warn_of_readers(file, path);
	rc = read_lines(file, arena, add, context, err);
	if (rc)
		err_prefix(err, "%s", path);
	(void)fclose(file);
	return rc;
}
