/* stillpoint inspect robots: what a robots.txt lets a crawler fetch, and by which line. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "cmd/inspect.h"
#include "cmd/option_row.h"
#include "formats/robots.h"
#include "formats/url.h"

struct robots_options {
	const char *agent;
};

#define ROW_OF struct robots_options

static const struct option_spec SPECS[] = {
	ROW(STRING, agent, "agent", 'a', "the crawler's product token (default stillpoint)",
		.metavar = "NAME"),
	{.name = NULL},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect robots",
	.usage = "FILE URL… [--agent NAME]",
	.description =
		"Reads a robots.txt (- is standard input) after RFC 9309 and prints for each URL\n"
		"an object with the keys url, allowed, line (of the rule that decided, or null)\n"
		"and crawl_delay (in seconds, or null).",
	.specs = SPECS,
	.min_args = 2,
	.max_args = SIZE_MAX,
};

/* Path and query, encoded as a crawler would send them; what is no URL is taken for a path. */
static slice path_of(struct url *u, const char *text)
{
	if (url_parse(u, slice_str(text), NULL, NULL))
		return robots_url_path(slice_str(text));
	return robots_url_path(url_page(u));
}

static int inspect(const struct robots *r, const char *text, struct json *j, struct err *err)
{
	struct robots_decision decision;
	struct url u;
	int rc;

	url_init(&u);
	rc = robots_decide(r, path_of(&u, text), &decision);
	url_release(&u);
	if (rc)
		return err_set(err, rc, "%.99s: %s", text, err_name(rc));
	json_object_begin(j);
	json_put_string(j, "url", text);
	json_put_bool(j, "allowed", decision.allowed);
	json_put_uint_if(j, "line", decision.line, decision.line);
	json_put_double(j, "crawl_delay", r->crawl_delay >= 0 ? r->crawl_delay : NAN);
	json_object_end(j);
	return 0;
}

static enum cmd_status run(const struct robots *r, const struct option_args *urls)
{
	struct err err = {0};
	struct json j;
	int rc = 0, written;

	json_init_file(&j, stdout, JSON_LINES);
	for (size_t i = 0; i < urls->count && rc == 0; i++)
		rc = inspect(r, urls->ptr[i], &j, &err);
	written = json_finish(&j);
	return rc ? cmd_fail("inspect robots", &err) : cmd_finish(written);
}

enum cmd_status inspect_robots(int argc, char **argv)
{
	struct robots_options options = {.agent = "stillpoint"};
	struct option_args args;
	struct robots robots;
	struct buf text;
	struct err err = {0};
	enum cmd_status status;
	int rc;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	buf_init(&text, ROBOTS_PARSE_MAX + 1);
	rc = cmd_read_input(args.ptr[0], &text, &err);
	if (rc == 0)
		rc = robots_parse(&robots, buf_slice(&text), slice_str(options.agent), &err);
	buf_release(&text);
	if (rc)
		return cmd_fail_input("inspect robots", &err);
	status = run(&robots, &(struct option_args){args.ptr + 1, args.count - 1});
	robots_release(&robots);
	return status;
}
