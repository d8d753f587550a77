/* stillpoint inspect url: how URLs are parsed, resolved and indexed. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/inspect.h"
#include "cmd/option_row.h"
#include "formats/surt.h"
#include "formats/url.h"
#include "formats/url_canonical.h"

struct url_options {
	const char *base;
};

#define ROW_OF struct url_options

static const struct option_spec SPECS[] = {
	ROW(STRING, base, "base", 'b', "resolve against this URL (default: none)",
		.metavar = "URL"),
	{.name = NULL},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect url",
	.usage = "URL…|- [--base URL]",
	.description =
		"Prints for each URL, or each line of standard input, an object with the keys\n"
		"input, url (the WHATWG serialisation, or null), canonical and surt (as web\n"
		"archives index it, or null) and error (why it is not a URL, or null).",
	.specs = SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

/* What is used for one URL after another. */
struct inspector {
	struct json json;
	const struct url *base; /* or NULL */
	struct url url;
	struct buf text; /* of canonical form and SURT */
};

static void print_key(struct inspector *in, const char *key, int rc)
{
	json_text(&in->json, key, rc == 0 ? buf_slice(&in->text) : (slice){0});
	buf_reset(&in->text);
}

static void inspect(struct inspector *in, slice input)
{
	struct err err = {0};
	int rc = url_parse(&in->url, input, in->base, &err);

	json_object_begin(&in->json);
	json_key(&in->json, "input");
	json_slice(&in->json, input);
	json_text(&in->json, "url", rc == 0 ? url_text(&in->url) : (slice){0});
	print_key(in, "canonical", rc ? rc : url_canonical(&in->text, &in->url));
	print_key(in, "surt", rc ? rc : url_surt(&in->text, &in->url));
	json_put_string(&in->json, "error", rc ? err.text : NULL);
	json_object_end(&in->json);
}

static int inspect_lines(struct inspector *in, FILE *file, struct err *err)
{
	struct buf line;

	buf_init(&line, URL_MAX + 1);
	while (cmd_read_line(file, &line))
		inspect(in, line.len ? buf_slice(&line) : SLICE(""));
	buf_release(&line);
	return ferror(file) ? err_set(err, ERR_IO, "standard input: %s", strerror(errno)) : 0;
}

static int inspect_all(struct inspector *in, const struct option_args *args, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < args->count && rc == 0; i++) {
		if (strcmp(args->ptr[i], "-") == 0)
			rc = inspect_lines(in, stdin, err);
		else
			inspect(in, slice_str(args->ptr[i]));
	}
	return rc;
}

static enum cmd_status run(const struct url *base, const struct option_args *args)
{
	struct inspector in = {.base = base};
	struct err err = {0};
	int rc, written;

	url_init(&in.url);
	buf_init(&in.text, URL_CANONICAL_MAX);
	json_init_file(&in.json, stdout, JSON_LINES);
	rc = inspect_all(&in, args, &err);
	written = json_finish(&in.json);
	buf_release(&in.text);
	url_release(&in.url);
	return rc ? cmd_fail("inspect url", &err) : cmd_finish(written);
}

enum cmd_status inspect_url(int argc, char **argv)
{
	struct url_options options = {0};
	struct option_args args;
	struct url base;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	url_init(&base);
	if (options.base &&
		cmd_in_option(url_parse(&base, slice_str(options.base), NULL, &err), "base", &err))
		return cmd_fail("inspect url", &err);
	status = run(options.base ? &base : NULL, &args);
	url_release(&base);
	return status;
}
