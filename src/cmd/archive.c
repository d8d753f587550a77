#include "cmd/archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/rebuild.h"
#include "archive/take_in.h"
#include "base/clock.h"
#include "base/file.h"
#include "cmd/cmd.h"
#include "proof/judge.h"
#include "proof/rulebook.h"
#include "warc/warc_writer.h"

void archive_guard_files(const char *path, bool has_secrets)
{
	static const mode_t OTHERS = S_IRWXG | S_IRWXO;
	struct stat st;

	if (has_secrets || (stat(path, &st) == 0 && !(st.st_mode & OTHERS)))
		(void)umask(OTHERS);
}

bool archive_is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && take_in_is_content(path);
}

int archive_check(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) && errno != ENOENT && errno != ENOTDIR)
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (stat(path, &st)) {
		int why = errno;
		char longer[ARCHIVE_PATH_SIZE];
		int n = snprintf(longer, sizeof longer, "%s.stillpoint", path);

		/* "example.org" for "example.org.stillpoint" is easily said. */
		if (*path && n > 0 && (size_t)n < sizeof longer && access(longer, F_OK) == 0)
			return err_set(err, ERR_NOTFOUND, "%s: %s; did you mean '%s'?", path,
				strerror(why), longer);
		return err_set(err, ERR_NOTFOUND,
			"%s: %s; an archive is the directory that 'stillpoint crawl' writes",
			*path ? path : "''", strerror(why));
	}
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_NOTFOUND,
			archive_is_file(path)
				? "%s: not an archive (an archive is a directory; 'stillpoint "
				  "import FILE -o ARCHIVE' makes one of a WARC or WACZ file)"
				: "%s: not an archive (an archive is a directory), and no WARC or "
				  "WACZ file",
			path);
	archive_guard_files(path, false);
	return 0;
}

static int join(const char *path, const char *name, char out[ARCHIVE_PATH_SIZE], struct err *err)
{
	int n = snprintf(out, ARCHIVE_PATH_SIZE, "%s/%s", path, name);

	if (n < 0 || n >= ARCHIVE_PATH_SIZE)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", path);
	return 0;
}

/* Only what is not there makes a directory something else than an archive. */
static int fail_part(const char *path, const char *part, const char *advice, struct err *err)
{
	if (errno != ENOENT && errno != ENOTDIR)
		return err_set(err, ERR_IO, "%s/%s: %s", path, part, strerror(errno));
	return err_set(err, ERR_NOTFOUND, "%s: not an archive (it has no %s%s%s)", path,
		strcmp(part, "warc") == 0 ? "directory " : "", part, advice);
}

/* Where the records of a WARC or WACZ file are: in its directory, or in it. */
static int file_warc_dir(const char *path, char ret_dir[ARCHIVE_PATH_SIZE], struct err *err)
{
	bool is_package = !warc_is_name(warc_closed_name(slice_str(path)));
	const char *slash = strrchr(path, '/');
	int n;

	archive_guard_files(path, false);
	if (is_package)
		n = snprintf(ret_dir, ARCHIVE_PATH_SIZE, "%s", path);
	else
		n = snprintf(ret_dir, ARCHIVE_PATH_SIZE, "%.*s", slash ? (int)(slash - path) : 1,
			slash ? path : ".");
	if (n == 0) /* of the root */
		n = snprintf(ret_dir, ARCHIVE_PATH_SIZE, "/");
	return n < 0 || n >= ARCHIVE_PATH_SIZE
		       ? err_set(err, ERR_LIMIT, "%.60s…: the path is too long", path)
		       : 0;
}

int archive_warc_dir(const char *path, char ret_dir[ARCHIVE_PATH_SIZE], struct err *err)
{
	int rc;

	if (archive_is_file(path))
		return file_warc_dir(path, ret_dir, err);
	rc = archive_check(path, err);

	if (rc == 0)
		rc = join(path, "warc", ret_dir, err);
	if (rc == 0 && !file_is_there(ret_dir))
		return fail_part(path, "warc", "", err);
	if (rc == 0 && !file_is_dir(ret_dir))
		rc = err_set(err, ERR_IO,
			"%s: must be a directory, not a file or a link; move the whole archive "
			"instead",
			ret_dir);
	return rc;
}

/* Of the files in a directory, and of those some levels below. */
static uint64_t size_of(const char *path, int levels)
{
	DIR *dir = opendir(path);
	char name[ARCHIVE_PATH_SIZE];
	const struct dirent *entry;
	uint64_t sum = 0;
	struct stat st;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			join(path, entry->d_name, name, NULL) || lstat(name, &st))
			continue;
		if (S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
		else if (S_ISDIR(st.st_mode) && levels > 0)
			sum += size_of(name, levels - 1);
	}
	(void)closedir(dir);
	return sum;
}

uint64_t archive_size(const char *path)
{
	return size_of(path, 2);
}

int archive_index(const char *path, char ret_file[ARCHIVE_PATH_SIZE], struct err *err)
{
	return join(path, "index.cdxj", ret_file, err);
}

static bool has_warc(const char *path)
{
	char dir[ARCHIVE_PATH_SIZE];

	return join(path, "warc", dir, NULL) == 0 && access(dir, F_OK) == 0;
}

static int read_file(const char *path, struct catalog **ret, struct err *err)
{
	char dir[ARCHIVE_PATH_SIZE];
	struct rebuild_counts counts;
	int rc = file_warc_dir(path, dir, err);

	if (rc == 0)
		rc = catalog_open_temporary(ret, err);
	if (rc)
		return rc;
	rc = rebuild_read(&(struct rebuild_set){path, dir, cmd_temporary()}, *ret, &counts, err);
	if (rc == 0 && counts.captures.captures == 0) {
		struct judge_params params = {.first = path,
			.slack = JUDGE_SLACK * CLOCK_NS_PER_SECOND,
			.book = rulebook_default(),
			.tmp_dir = cmd_temporary()};
		struct judge_counts ignored;

		/* What looks of other crawlers prove, as `judge` says. */
		rc = judge_run(&params, *ret, &ignored, err);
	}
	if (rc) {
		catalog_close(*ret);
		*ret = NULL;
	}
	return rc;
}

int archive_open_catalog(const char *path, struct catalog **ret, struct err *err)
{
	char file[ARCHIVE_PATH_SIZE];
	int rc;

	if (archive_is_file(path))
		return read_file(path, ret, err);
	rc = archive_check(path, err);

	if (rc == 0)
		rc = join(path, "catalog.sqlite", file, err);
	if (rc == 0 && !file_is_there(file)) {
		int why = errno;
		const char *advice = has_warc(path) ? "; stillpoint rebuild makes one, stillpoint "
						      "verify --warc-only needs none"
						    : "";

		errno = why;
		rc = fail_part(path, "catalog.sqlite", advice, err);
	}
	if (rc == 0)
		rc = catalog_open(file, CATALOG_READ, ret, err);
	if (rc)
		return rc;
	/* It may be written to meanwhile, and is read in several steps. */
	rc = catalog_snapshot(*ret, err);
	if (rc) {
		catalog_close(*ret);
		*ret = NULL;
	}
	return rc;
}
