#include "cmd/crawl_config.h"

#include <string.h>

#include "cmd/capture.h"

#define KEY(name, kind, member)                                  \
	{                                                        \
		name, kind, offsetof(struct crawl_entry, member) \
	}

/* Of a watch, which a crawl has no use for. */
#define KEYS_OF_WATCH                                                                     \
	KEY("budget", YAML_SCALAR, of_watch), KEY("policy", YAML_SCALAR, of_watch),       \
		KEY("grid", YAML_SCALAR, of_watch), KEY("theta", YAML_SCALAR, of_watch),  \
		KEY("use", YAML_SCALAR, of_watch), KEY("windows", YAML_SCALAR, of_watch), \
		KEY("weights", YAML_SCALAR, of_watch)

static const struct config_part TOP_PARTS[] = {
	KEY("archive", YAML_SCALAR, archive),
	KEY("sites", YAML_LIST, sites),
	KEY("ping", YAML_SCALAR, of_watch),
	KEY("retention", YAML_SCALAR, of_watch),
	KEYS_OF_WATCH,
	{.name = NULL},
};

static const struct config_part SITE_PARTS[] = {
	KEY("url", YAML_SCALAR, url),
	KEYS_OF_WATCH,
	{.name = NULL},
};

/* ---- the command line ---- */

static void forget_lists(struct crawl_command *o)
{
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++)
		if (s->kind == OPTION_LIST)
			*(struct option_list *)option_field(s, o) = (struct option_list){0};
}

/* Parses the command line over options that are there; its lists replace theirs. */
static int apply_line(const struct crawl_config *c, const struct crawl_line *line,
	struct crawl_command *o, struct option_args *ret_args, struct err *err)
{
	char **argv = ARENA_ARRAY(c->arena, char *, (size_t)line->argc + 1);
	struct crawl_command before = *o;
	int rc;

	if (!argv)
		return err_code(err, ERR_NOMEM);
	memcpy(argv, line->argv, (size_t)line->argc * sizeof *argv); /* parsing reorders it */
	forget_lists(o);
	rc = options_parse(&CRAWL_OPTIONS, line->argc, argv, o, ret_args, err);
	if (rc == 0)
		rc = err_code(err, options_inherit(&CRAWL_OPTIONS, &before, o));
	options_release(&CRAWL_OPTIONS, &before);
	return rc;
}

/* ---- the file ---- */

/* A new entry with the options of the top. Its seeds are its own. */
static int new_entry(struct crawl_config *c, struct crawl_entry **ret, struct err *err)
{
	struct crawl_entry *entry = ARENA_NEW(c->arena, struct crawl_entry);

	if (!entry || crawl_entries_reserve(&c->entries, 1))
		return err_code(err, ERR_NOMEM);
	entry->o = c->top.o;
	entry->o.seeds = NULL;
	forget_lists(&entry->o);
	c->entries.ptr[c->entries.len++] = entry;
	*ret = entry;
	return err_code(err, options_inherit(&CRAWL_OPTIONS, &c->top.o, &entry->o));
}

static int read_urls(const struct crawl_config *c, struct crawl_entry *entry, struct err *err)
{
	static const struct option_spec url = {
		.name = "url", .kind = OPTION_LIST, .offset = offsetof(struct crawl_entry, urls)};

	if (entry->url)
		return config_value(&c->file, entry->url, &url, entry, err);
	if (entry->o.seeds)
		return 0;
	return yaml_refuse(&c->file, entry->at, err, "the key 'url' is missing");
}

static int read_site(struct crawl_config *c, const struct yaml_node *map,
	const struct crawl_line *line, struct err *err)
{
	static const struct config_table table = {.specs = CRAWL_SPECS,
		.parts = SITE_PARTS,
		.excluded = CRAWL_WIDE,
		.excluded_why = "is for the whole crawl; put it at the top of the file"};
	struct option_args unused;
	struct crawl_entry *entry = NULL;
	const char *seeds;
	int rc = new_entry(c, &entry, err);

	if (rc)
		return rc;
	entry->at = map;
	rc = config_read(&c->file, map, &table, entry, err);
	if (rc == 0)
		rc = read_urls(c, entry, err);
	seeds = entry->o.seeds;
	if (rc == 0)
		rc = apply_line(c, line, &entry->o, &unused, err);
	entry->o.seeds = seeds; /* of the command line: a matter of the top */
	return rc;
}

static int read_archive(const struct crawl_config *c, struct crawl_entry *top, struct err *err)
{
	static const struct option_spec archive = {.name = "archive",
		.kind = OPTION_STRING,
		.offset = offsetof(struct crawl_entry, o.output)};

	if (!top->archive)
		return 0;
	if (top->o.output)
		return yaml_refuse(&c->file, top->archive, err,
			"archive and output are the same; give one of them");
	return config_value(&c->file, top->archive, &archive, top, err);
}

/* Passwords may be in the file itself. */
static void warn_of_secrets(const struct yaml *file, const char *path)
{
	if (yaml_get(file->root, "auth") || yaml_get(file->root, "header") ||
		yaml_get(file->root, "proxy"))
		capture_warn_readable(path);
}

/* Reads the top, then its sites, each under the command line. */
static int read_file(struct crawl_config *c, const char *path, const struct crawl_line *line,
	struct option_args *args, struct err *err)
{
	static const char *const EXCLUDED[] = {"config", "print-config", NULL};
	static const struct config_table table = {.specs = CRAWL_SPECS,
		.parts = TOP_PARTS,
		.excluded = EXCLUDED,
		.excluded_why = "is for the command line only"};
	int rc = yaml_read(&c->file, path, err);

	crawl_command_release(&c->top.o);
	crawl_command_init(&c->top.o);
	if (rc == 0)
		rc = config_read(&c->file, c->file.root, &table, &c->top, err);
	if (rc == 0)
		rc = read_archive(c, &c->top, err);
	if (rc == 0)
		warn_of_secrets(&c->file, path);
	for (const struct yaml_entry *e = c->top.sites ? c->top.sites->entries : NULL; rc == 0 && e;
		e = e->next)
		rc = read_site(c, e->value, line, err);
	return rc ? rc : apply_line(c, line, &c->top.o, args, err);
}

/* URLs of the command line and a list at the top have the options of the top. */
static int add_top(struct crawl_config *c, const struct option_args *args, struct err *err)
{
	struct crawl_entry *entry = NULL;
	int rc;

	if (args->count == 0 && !c->top.o.seeds)
		return c->entries.len > 0 ? 0
					  : err_set(err, ERR_USAGE,
						    "a URL is missing; give one, --seeds FILE or "
						    "--config FILE" CRAWL_SEE_HELP);
	rc = new_entry(c, &entry, err);
	if (rc)
		return rc;
	entry->o.seeds = c->top.o.seeds;
	for (size_t i = 0; rc == 0 && i < args->count; i++)
		rc = option_list_push(&entry->urls, args->ptr[i]);
	return err_code(err, rc);
}

int crawl_config_read(
	struct crawl_config *c, const struct crawl_line *line, struct arena *arena, struct err *err)
{
	struct option_args args = {0};
	int rc;

	*c = (struct crawl_config){.arena = arena};
	crawl_command_init(&c->top.o);
	rc = apply_line(c, line, &c->top.o, &args, err);
	if (rc)
		return rc;
	if (c->top.o.config)
		rc = read_file(c, c->top.o.config, line, &args, err);
	if (rc == 0)
		rc = add_top(c, &args, err);
	if (rc)
		err_prefix(err, "%s", CRAWL_OPTIONS.command); /* as options_parse does */
	return rc;
}

void crawl_config_release(struct crawl_config *c)
{
	for (size_t i = 0; i < c->entries.len; i++) {
		crawl_command_release(&c->entries.ptr[i]->o);
		option_list_release(&c->entries.ptr[i]->urls);
	}
	crawl_entries_release(&c->entries);
	crawl_command_release(&c->top.o);
	login_file_release(&c->login);
	yaml_release(&c->file);
}

/* ---- sites ---- */

/* Passwords, keys and proxies are those of the whole crawl. */
static int take_secrets(struct crawl_config *c, const struct seeds *seeds, struct err *err)
{
	struct crawl_command *o = &c->top.o;

	return capture_secrets(
		&(struct capture_given){&o->auth, &o->headers, o->cookies, o->proxy, o->auth_file,
			o->header_file, o->proxy_file, o->login, &c->login},
		c->arena, &o->settings, seeds->secrets, err);
}

static int share_headers(const struct crawl_settings *from, struct crawl_settings *to)
{
	int rc = 0;

	to->proxy = from->proxy;
	for (size_t i = 0; rc == 0 && i < from->headers.len; i++)
		rc = text_list_push(&to->headers, from->headers.ptr[i]);
	return rc;
}

static int add_urls(struct crawl_entry *entry, const struct seeds *seeds, struct err *err)
{
	int rc = 0;

	sites_begin(seeds->sites, &entry->o.settings);
	for (size_t i = 0; rc == 0 && i < entry->urls.len; i++)
		rc = seeds_add(seeds, entry->urls.ptr[i], err);
	return rc == 0 && entry->o.seeds ? seeds_read(seeds, entry->o.seeds, err) : rc;
}

int crawl_config_add_sites(struct crawl_config *c, const struct seeds *seeds, struct err *err)
{
	int rc = take_secrets(c, seeds, err);

	for (size_t i = 0; rc == 0 && i < c->entries.len; i++) {
		struct crawl_entry *entry = c->entries.ptr[i];

		const struct yaml_node *at = entry->at;

		rc = crawl_command_complete(&entry->o, c->arena, err);
		if (rc == 0)
			rc = err_code(err, share_headers(&c->top.o.settings, &entry->o.settings));
		if (rc == 0 && entry->url)
			at = entry->url;
		if (rc == 0)
			rc = add_urls(entry, seeds, err);
		if (at) /* late checks know no place of their own */
			rc = yaml_locate(&c->file, at, rc, err);
	}
	return rc ? rc : seeds_finish(seeds, &c->top.o.settings, err);
}
