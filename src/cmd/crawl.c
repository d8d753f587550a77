/* stillpoint crawl: captures a site, then prints its quality. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cmd/archive.h"
#include "cmd/capture.h"
#include "cmd/cmd.h"
#include "crawl/crawl.h"
#include "crawl/crawl_options.h"
#include "crawl/seeds.h"
#include "formats/yaml.h"

/* The configuration that counts, as a file for --config. */

static const struct text_list *list_of(const struct option_spec *s, const struct crawl_command *o)
{
	return (const void *)((const char *)o + s->offset);
}

static bool is_set(const struct option_spec *s, const struct crawl_command *o)
{
	char number[OPTION_TEXT_SIZE];

	return s->kind == OPTION_LIST ? list_of(s, o)->len > 0
				      : option_text(s, o, number).ptr != NULL;
}

static bool is_equal(
	const struct option_spec *s, const struct crawl_command *a, const struct crawl_command *b)
{
	char text_a[OPTION_TEXT_SIZE], text_b[OPTION_TEXT_SIZE];
	const struct text_list *list_a = list_of(s, a), *list_b = list_of(s, b);

	if (is_set(s, a) != is_set(s, b))
		return false;
	if (s->kind != OPTION_LIST)
		return slice_eq(option_text(s, a, text_a), option_text(s, b, text_b));
	if (list_a->len != list_b->len)
		return false;
	for (size_t i = 0; i < list_a->len; i++)
		if (strcmp(list_a->ptr[i], list_b->ptr[i]) != 0)
			return false;
	return true;
}

static bool is_printed(const struct option_spec *s)
{
	return s->kind != OPTION_GONE && !(s->tags & (CRAWL_ELSEWHERE | CRAWL_OF_WATCH));
}

static bool is_common(const struct crawl_config *c, const struct option_spec *s)
{
	for (size_t i = 1; i < c->entries.len; i++)
		if (!is_equal(s, &c->entries.ptr[0]->o, &c->entries.ptr[i]->o))
			return false;
	return true;
}

static void print_list(const struct text_list *list, FILE *out)
{
	(void)putc('[', out);
	for (size_t i = 0; i < list->len; i++) {
		(void)fputs(i ? ", " : "", out);
		yaml_write_text(out, slice_str(list->ptr[i]));
	}
	(void)putc(']', out);
}

static void print_value(
	const struct option_spec *s, const struct crawl_command *o, const char *indent, FILE *out)
{
	char number[OPTION_TEXT_SIZE];

	if (!is_set(s, o))
		return;
	if (s->tags & CRAWL_SECRET) {
		(void)fprintf(
			out, "%s# %s: not written here, since it may be secret\n", indent, s->name);
		return;
	}
	(void)fprintf(out, "%s%s: ", indent, s->name);
	if (s->kind == OPTION_LIST)
		print_list(list_of(s, o), out);
	else
		yaml_write_text(out, option_text(s, o, number));
	(void)putc('\n', out);
}

static void print_entry(const struct crawl_config *c, const struct crawl_entry *entry, FILE *out)
{
	const char *dash = "  - ";

	if (entry->urls.len > 0) {
		(void)fprintf(out, "%surl: ", dash);
		if (entry->urls.len == 1)
			yaml_write_text(out, slice_str(entry->urls.ptr[0]));
		else
			print_list(&entry->urls, out);
		(void)putc('\n', out);
		dash = "    ";
	}
	if (entry->o.seeds) {
		(void)fprintf(out, "%sseeds: ", dash);
		yaml_write_text(out, slice_str(entry->o.seeds));
		(void)putc('\n', out);
	}
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++)
		if (is_printed(s) && !(s->tags & CRAWL_WIDE) && !is_common(c, s))
			print_value(s, &entry->o, "    ", out);
}

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
	capture_warn(&c->notes);
	if (rc) {
		status = cmd_fail("crawl", &err);
	} else if (c->top.o.print_config) {
		/* Writes it, without passwords and keys. Errors stay in the FILE. */
		(void)fputs("archive: ", stdout);
		yaml_write_text(stdout, slice_str(archive));
		(void)putc('\n', stdout);
		for (const struct option_spec *s = CRAWL_SPECS; s->name; s++) {
			if (!is_printed(s))
				continue;
			if (s->tags & CRAWL_WIDE)
				print_value(s, &c->top.o, "", stdout);
			else if (is_common(c, s))
				print_value(s, &c->entries.ptr[0]->o, "", stdout);
		}
		(void)fputs("sites:\n", stdout);
		for (size_t i = 0; i < c->entries.len; i++)
			print_entry(c, c->entries.ptr[i], stdout);
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
	rc = crawl_config_read(
		&config, &(struct crawl_line){&CRAWL_OPTIONS, argc, argv}, &arena, &err);
	if (rc == OPTIONS_HELP || rc == OPTIONS_HELP_ALL) {
		options_help(&CRAWL_OPTIONS, rc == OPTIONS_HELP_ALL, stdout);
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
