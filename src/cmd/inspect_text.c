/* stillpoint inspect text: what a reader sees of a document. */
#include <stdio.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/document.h"
#include "cmd/inspect.h"
#include "cmd/option_row.h"

struct text_options {
	const char *type;
};

#define ROW_OF struct text_options

static const struct option_spec SPECS[] = {
	DOCUMENT_TYPE_SPEC,
	{.name = NULL},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect text",
	.usage = "FILE|- [--type MIME]",
	.description =
		"Prints an object with the keys title, language, robots (each null when the "
		"document\n"
		"has none), text (what a reader sees, a line for each block), and the numbers of\n"
		"images, tables and links.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* Empty: it is not there. */
static void print_text(struct json *json, const char *key, const struct buf *value)
{
	json_text(json, key, value->len ? buf_slice(value) : (slice){0});
}

static enum cmd_status print(const struct page_text *text)
{
	struct json json;

	json_init_file(&json, stdout, JSON_LINES);
	json_object_begin(&json);
	print_text(&json, "title", &text->title);
	print_text(&json, "language", &text->language);
	print_text(&json, "robots", &text->robots);
	json_key(&json, "text");
	json_slice(&json, text->text.len ? buf_slice(&text->text) : SLICE(""));
	json_put_uint(&json, "images", text->images);
	json_put_uint(&json, "tables", text->tables);
	json_put_uint(&json, "links", text->links);
	json_object_end(&json);
	return cmd_finish(json_finish(&json));
}

enum cmd_status inspect_text(int argc, char **argv)
{
	struct text_options options = {0};
	struct option_args args;
	struct page_text text;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	page_text_init(&text);
	if (document_read(args.ptr[0], options.type, NULL, &text, &err))
		status = cmd_fail_input("inspect text", &err);
	else
		status = print(&text);
	page_text_release(&text);
	return status;
}
