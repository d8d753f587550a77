#include "archive/export_set.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "warc/record_body.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"

enum { NAMES_MAX = 256 << 20, COPY_SIZE = 64 << 10 };

struct walk {
	export_call *call;
	void *context;
	struct export_counts *counts;
	struct arena arena;
	struct strmap names;
};

static int on_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct walk *w = context;
	slice name = warc_set_file_name(file);
	int rc;

	if (warc_closed_name(name).len < name.len) {
		w->counts->open++;
		return 0;
	}
	rc = strmap_put(&w->names, name, 0);
	if (rc == ERR_EXISTS)
		return err_set(err, rc,
			"%s: there are two files of this name; rename one, since an index names "
			"files without their directory",
			file->path);
	if (rc)
		return err_code(err, rc);
	rc = w->call(w->context, name, &file->source, file->size, err);
	if (rc == 0)
		w->counts->files++;
	return rc;
}

int export_each_file(const struct export_params *params, export_call *call, void *context,
	struct export_counts *counts, struct err *err)
{
	struct walk w = {.call = call, .context = context, .counts = counts};
	int rc;

	arena_init(&w.arena, NAMES_MAX);
	strmap_init(&w.names, hash_key_random(), &w.arena);
	rc = warc_set_each_of_archive(params->path, params->temporary, on_file, &w, err);
	strmap_release(&w.names);
	arena_release(&w.arena);
	if (rc == 0 && counts->files == 0)
		rc = err_set(err, ERR_NOTFOUND,
			"%s: all its WARC files belong to a capture that is not finished; run "
			"'stillpoint resume' first",
			params->path);
	return rc;
}

int export_dir(const struct export_params *params, struct buf *out)
{
	size_t before = out->len;
	struct stat st;
	int rc = buf_printf(out, "%s/warc", params->path);

	if (rc || access(buf_str(out) + before, F_OK) == 0)
		return rc;
	buf_truncate(out, before);
	if (stat(params->path, &st) == 0 && S_ISDIR(st.st_mode))
		return buf_add_str(out, params->path);
	return compact_dir(params->path, out);
}

int export_copy(const struct warc_source *source, uint64_t size, export_emit *emit, void *context,
	struct err *err)
{
	char bytes[COPY_SIZE];
	uint64_t done = 0;
	int rc = 0;

	while (rc == 0 && done < size) {
		size_t want = size - done < sizeof bytes ? (size_t)(size - done) : sizeof bytes;
		ssize_t n = io_read_at(source->fd, bytes, want, source->start + done);

		if (n <= 0)
			return err_set(err, ERR_IO, "%s",
				n < 0 ? strerror(errno) : "it became shorter meanwhile");
		rc = emit(context, (slice){bytes, (size_t)n}, err);
		done += (uint64_t)n;
	}
	return rc;
}
