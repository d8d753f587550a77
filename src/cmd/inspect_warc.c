/* stillpoint inspect warc: the records of WARC files, and what is wrong with them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/inspect.h"
#include "warc/warc_reader.h"

static const struct option_spec SPECS[] = {{0}};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect warc",
	.usage = "FILE…",
	.description =
		"Prints for each record of the files (- is standard input), plain or compressed\n"
		"with gzip or zstd, an object with the keys offset, length, type, url, date,\n"
		"status, mime, payload_digest, ok (whole, and as its digests say) and error (why "
		"not, or\n"
		"null). Bytes that are not a record get one too, with the type null.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

static void put_record(struct json *j, const struct warc_record *rec)
{
	const struct warc_header *h = &rec->header;
	slice type = warc_header_get(h, SLICE("WARC-Type"));

	json_object_begin(j);
	json_put_uint(j, "offset", rec->is_shared ? rec->position : rec->spot.offset);
	json_put_uint(j, "length", rec->length);
	json_text(j, "type", type);
	json_text(j, "url", h->url);
	json_text(j, "date", warc_header_get(h, SLICE("WARC-Date")));
	json_put_uint_if(j, "status", rec->status, rec->status);
	json_text(j, "mime", rec->mime);
	json_text(j, "payload_digest", warc_header_get(h, SLICE("WARC-Payload-Digest")));
	json_put_bool(j, "ok", rec->problem.code == 0);
	json_put_string(j, "error", rec->problem.code ? rec->problem.text : NULL);
	json_object_end(j);
}

/* Standard input in a file that is gone with the program: the reader has to seek. */
static int spool_input(int *ret_fd, struct err *err)
{
	char bytes[WARC_WINDOW_SIZE];
	FILE *file = tmpfile();
	size_t n;
	bool ok = file != NULL;

	while (ok && (n = fread(bytes, 1, sizeof bytes, stdin)) > 0)
		ok = fwrite(bytes, 1, n, file) == n;
	if (!ok || ferror(stdin) || fflush(file))
		return err_set(err, ERR_IO, "%s", strerror(errno));
	*ret_fd = fileno(file); /* as long as the program runs */
	return 0;
}

static int open_reader(const char *path, struct warc_reader **ret, struct err *err)
{
	struct warc_source source = {.fd = -1};
	int rc;

	if (strcmp(path, "-") != 0)
		return warc_reader_open(path, 0, ret, err);
	rc = spool_input(&source.fd, err);
	if (rc == 0)
		rc = warc_reader_open_source(&source, 0, ret, err);
	if (rc)
		err_prefix(err, "standard input");
	return rc;
}

static int print_file(struct json *j, const char *path, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = open_reader(path, &r, err);

	if (rc)
		return rc;
	while ((rc = warc_reader_next(r, &rec, err)) == 0 && (rc = warc_reader_end(r, err)) == 0)
		put_record(j, rec);
	warc_reader_close(r);
	if (rc == ERR_END)
		return 0;
	err_prefix(err, "%s", path);
	return rc;
}

enum cmd_status inspect_warc(int argc, char **argv)
{
	struct option_args args;
	enum cmd_status status;
	struct err err = {0};
	struct json j;
	int rc = 0, written;

	if (!cmd_options(&COMMAND, argc, argv, NULL, &args, &status))
		return status;
	json_init_file(&j, stdout, JSON_LINES);
	for (size_t i = 0; rc == 0 && i < args.count; i++)
		rc = print_file(&j, args.ptr[i], &err);
	written = json_finish(&j);
	status = rc ? cmd_fail_input("inspect warc", &err) : cmd_finish(written);
	return status;
}
