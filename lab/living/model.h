/*
 * The living site without its server: what there is, how it behaves and, for any instant, what is
 * true. Everything is decided when the model is made and nothing changes after that, so any thread
 * may ask.
 *
 * A *resource* is a page or a requisite of one host. Host by host they are numbered: pages first,
 * as in the layout, then the requisites page by page. Times are nanoseconds since the start.
 */
#ifndef LIVING_MODEL_H
#define LIVING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "living/change.h"
#include "living/layout.h"
#include "living/params.h"

struct recording;

struct living_model {
	struct living_params params; /* with defaults filled in */
	const char *default_host;    /* how the only host is called that has no name */
	struct layout layout;        /* of each host */
	struct recording *recording; /* of a history; else NULL */
	size_t hosts;
	size_t per_host; /* resources */
	size_t count;    /* all of them */
	double *rates;
	uint8_t *behaviours; /* of enum living_behaviour */
	uint8_t *validators; /* of enum living_validators */
};

/*
 * default_host (borrowed) is the name of the site where none is given. On failure there is nothing
 * to release: ERR_USAGE or ERR_RANGE for parameters that do not go together, else as from files.
 */
int living_model_init(struct living_model *m, const struct living_params *params,
	const char *default_host, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void living_model_release(struct living_model *m);

/* What a resource is. */
struct living_place {
	size_t host;
	uint32_t page;    /* of the layout; of a requisite the page that needs it */
	size_t requisite; /* from 1; 0 for a page */
	enum living_kind kind;
};

struct living_place living_place_of(const struct living_model *m, uint32_t resource);
uint32_t living_page_resource(const struct living_model *m, size_t host, uint32_t page);
uint32_t living_requisite_resource(
	const struct living_model *m, size_t host, uint32_t page, size_t requisite);

/* The host of a page's requisite of that number; NULL: that of the page. */
const char *living_requisite_host(const struct living_model *m, size_t requisite);

/* Whether a share of the pages takes in this one: a seeded draw. Never the steady ones. */
bool living_draws(const struct living_model *m, uint32_t resource, uint64_t purpose, double share);

/* The name of the host that a resource is on. */
const char *living_host_of(const struct living_model *m, uint32_t resource);

/* Appends its path. 0, ERR_NOMEM or ERR_LIMIT. */
int living_path_of(const struct living_model *m, uint32_t resource, struct buf *text) SP_MUST_CHECK;

/* Finds a resource by host (without port, any case) and target. */
bool living_find(const struct living_model *m, slice host, slice target, uint32_t *ret_resource);

/* The site that a name stands for: one that has no name answers to all. */
bool living_find_host(const struct living_model *m, slice host, size_t *ret_host);

/* Whether requisites are on this host and nothing else is. */
bool living_is_cdn(const struct living_model *m, slice host);

/* What its changes follow from; valid as long as the model. */
struct change_source living_source(const struct living_model *m, uint32_t resource);

/* Where a redirect leads in a version of it. */
uint32_t living_redirect_target(const struct living_model *m, uint32_t resource, uint32_t version);

#endif
