/*
 * How the server misleads who looks at it: replicas that lag behind, a cache in front, variants,
 * block pages, sessions that expire, pages that are empty without scripts. What each lie does
 * follows from the seed and the request; each that acted is named in the log of responses.
 */
#ifndef LIVING_LIES_H
#define LIVING_LIES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "living/model.h"
#include "net/httpd.h"

enum living_lie {
	LIVING_LIE_BLOCK,
	LIVING_LIE_SESSION,
	LIVING_LIE_SHELL,
	LIVING_LIE_REPLICA,
	LIVING_LIE_VARIANT,
	LIVING_LIE_CACHE,
	LIVING_LIE_COUNT,
};

enum { LIES_VARIANT_SIZE = 8 };

struct cached; /* what the cache in front keeps of a resource */

/* Shared by all threads that serve. */
struct lies {
	const struct living_model *model; /* borrowed */
	int64_t start_ns;                 /* realtime of the site's start */
	atomic_uint_fast64_t requests;    /* for pages and requisites, so far */
	pthread_mutex_t lock;             /* guards the next */
	struct cached *cache;             /* for each resource; NULL: there is no cache */
};

/* One response; the caller fills in the first part. */
struct telling {
	const struct httpd_request *request;
	struct httpd_response *response;
	uint32_t resource;
	size_t listener; /* which of the addresses was asked */
	int64_t now_ns;  /* realtime of the look */
	uint64_t noise;  /* the random number of the response; a cache sends that of another */

	uint64_t turn;       /* requests for resources before this one */
	int64_t shown_ns;    /* realtime of the state that is shown */
	int64_t rendered_ns; /* realtime at which the response was made; a cache keeps it */
	unsigned acted;      /* bits of enum living_lie */
	const char *content; /* name of what is shown in place of a version; NULL: a version */
	char variant[LIES_VARIANT_SIZE]; /* its name; "": the usual one */
	unsigned shell;                  /* LIVING_SHELL_…, or 0 */
};

/* 0 or ERR_NOMEM. */
int lies_init(struct lies *l, const struct living_model *model, int64_t start_ns) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void lies_release(struct lies *l);

const char *lies_name(unsigned lie);

/* Before the look: true when the request is refused, and the response is complete. */
bool lies_refuse(struct lies *l, struct telling *t);

/* After the look: decides what is shown, and adds header fields. */
void lies_bend(struct lies *l, struct telling *t);

/* The state of a resource at a realtime in the past. */
struct change_cursor lies_past(const struct lies *l, uint32_t resource, int64_t realtime_ns);

/*
 * Answers what belongs to noise, details, shells and sessions and is no resource: style sheets,
 * scripts and pictures that never change, and the login page. False when there is no such thing.
 */
bool lies_answer_extra(struct lies *l, struct telling *t);

/* The page whose content a path like /data/17.json has. */
bool lies_find_data(const struct living_model *m, slice host, slice path, uint32_t *ret_resource);

#endif
