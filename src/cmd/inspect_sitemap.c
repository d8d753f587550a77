/* stillpoint inspect sitemap: the entries of a sitemap or feed. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/inspect.h"
#include "cmd/option_row.h"
#include "formats/sitemap.h"
#include "formats/url.h"

struct sitemap_options {
	const char *base;
};

#define ROW_OF struct sitemap_options

static const struct option_spec SPECS[] = {
	ROW(STRING, base, "base", 'b',
		"the sitemap's own URL, which relative addresses are resolved against (default: "
		"none)",
		.metavar = "URL"),
	{.name = NULL},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect sitemap",
	.usage = "FILE [--base URL]",
	.description =
		"Reads a sitemap, a sitemap index, a list of URLs, an RSS, Atom or JSON feed,\n"
		"packed with gzip or not (- is standard input), and prints for each entry an\n"
		"object with the keys loc, lastmod, changefreq and priority, or sitemap and\n"
		"lastmod; what is not known is null. What was wrong with the file is said on\n"
		"standard error.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static void print_entry(struct json *j, const struct sitemap_entry *entry)
{
	char date[CLOCK_TEXT_SIZE];

	json_object_begin(j);
	json_key(j, entry->is_sitemap ? "sitemap" : "loc");
	json_slice(j, entry->loc);
	json_key(j, "lastmod");
	if (entry->has_lastmod)
		clock_format(entry->lastmod.ns, CLOCK_ROUND_DOWN, date);
	json_string(j, entry->has_lastmod ? date : NULL);
	if (!entry->is_sitemap) {
		json_put_string(j, "changefreq", sitemap_frequency_name(entry->changefreq));
		json_put_double(j, "priority", entry->priority);
	}
	json_object_end(j);
}

static void print_damage(const char *name, const char *damage)
{
	(void)fputs("stillpoint: inspect sitemap: ", stderr);
	text_name(stderr, slice_str(name), 0);
	(void)fputs(": ", stderr);
	text_name(stderr, slice_str(damage), 0);
	(void)fputc('\n', stderr);
}

static enum cmd_status run(struct sitemap_reader *r, const char *name)
{
	struct sitemap_entry entry;
	struct err err = {0};
	struct json j;
	int rc, written;

	json_init_file(&j, stdout, JSON_LINES);
	while ((rc = sitemap_next(r, &entry, &err)) == 0)
		print_entry(&j, &entry);
	written = json_finish(&j);
	if (rc == ERR_END && sitemap_damage(r))
		print_damage(name, sitemap_damage(r));
	if (rc == ERR_END)
		return cmd_finish(written);
	err_prefix(&err, "%s", name);
	return cmd_fail_input("inspect sitemap", &err);
}

static int check_base(const char *base, struct err *err)
{
	struct url url;
	int rc;

	url_init(&url);
	rc = cmd_in_option(url_parse(&url, slice_str(base), NULL, err), "base", err);
	url_release(&url);
	return rc;
}

static enum cmd_status inspect(FILE *file, const char *name, const char *base)
{
	struct sitemap_reader *reader = NULL;
	struct err err = {0};
	enum cmd_status status;

	if (sitemap_open_file(&reader, file, slice_str(base), &err)) {
		err_prefix(&err, "%s", name);
		return cmd_fail_input("inspect sitemap", &err);
	}
	status = run(reader, name);
	sitemap_close(reader);
	return status;
}

enum cmd_status inspect_sitemap(int argc, char **argv)
{
	struct sitemap_options options = {.base = ""};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	FILE *file;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (options.base[0] && check_base(options.base, &err))
		return cmd_fail("inspect sitemap", &err);
	file = cmd_open_input(args.ptr[0], &err);
	if (!file)
		return cmd_fail_input("inspect sitemap", &err);
	status = inspect(file, args.ptr[0], options.base);
	cmd_close_input(file);
	return status;
}
