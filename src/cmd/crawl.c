/* stillpoint crawl: captures a site, then prints its quality. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/archive.h"
#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "cmd/crawl_config.h"
#include "crawl/crawl.h"
#include "crawl/seeds.h"
#include "crawl/sites.h"

/* What the sites of a crawl have to be warned of. */
static void warn(const struct seeds *seeds)
{
	const struct site_vec *list = &seeds->sites->list;
	bool anonymous = false, ignores = false, insecure = false;

	for (size_t i = 0; i < list->len; i++) {
		const struct crawl_settings *s = &list->ptr[i];

		anonymous = anonymous || (!s->contact && !s->user_agent);
		ignores = ignores || s->ignore_robots;
		insecure = insecure || s->insecure;
	}
	if (anonymous && !seeds_are_loopback(seeds))
		(void)fprintf(stderr, "stillpoint: warning: site owners cannot reach you; add "
				      "--contact with a URL or a mail address\n");
	if (ignores)
		(void)fprintf(stderr, "stillpoint: warning: --robots ignore: pages that robots.txt "
				      "forbids are captured, too\n");
	if (insecure)
		(void)fprintf(stderr, "stillpoint: warning: --insecure: certificates are not "
				      "checked, so nothing proves which server sent the pages\n");
}

static bool have_secrets(const struct site_vec *list)
{
	for (size_t i = 0; i < list->len; i++)
		if (crawl_secrets_are_in(&list->ptr[i]))
			return true;
	return false;
}

static enum cmd_status capture(const char *archive, const struct seeds *seeds,
	const struct crawl_command *o, struct err *err)
{
	const struct sites *sites = seeds->sites;
	struct crawl_results results = {0};
	struct capture_view view;
	enum cmd_status status;
	int rc;

	warn(seeds);
	archive_guard_files(archive, have_secrets(&sites->list));
	rc = capture_view_init(&view,
		&(struct capture_look){
			"crawl", (unsigned)o->lanes, o->quiet, o->crawl_log, o->events},
		err);
	view.options.secrets = seeds->secrets;
	if (rc || crawl_start(archive, sites->list.ptr, sites->list.len, &view.options, &results,
			  err)) {
		progress_clear(&view.progress);
		status = cmd_fail("crawl", err);
	} else {
		status = capture_view_finish(&view, archive, &results, o->json);
	}
	capture_view_release(&view);
	crawl_results_release(&results);
	return status;
}

/* The archive that options name, or the name that its seeds give it. */
static int name_archive(const struct crawl_config *c, const struct seeds *seeds, char *out,
	size_t size, struct err *err)
{
	const struct crawl_command *o = &c->top.o;

	if (!o->output)
		return seeds_archive_name(seeds, o->config ? o->config : o->seeds, out, size, err);
	if (strlen(o->output) >= size)
		return err_set(err, ERR_USAGE, "--output is longer than a path can be");
	(void)snprintf(out, size, "%s", o->output);
	return 0;
}

static enum cmd_status run(struct crawl_config *c)
{
	char archive[PATH_MAX];
	struct crawl_secrets secrets = {0};
	struct sites sites;
	struct seeds seeds = {&sites, &secrets};
	struct err err = {0};
	enum cmd_status status;
	int rc;

	sites_init(&sites, &c->top.o.settings, c->arena);
	rc = crawl_config_add_sites(c, &seeds, &err);
	if (rc == 0)
		rc = name_archive(c, &seeds, archive, sizeof archive, &err);
	if (rc == 0 && c->top.o.warc_per_site)
		rc = seeds_name_files(&seeds, &err);
	if (rc) {
		status = cmd_fail("crawl", &err);
	} else if (c->top.o.print_config) {
		crawl_config_print(c, archive, stdout);
		status = cmd_finish(0);
	} else {
		status = capture(archive, &seeds, &c->top.o, &err);
	}
	sites_release(&sites);
	crawl_secrets_release(&secrets);
	return status;
}

enum cmd_status cmd_crawl(int argc, char **argv)
{
	struct crawl_config config;
	struct arena arena;
	struct err err = {0};
	enum cmd_status status;
	int rc;

	arena_init(&arena, (size_t)1 << 30);
	rc = crawl_config_read(&config, &(struct crawl_line){argc, argv}, &arena, &err);
	if (rc == OPTIONS_HELP) {
		options_help(&CRAWL_OPTIONS, stdout);
		status = cmd_finish(0);
	} else if (rc) {
		status = cmd_fail(NULL, &err); /* it names the command itself */
	} else {
		cmd_log(config.top.o.verbose);
		status = run(&config);
	}
	crawl_config_release(&config);
	arena_release(&arena);
	return status;
}
