/* The settings that users give: the one table of them, configuration files, and secrets. */
#ifndef CRAWL_CRAWL_OPTIONS_H
#define CRAWL_CRAWL_OPTIONS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/options.h"
#include "base/vec.h"
#include "crawl/login.h"
#include "crawl/secrets.h"
#include "crawl/seeds.h"
#include "crawl/settings.h"
#include "formats/config.h"

/* ---- options ---- */

/*
 * The one table of settings. A row is an option of `crawl` and `resume`, a key of configuration
 * files of `crawl`, `resume` and `watch` (formats/config.h), and, if its value belongs to a
 * capture, a line of the settings in the archive (crawl/settings.h). It has name, type, range,
 * default, help and group, and says where it applies. What a row says is parsed, checked, printed
 * and saved by functions that know no row by name: who adds an option adds a row and uses the
 * field.
 */

/* Tags of rows. */
enum {
	CRAWL_OWN = 1 << 0,        /* as crawl_setting_is_own */
	CRAWL_WIDE = 1 << 1,       /* of the whole crawl or watch, not of one of its sites */
	CRAWL_LINE = 1 << 2,       /* for the command line only */
	CRAWL_FILE = 1 << 3,       /* for files only */
	CRAWL_SECRET = 1 << 4,     /* may hold a password or key: never printed */
	CRAWL_BASIC = 1 << 5,      /* in the short help */
	CRAWL_CHANGES = 1 << 6,    /* resume can change it */
	CRAWL_RUN = 1 << 7,        /* of a run, not of the capture: resume takes it, too */
	CRAWL_OF_WATCH = 1 << 8,   /* a crawl reads and passes it over */
	CRAWL_OF_RESUME = 1 << 9,  /* for resume only */
	CRAWL_ELSEWHERE = 1 << 10, /* printed another way, or not at all, by --print-config */
};

/* Commands that share the table with crawl: places in option_spec.unfit, which says why a value
 * has no effect there. */
enum { CRAWL_BY_WATCH };

enum { CRAWL_OPTIONS_MAX = 128 };

/* What the rows fill. */
struct crawl_command {
	struct crawl_settings settings; /* first: offsets of one are offsets of the other */
	const char *output, *seeds, *config;
	int64_t lanes;
	bool print_config, warc_per_site, json, quiet, verbose;
	const char *crawl_log, *events;
	const char *order, *ignore; /* go to the settings: crawl_command_complete */
	struct text_list auth, header;
	const char *auth_file, *header_file, *proxy_file, *proxy, *cookies, *login;
	const char *cert, *key;
	bool retry_failed, revisit_now; /* of resume */

	/* Of a watch. */
	const char *policy, *windows, *ping, *retention;
	double grid, theta, use;

	bool given[CRAWL_OPTIONS_MAX]; /* by row */
};

extern const struct option_spec CRAWL_SPECS[]; /* ends with a row without name */

/* The commands. */
extern const struct options CRAWL_OPTIONS, RESUME_OPTIONS;

/* Defaults, to be filled by options_parse or config_read. Release in any case. */
void crawl_command_init(struct crawl_command *o);
void crawl_command_release(struct crawl_command *o);

/* Whether the row that fills this field was given; for the address of a member of o. */
bool crawl_command_has(const struct crawl_command *o, const void *field);

/*
 * Completes the settings with what needs other files, the environment or several options. Strings
 * go into the arena. 0, ERR_USAGE, ERR_NOMEM.
 */
int crawl_command_complete(
	struct crawl_command *o, struct arena *arena, struct err *err) SP_MUST_CHECK;

/* The hint at the end of messages. */
#define CRAWL_SEE_HELP " (try 'stillpoint crawl --help')"

/* ---- secrets that users give ---- */

/* Passwords, keys, cookies and proxies, from where users give them: options, files, environment. */

/*
 * Puts each where it belongs; what files and the environment (STILLPOINT_AUTH, STILLPOINT_HEADER)
 * say goes into the arena of the notes, which get a warning for each file that others can read. 0,
 * ERR_NOMEM, ERR_USAGE. The caller releases all of them.
 */
int given_secrets(const struct crawl_command *o, struct crawl_settings *settings,
	struct crawl_secrets *secrets, struct login_file *login, struct config_notes *notes,
	struct err *err) SP_MUST_CHECK;

/* ---- configuration files ---- */

/*
 * What a crawl or a watch is to do, from the command line and a configuration file: entries, each
 * with options and URLs. Options of an entry of the file go before those at the file's top, and
 * those of the command line before both.
 */

/* URLs that have the same options. */
struct crawl_entry {
	struct crawl_command o; /* first: offsets of options are offsets of an entry, too */
	struct text_list urls;
	const struct yaml_node *at; /* in the file; NULL: from the command line */
	size_t site_count;          /* sites that its URLs make; known once they are added */

	/* Keys that are no options; the last two are a watch's, a crawl passes them over. */
	const struct yaml_node *url, *sites, *budget, *weights;
};

VEC_DECLARE(crawl_entries, struct crawl_entry *);

struct crawl_config {
	struct crawl_entry top; /* what is for the whole crawl, and the defaults of entries */
	struct crawl_entries entries;
	struct yaml file;
	struct login_file login;
	struct config_notes notes; /* what the user should know */
	struct arena *arena;
};

/* The command line; argv is not changed. */
struct crawl_line {
	const struct options *options; /* CRAWL_OPTIONS or RESUME_OPTIONS */
	int argc;
	char **argv;
};

/* All return 0, ERR_USAGE, ERR_NOMEM. The configuration and its entries live in the arena; release
 * it in any case. */

/*
 * Reads options of crawl, the file that they name, and its entries. May return as options_parse,
 * too, and its text names the command, as there.
 */
int crawl_config_read(struct crawl_config *c, const struct crawl_line *line, struct arena *arena,
	struct err *err) SP_MUST_CHECK;

/* The same for resume: no entries; of a file only what is of a run counts. */
int crawl_config_read_changes(struct crawl_config *c, const struct crawl_line *line,
	struct arena *arena, struct option_args *ret_args, struct err *err) SP_MUST_CHECK;

/* The same from a document that was read into c->file, for a watch. */
int crawl_config_read_watch(
	struct crawl_config *c, struct arena *arena, struct err *err) SP_MUST_CHECK;
void crawl_config_release(struct crawl_config *c);

/*
 * Completes the settings of all entries and adds their URLs to the seeds: sites of their own for
 * each entry. The secrets of the top go to seeds->secrets.
 */
int crawl_config_add_sites(
	struct crawl_config *c, const struct seeds *seeds, struct err *err) SP_MUST_CHECK;

#endif
