/* stillpoint import: keeps captures that others made in an archive, for the rates of its pages. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/directory.h"
#include "archive/import_remote.h"
#include "archive/index.h"
#include "archive/our_file.h"
#include "archive/rebuild.h"
#include "archive/take_in.h"
#include "base/file.h"
#include "base/parse.h"
#include "cmd/archive.h"
#include "cmd/cmd.h"
#include "cmd/listings.h"
#include "cmd/option_row.h"

struct import_options {
	struct text_list cdx_servers, timemaps;
	const char *delay;
	const char *output; /* archive, where it is not the first argument */
};

#define ROW_OF struct import_options

static const struct option_spec SPECS[] = {
	ROW(STRING, output, "output", 'o',
		"the archive; with this option, WARC files, WACZ packages and directories of them "
		"are copied into it and can be looked at there",
		.metavar = "ARCHIVE"),
	ROW(LIST, cdx_servers, "cdx-server", 0,
		"a query to a CDX server, such as "
		"https://web.archive.org/cdx/search/cdx?url=example.org&matchType=host",
		.metavar = "URL"),
	ROW(LIST, timemaps, "timemap", 0,
		"a TimeMap on a server, such as "
		"https://web.archive.org/web/timemap/link/https://example.org/",
		.metavar = "URL"),
	ROW(STRING, delay, "delay", 'd',
		"pause between requests to a server: seconds, or auto, which follows its response "
		"time (default auto)",
		.metavar = "auto|SECONDS"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "import",
	.usage = "ARCHIVE FILE… | FILE… -o ARCHIVE",
	.description =
		"Keeps in an archive when pages were captured by others, and with which digest: "
		"from CDX, CDXJ, ZipNum indexes, TimeMaps, WARC and WACZ files, most also gzip, "
		"and from servers that have such lists. 'stillpoint rates ARCHIVE' and the "
		"archive's next captures use them from then on. They give change rates and "
		"prove nothing; no content is copied unless -o is given. What is there already is "
		"not added twice. "
		"An archive that is not there yet is created, for its first capture.\n\n"
		"What a server lists is kept part by part. An import that was stopped goes on "
		"where it was when the same command is run again.",
	.specs = SPECS,
	.min_args = 0,
	.max_args = SIZE_MAX,
};

enum { NAMES_MAX = 256 << 20 };

struct importing {
	struct catalog *catalog;
	struct rates_observed files; /* what lists of captures say */
	struct text_list content;    /* what is copied into the archive */
	struct text_list ours;       /* names of copied files that hold captures of ours */
	struct arena names;
	struct rebuild_counts added; /* of those captures */
	struct take_in_counts taken;
	struct download_params download;
	struct keep_totals totals;
	const char *address; /* that is being read */
};

static int read_delay(const char *text, struct download_params *ret, struct err *err)
{
	ret->automatic = !text || strcmp(text, "auto") == 0;
	if (!ret->automatic && (parse_duration(slice_str(text), &ret->delay) || ret->delay > 86400))
		return err_set(err, ERR_USAGE,
			"--delay is 'auto' or a time such as 2s or 500ms, not '%.60s'", text);
	return 0;
}

/* Reads lists; what is to be copied is only tried, and read when the archive has it. */
static int read_files(struct importing *x, const struct import_options *o,
	const struct option_args *args, struct err *err)
{
	for (size_t i = o->output ? 0 : 1; i < args->count; i++) {
		const char *path = args->ptr[i];

		if (o->output && take_in_is_content(path)) {
			TRY(take_in_check(path, cmd_temporary(), err));
			TRY(err_code(err, text_list_push(&x->content, path)));
		} else {
			int rc = listings_read(&x->files, "import", path, err);

			if (rc == 0 && x->files.counts.format == LISTING_SITEMAP)
				rc = err_set(err, ERR_UNSUPPORTED,
					"%.200s: a sitemap has no captures; a crawl reads those of "
					"its site, "
					"'stillpoint rates' any",
					path);
			TRY(rc);
		}
	}
	return 0;
}

/* Captures of ours become captures of the archive; of others only the times are of use. */
static int on_taken(void *context, const char *path, struct err *err)
{
	struct warc_source source = {.fd = file_open_inside(AT_FDCWD, path)};
	struct importing *x = context;
	const char *name;
	bool is_ours = source.fd >= 0 && our_file_is_source(&source);

	if (source.fd >= 0)
		(void)close(source.fd);
	if (!is_ours)
		return listings_read(&x->files, "import", path, err);
	name = arena_strdup(&x->names, slice_base_name(slice_str(path)));
	return err_code(err, name ? text_list_push(&x->ours, name) : ERR_NOMEM);
}

static int import_content(struct importing *x, const struct directory *d, struct err *err)
{
	for (size_t i = 0; i < x->content.len; i++)
		TRY(take_in(d, x->content.ptr[i], on_taken, x, &x->taken, err));
	if (x->ours.len)
		TRY(rebuild_import(d, x->catalog, &x->ours, &x->added, err));
	if (x->content.len)
		TRY(index_write(x->catalog, d, err));
	return 0;
}

static void on_part(void *context, const struct listing_counts *counts)
{
	listings_warn(counts, "import", ((struct importing *)context)->address);
}

static int import_servers(struct importing *x, enum remote_kind kind,
	const struct text_list *addresses, struct err *err)
{
	for (size_t i = 0; i < addresses->len; i++) {
		x->address = addresses->ptr[i];
		x->download.home = slice_str(x->address);
		TRY(keep_remote(x->catalog,
			&(struct keep_source){
				.kind = kind,
				.address = x->address,
				.download = &x->download,
				.on_part = on_part,
				.context = x,
			},
			&x->totals, err));
	}
	return 0;
}

static enum cmd_status import_all(
	struct importing *x, const struct import_options *o, const struct directory *d)
{
	struct err err = {0};

	if (import_content(x, d, &err) || keep_table(x->catalog, &x->files.table, &x->totals, &err))
		return cmd_fail_archive("import", &err);
	if (import_servers(x, REMOTE_CDX, &o->cdx_servers, &err) ||
		import_servers(x, REMOTE_TIMEMAP, &o->timemaps, &err)) {
		enum cmd_status status = cmd_fail("import", &err);

		return err.code == ERR_USAGE ? status : CMD_FAILURE; /* what a server did */
	}
	if (x->content.len)
		printf("copied %" PRIu64 " WARC files; %" PRIu64 " were there already\n",
			x->taken.files, x->taken.known);
	if (x->added.captures.captures)
		printf("captures of Stillpoint, which 'stillpoint report --captures' lists: "
		       "%" PRIu64 "\n",
			x->added.captures.captures);
	printf("imported %" PRIu64 " captures of %zu pages; %" PRIu64 " were there already\n",
		x->totals.added, x->totals.pages.len, x->totals.known);
	return cmd_finish(0);
}

static enum cmd_status import_into(
	const char *archive, struct importing *x, const struct import_options *o)
{
	struct directory d = {.lock = -1};
	struct err err = {0};
	enum cmd_status status;
	int rc = directory_open(&d, archive, true, &err);

	if (rc == 0)
		rc = catalog_open(d.catalog, CATALOG_CREATE, &x->catalog, &err);
	status = rc ? cmd_fail_archive("import", &err) : import_all(x, o, &d);
	catalog_close(x->catalog);
	directory_close(&d);
	return status;
}

/* Files are read first: what is wrong with them leaves no new archive behind. */
static enum cmd_status import(
	struct importing *x, const struct import_options *o, const struct option_args *args)
{
	struct err err = {0};
	enum cmd_status status;

	for (size_t i = 0; i < args->count; i++)
		archive_guard_files(args->ptr[i], false);
	rates_observed_init(&x->files, RATES_CHANGE_PAYLOAD);
	arena_init_small(&x->names, NAMES_MAX);
	status = read_files(x, o, args, &err)
			 ? cmd_fail_input("import", &err)
			 : import_into(o->output ? o->output : args->ptr[0], x, o);
	rates_observed_release(&x->files);
	text_list_release(&x->content);
	text_list_release(&x->ours);
	arena_release(&x->names);
	return status;
}

enum cmd_status cmd_import(int argc, char **argv)
{
	struct import_options o = {0};
	struct importing x = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	cmd_log(false);
	if (args.count == 0 && !o.output)
		(void)err_set(&err, ERR_USAGE, "the archive is missing: name it, or give -o");
	else if (args.count < (o.output ? 1 : 2) && o.cdx_servers.len + o.timemaps.len == 0)
		(void)err_set(&err, ERR_USAGE,
			"nothing to import: name files, or a server with --cdx-server or "
			"--timemap");
	else
		(void)read_delay(o.delay, &x.download, &err);
	keep_totals_init(&x.totals);
	status = err.code ? cmd_fail("import", &err) : import(&x, &o, &args);
	keep_totals_release(&x.totals);
	text_list_release(&o.cdx_servers);
	text_list_release(&o.timemaps);
	return status;
}
