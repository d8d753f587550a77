/* stillpoint inspect links: what a document links to. */
#include <stdio.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/document.h"
#include "cmd/inspect.h"
#include "cmd/option_row.h"
#include "formats/resolve.h"

struct links_options {
	const char *base;
	const char *type;
};

#define ROW_OF struct links_options

static const struct option_spec SPECS[] = {
	ROW(STRING, base, "base", 'b', "the document's URL, which must be given", .metavar = "URL"),
	DOCUMENT_TYPE_SPEC,
	{.name = NULL},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect links",
	.usage = "FILE|- --base URL [--type MIME]",
	.description =
		"Prints for each link of an HTML, XML, SVG or CSS file an object with the keys "
		"url\n"
		"(resolved, without fragment) and kind: page, image, style, script, media, font,\n"
		"frame, form, canonical, alternate, sitemap or other.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static void print_link(struct json *json, const struct resolved_link *link)
{
	json_object_begin(json);
	json_key(json, "url");
	json_slice(json, link->url);
	json_put_string(json, "kind", link_kind_name(link->kind));
	json_object_end(json);
}

static enum cmd_status print_links(const struct links *links, const struct url *document)
{
	struct resolved_link link;
	struct resolver r;
	struct json json;
	int rc, written;

	resolver_init(&r, hash_key_random());
	rc = resolver_start(&r, links, document);
	json_init_file(&json, stdout, JSON_LINES);
	while (rc == 0 && (rc = resolver_next(&r, &link)) == 0)
		print_link(&json, &link);
	resolver_release(&r);
	written = json_finish(&json);
	return cmd_finish(rc == ERR_END ? written : rc);
}

static enum cmd_status run(const struct links_options *o, const char *path, struct err *err)
{
	struct links links;
	struct url document;
	enum cmd_status status;

	url_init(&document);
	links_init(&links);
	if (cmd_in_option(url_parse(&document, slice_str(o->base), NULL, err), "base", err)) {
		status = cmd_fail("inspect links", err);
	} else if (document_read(path, o->type, &links, NULL, err)) {
		status = cmd_fail_input("inspect links", err);
	} else {
		status = print_links(&links, &document);
	}
	links_release(&links);
	url_release(&document);
	return status;
}

enum cmd_status inspect_links(int argc, char **argv)
{
	struct links_options options = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (!options.base) {
		(void)err_set(&err, ERR_USAGE,
			"--base is missing; give the document's URL, which links are resolved "
			"against");
		return cmd_fail("inspect links", &err);
	}
	return run(&options, args.ptr[0], &err);
}
