#include "archive/our_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/word.h"
#include "warc/lines.h"
#include "warc/warc_reader.h"

enum { NAMES_MAX = 256 << 20, PATH_SIZE = DIRECTORY_PATH_MAX + 16 };

/* ---- the list ---- */

static void name_list(const char *archive, char out[PATH_SIZE])
{
	(void)snprintf(out, PATH_SIZE, "%s/imported.txt", archive);
}

static int read_names(struct imported_files *i, int fd, struct err *err)
{
	struct lines lines;
	slice line;
	int rc = 0;

	lines_init(&lines, fd, 0);
	while (rc == 0 && (rc = lines_next(&lines, &line, err)) == 0) {
		rc = line.len ? strmap_put(&i->names, line, (uint32_t)i->names.len + 1) : 0;
		rc = rc == ERR_EXISTS ? 0 : err_code(err, rc);
	}
	lines_release(&lines);
	return rc == ERR_END ? 0 : rc;
}

int imported_files_load(struct imported_files *i, const char *archive, struct err *err)
{
	char path[PATH_SIZE];
	int fd, rc;

	arena_init(&i->arena, NAMES_MAX);
	strmap_init(&i->names, hash_key_random(), &i->arena);
	name_list(archive, path);
	fd = file_open_inside(AT_FDCWD, path);
	if (fd < 0)
		return errno == ENOENT ? 0
				       : err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	rc = read_names(i, fd, err);
	(void)close(fd);
	return rc;
}

void imported_files_release(struct imported_files *i)
{
	strmap_release(&i->names);
	arena_release(&i->arena);
}

bool imported_files_has(const struct imported_files *i, slice name)
{
	return strmap_get(&i->names, name, NULL);
}

uint32_t imported_files_rank(const struct imported_files *i, slice name)
{
	uint32_t rank = 0;

	(void)strmap_get(&i->names, name, &rank);
	return rank;
}

int imported_files_add(const struct directory *d, slice name, struct err *err)
{
	char path[PATH_SIZE], line[NAME_MAX + 2];
	int fd, rc = 0;
	int len = snprintf(line, sizeof line, "%.*s\n", (int)name.len, name.ptr);

	name_list(d->path, path);
	fd = file_open_own(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND);
	if (fd < 0 || io_write(fd, line, (size_t)len) || fsync(fd))
		rc = err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

/* ---- the first record ---- */

static bool says_so(slice block)
{
	while (block.len > 0) {
		slice value = slice_take(&block, '\n'), name = slice_take(&value, ':');

		if (word_is(name, SLICE("software")))
			return slice_starts_with(word_trim(value), SLICE("stillpoint/"));
	}
	return false;
}

bool our_file_is_source(const struct warc_source *source)
{
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	struct err ignored = {0};
	slice bytes;
	bool ours = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, &ignored) == 0 &&
		    warc_reader_next(r, &rec, &ignored) == 0 && !rec->is_gap &&
		    rec->header.type == WARC_TYPE_WARCINFO &&
		    warc_reader_block(r, &bytes, &ignored) == 0 && says_so(bytes);

	warc_reader_close(r);
	return ours;
}
