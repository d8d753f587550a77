/* stillpoint report: the quality of a capture. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cmd/archive.h"
#include "cmd/captures.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "cmd/report_print.h"
#include "quality/report_json.h"
#include "url/url.h"

enum { WHY_TEXT_MAX = 2048 };

struct report_options {
	int64_t capture; /* 0: the last */
	const char *why;
	bool captures;
	bool json;
};

#define ROW_OF struct report_options

static const struct option_spec SPECS[] = {
	ROW(INT, capture, "capture", 'c',
		"which capture of the archive, from 1 (default: the last)", .metavar = "N",
		.min = 1, .max = UINT32_MAX - 1.0),
	ROW(FLAG, captures, "captures", 0,
		"list all captures of the archive, one per line, and their totals"),
	ROW(STRING, why, "why", 'w',
		"explain one page: where it was found, which rule took or refused it, and what "
		"became of it",
		.metavar = "URL"),
	ROW(FLAG, json, "json", 'j', "print one JSON document with every known page"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "report",
	.usage = "ARCHIVE [OPTION…]",
	.description = "Prints how sharp a capture is: how many of the captured pages were proven "
		       "the same before and after its still point, how many changed, failed or "
		       "were left out, what was expected, and where the problems are.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* Who has not said which capture may not know that there are others. */
static void tell_others(struct catalog *c, const char *archive)
{
	struct u32_vec ids = {0};

	if (captures_list(c, &ids, NULL) == 0 && ids.len > 1)
		printf("\nThe last of %zu captures; all of them: stillpoint report %s --captures\n",
			ids.len, archive);
	u32_vec_release(&ids);
}

static enum cmd_status print(const struct report *r, struct catalog *c, const char *archive,
	const struct report_options *o)
{
	struct json j;
	int rc;

	if (!o->json) {
		rc = report_print(r, archive, stdout);
		if (rc == ERR_NOMEM)
			return cmd_fail("report", &(struct err){ERR_NOMEM, "out of memory"});
		if (rc == 0 && !o->capture)
			tell_others(c, archive);
		return cmd_finish(rc);
	}
	json_init_file(&j, stdout, JSON_LINES);
	report_json(r, &j);
	return cmd_finish(json_finish(&j));
}

/* ---- of one page ---- */

/* As the user spells it, or else as it is spelled in canonical form. */
static int find(
	struct why *w, struct catalog *c, uint32_t capture, const char *text, struct err *err)
{
	struct url url;
	int rc = why_load(w, c, capture, slice_str(text), err);

	if (rc != ERR_NOTFOUND)
		return rc;
	why_release(w);
	url_init(&url);
	if (url_parse(&url, slice_str(text), NULL, NULL) == 0)
		rc = why_load(w, c, capture, url_page(&url), err);
	url_release(&url);
	if (rc == ERR_NOTFOUND)
		(void)err_set(err, rc,
			"%s: capture %u does not know this URL: it found no link to it", text,
			(unsigned)capture);
	return rc;
}

/*
 * The URL that was meant by "/path" or "host/path" where the site is known; false when that is no
 * URL either, or when the text is one already.
 */
static bool complete(const char *text, slice site, struct url *ret)
{
	char longer[WHY_TEXT_MAX];
	struct url base;
	bool is;
	int n = snprintf(longer, sizeof longer, "%s%s", text[0] == '/' ? "" : "//", text);

	if (n < 0 || (size_t)n >= sizeof longer || strstr(text, "://"))
		return false;
	url_init(&base);
	is = url_parse(&base, site, NULL, NULL) == 0 &&
	     url_parse(ret, slice_str(longer), &base, NULL) == 0;
	/* A host is said without its port. */
	if (is && ret->port == URL_NO_PORT && strchr(text, '/') &&
		slice_eq(url_part(ret, ret->host), url_part(&base, base.host)))
		is = url_parse(ret, slice_str(strchr(longer + 2 * (text[0] != '/'), '/')), &base,
			     NULL) == 0;
	url_release(&base);
	return is;
}

/* Says what was perhaps meant by a text that is no URL. */
static void propose(const struct report *r, struct catalog *c, const char *text, struct err *err)
{
	struct err none = {0};
	struct url url;
	struct why w = {0};

	url_init(&url);
	if (complete(text, r->capture.site, &url)) {
		slice meant = url_page(&url);

		if (why_load(&w, c, r->capture.id, meant, &none) == 0)
			(void)err_set(err, ERR_NOTFOUND,
				"'%.300s' is not a URL; did you mean %.*s ?", text, (int)meant.len,
				meant.ptr);
		else
			(void)err_set(err, ERR_NOTFOUND,
				"'%.300s' is not a URL, and capture %u does not know %.*s", text,
				(unsigned)r->capture.id, (int)meant.len, meant.ptr);
		why_release(&w);
	}
	url_release(&url);
}

/* The newest capture that took the page, or else that knows it; 0 when none does. */
static uint32_t find_capture(struct catalog *c, const char *text)
{
	struct u32_vec ids = {0};
	struct err err = {0};
	uint32_t found = 0;
	bool taken = false;

	if (captures_list(c, &ids, &err) == 0)
		for (size_t i = ids.len; i > 0 && !taken; i--) {
			struct why w;

			if (find(&w, c, ids.ptr[i - 1], text, &err) == 0) {
				taken = w.way.ptr[w.way.len - 1].taken;
				found = taken || !found ? ids.ptr[i - 1] : found;
			}
			why_release(&w);
		}
	u32_vec_release(&ids);
	return found;
}

static enum cmd_status explain(struct catalog *c, const struct report *r, const char *url)
{
	struct err err = {0};
	struct why w;
	enum cmd_status status;

	if (find(&w, c, r->capture.id, url, &err)) {
		if (err.code == ERR_NOTFOUND)
			propose(r, c, url, &err);
		status = cmd_fail_archive("report", &err);
	} else {
		report_print_why(r, &w, stdout);
		status = cmd_finish(0);
	}
	why_release(&w);
	return status;
}

static enum cmd_status run(const char *archive, const struct report_options *o)
{
	uint32_t capture = (uint32_t)o->capture;
	struct catalog *catalog;
	struct report report;
	struct err err = {0};
	enum cmd_status status;

	if (archive_open_catalog(archive, &catalog, &err))
		return cmd_fail_archive("report", &err);
	if (o->why && !capture)
		capture = find_capture(catalog, o->why);
	if (report_load(&report, catalog, capture, &err)) {
		status = cmd_fail_archive("report", &err);
	} else {
		status = o->why ? explain(catalog, &report, o->why)
				: print(&report, catalog, archive, o);
		report_release(&report);
	}
	catalog_close(catalog);
	return status;
}

enum cmd_status cmd_report_capture(const char *archive, uint32_t capture, bool json)
{
	enum cmd_status status =
		run(archive, &(struct report_options){.capture = capture, .json = json});

	/* Whatever is wrong with an archive that was just written, the command line was right. */
	return status == CMD_USAGE ? CMD_FAILURE : status;
}

enum cmd_status cmd_report(int argc, char **argv)
{
	struct report_options o = {0};
	struct option_args args;
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (o.why && o.json)
		return cmd_fail(
			"report", &(struct err){ERR_USAGE, "--why and --json cannot be combined"});
	if (o.captures && (o.why || o.capture))
		return cmd_fail("report",
			&(struct err){ERR_USAGE,
				"--captures lists all of them; leave out --capture and --why"});
	return o.captures ? captures_print(args.ptr[0], NULL, o.json) : run(args.ptr[0], &o);
}
