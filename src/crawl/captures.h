/*
 * The captures of a crawl before they are on their lanes: new ones, which are added to the catalog
 * here, or the unfinished ones of an archive.
 */
#ifndef CRAWL_CAPTURES_H
#define CRAWL_CAPTURES_H

#include "base/api.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "crawl/lane.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "import/rates.h"
#include "store/directory.h"

/* A file of rates; many captures have the same. */
struct rates_file {
	const char *path;
	bool weights; /* rates_load_weights */
	struct rates *rates;
};

VEC_DECLARE(rates_files, struct rates_file);
VEC_DECLARE(settings_vec, struct crawl_settings *);

/* An unfinished capture that cannot be resumed, and why (in the arena). */
struct lost_capture {
	uint32_t capture;
	const char *problem;
};

VEC_DECLARE(lost_captures, struct lost_capture);

/* Fields may be read; the crawl moves the captures to lanes and sets their places to NULL. */
struct captures {
	struct directory *directory;
	const struct clock *clock;
	const struct crawl_secrets *secrets; /* of all captures; NULL for none; set by the caller */
	const struct crawl_changes *changes; /* the same */
	struct arena arena;                  /* of strings that live as long as the crawl */
	struct capture_vec list;
	struct u32_vec groups; /* by capture: those of one group may share a lane */
	size_t group_count;
	struct strmap group_numbers;  /* by their settings */
	struct settings_vec settings; /* read from the catalog */
	struct rates_files rates;
	struct lost_captures lost; /* by captures_load_unfinished */
};

/* Both are borrowed; the directory is to be open for captures_add_to_catalog and
 * captures_load_unfinished. */
void captures_init(struct captures *r, struct directory *directory, const struct clock *clock);
void captures_release(struct captures *r);

/*
 * Makes a capture for each site and checks its settings, before anything is written. The settings
 * are borrowed. 0, ERR_USAGE, ERR_NOMEM, …
 */
int captures_prepare(struct captures *r, const struct crawl_settings *sites, size_t count,
	struct err *err) SP_MUST_CHECK;

/* Adds the captures to the catalog, and the files they need to the archive. */
int captures_add_to_catalog(
	struct captures *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/*
 * The same for sites under watch: one that has a row goes on with it, under its present settings.
 * To be called with the captures of captures_prepare.
 */
int captures_reopen(struct captures *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/*
 * Makes all unfinished captures of the catalog, but for sites under watch. One whose settings are
 * damaged goes to lost and does not stop the others. 0, ERR_USAGE for a missing secret, ERR_IO,
 * ERR_NOMEM.
 */
int captures_load_unfinished(
	struct captures *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
