/*
 * What a crawl is to do, from the command line and the file of --config: entries, each with options
 * and URLs. Options of an entry of the file go before those at the file's top, and those of the
 * command line before both.
 */
#ifndef CMD_CRAWL_CONFIG_H
#define CMD_CRAWL_CONFIG_H

#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "cmd/crawl_options.h"
#include "config/config.h"
#include "crawl/login_file.h"
#include "crawl/seeds.h"

/* URLs that have the same options. */
struct crawl_entry {
	struct crawl_command o; /* first: offsets of options are offsets of an entry, too */
	struct option_list urls;
	const struct yaml_node *at; /* in the file; NULL: from the command line */

	/* Keys that are no options. Those of a watch are read and have no meaning here. */
	const struct yaml_node *url, *archive, *sites, *of_watch;
};

VEC_DECLARE(crawl_entries, struct crawl_entry *);

struct crawl_config {
	struct crawl_entry top; /* what is for the whole crawl, and the defaults of entries */
	struct crawl_entries entries;
	struct yaml file;
	struct login_file login;
	struct arena *arena;
};

/* The command line; argv is not changed. */
struct crawl_line {
	int argc;
	char **argv;
};

/*
 * Reads options, the file that they name, and its entries; they live in the arena. 0, OPTIONS_HELP,
 * ERR_USAGE, ERR_NOMEM; the text names the command, as that of options_parse. Release in any case.
 */
int crawl_config_read(struct crawl_config *c, const struct crawl_line *line, struct arena *arena,
	struct err *err) SP_MUST_CHECK;
void crawl_config_release(struct crawl_config *c);

/*
 * Completes the settings of all entries and adds their URLs to the seeds: sites of their own for
 * each entry. The secrets of the top go to seeds->secrets. 0, ERR_USAGE, ERR_NOMEM.
 */
int crawl_config_add_sites(
	struct crawl_config *c, const struct seeds *seeds, struct err *err) SP_MUST_CHECK;

/* Writes it as a file for --config, without passwords and keys. Errors stay in the FILE. */
void crawl_config_print(const struct crawl_config *c, const char *archive, FILE *out);

#endif
