/*
 * The options of `crawl`: one table for the command line and for the keys of configuration files
 * (config/config.h).
 */
#ifndef CMD_CRAWL_OPTIONS_H
#define CMD_CRAWL_OPTIONS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"
#include "crawl/settings.h"

struct crawl_command {
	struct crawl_settings settings; /* as far as options can write to it directly */
	const char *output;
	const char *seeds;
	int64_t lanes;
	const char *delay, *contact;
	int scope, traps, robots, warc_coding; /* traps and robots are indexes of the words below */
	int evidence;                          /* the same */
	int spam;                              /* enum crawl_spam */
	int aim;                               /* enum plan_aim */
	int dust, mirrors, earlier;            /* enum crawl_dust, crawl_mirrors, crawl_earlier */
	const char *order, *host_budget, *topic;
	int weight; /* as traps */
	struct option_list surts, includes, excludes, without;
	const char *ignore;
	int64_t max_pages, max_depth, max_outside, trap_budget, forms, jobs, size, attempts;
	const char *proxy, *cookies;
	bool warc_per_site;
	const char *auth_file, *header_file, *proxy_file, *login;
	struct option_list auth, headers;
	const char *config;
	bool print_config;
	bool json;
	const char *crawl_log, *events;
	bool quiet;
	bool verbose;
};

/* The table, and the command that it is of. */
extern const struct option_spec CRAWL_SPECS[];
extern const struct options CRAWL_OPTIONS;

/* Names of options that are for a crawl, not for one of its sites; ends with NULL. */
extern const char *const CRAWL_WIDE[];

/* Defaults, to be filled by options_parse or config_read. Release in any case. */
void crawl_command_init(struct crawl_command *o);
void crawl_command_release(struct crawl_command *o);

/*
 * Completes the settings with what options cannot write into them. Strings go into the arena. 0,
 * ERR_USAGE, ERR_NOMEM.
 */
int crawl_command_complete(
	struct crawl_command *o, struct arena *arena, struct err *err) SP_MUST_CHECK;

/* The hint at the end of messages. */
#define CRAWL_SEE_HELP " (try 'stillpoint crawl --help')"

#endif
