/*
 * The captures of a crawl before they are on their lanes: new ones, which get their rows in the
 * catalog here, or those that an archive has not finished.
 */
#ifndef CRAWL_ROSTER_H
#define CRAWL_ROSTER_H

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
	struct rates *rates;
};

VEC_DECLARE(rates_files, struct rates_file);
VEC_DECLARE(settings_vec, struct crawl_settings *);

/* A capture that the archive has not finished and that cannot go on: why, in the arena. */
struct roster_loss {
	uint32_t capture;
	const char *problem;
};

VEC_DECLARE(roster_losses, struct roster_loss);

/* Fields may be read; captures are taken out by whoever puts them on lanes. */
struct roster {
	struct directory *directory;
	const struct clock *clock;
	const struct crawl_secrets *secrets; /* of all captures; NULL for none; set by the caller */
	struct arena arena;                  /* of strings as old as the crawl */
	struct capture_vec captures;
	struct u32_vec groups; /* by capture: those of one group may share a lane */
	size_t group_count;
	struct strmap group_numbers;  /* by their settings */
	struct settings_vec settings; /* that we have read ourselves */
	struct rates_files rates;
	struct roster_losses lost; /* by roster_recall */
};

/* Both are borrowed; the directory is to be open for roster_enter and roster_recall. */
void roster_init(struct roster *r, struct directory *directory, const struct clock *clock);
void roster_release(struct roster *r);

/*
 * Prepares a capture for each site. All that can be wrong with the settings is found here, before
 * anything is written. The settings are borrowed. 0, ERR_USAGE, ERR_NOMEM, …
 */
int roster_prepare(struct roster *r, const struct crawl_settings *sites, size_t count,
	struct err *err) SP_MUST_CHECK;

/* Adds the rows of prepared captures to the catalog, and what they need to the archive. */
int roster_enter(struct roster *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/*
 * Prepares all captures that the catalog has and that are not finished. One whose settings are
 * damaged is lost, and no reason to give up the others. 0, ERR_USAGE for a secret that is missing,
 * ERR_IO, ERR_NOMEM.
 */
int roster_recall(struct roster *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
