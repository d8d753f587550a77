/* The first steps of a capture, and the first after it was cut off. */
#include "crawl/capture.h"
#include "crawl/names.h"
#include "extract/link_kind.h"

static int discover_seed(struct capture *c, const char *seed, struct err *err)
{
	struct url url;
	int rc;

	url_init(&url);
	rc = url_parse(&url, slice_str(seed), NULL, err);
	if (rc == 0)
		rc = discover(c,
			&(struct found){.url = &url,
				.how = "seed",
				.via = CATALOG_NO_PAGE,
				.kind = LINK_PAGE,
				.is_seed = true},
			err);
	url_release(&url);
	return rc;
}

static int discover_seeds(struct capture *c, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->settings->seeds.len; i++)
		rc = discover_seed(c, c->settings->seeds.ptr[i], err);
	return rc;
}

int beginning_fresh(struct capture *c, struct err *err)
{
	int rc = capture_moment(c, "start", err);

	if (rc == 0)
		rc = names_begin(c, err);
	return rc ? rc : discover_seeds(c, err);
}

/*
 * The planner's clock goes on where the wall clock says; journal_replay sees that it never goes
 * back.
 */
int beginning_again(struct capture *c, struct catalog *catalog, struct err *err)
{
	int64_t since = clock_realtime(c->clock) - c->row.started;
	int rc;

	c->epoch = clock_monotonic(c->clock) - (since > 0 ? since : 0);
	rc = names_begin(c, err);
	if (rc == 0)
		rc = replay(c, catalog, err);
	if (rc == 0)
		rc = capture_moment(c, "resume", err);
	if (rc == 0 && c->went_back)
		rc = capture_moment(c, "clock-set", err);
	if (rc == 0 && !c->stage.begun)
		rc = discover_seeds(c, err);
	if (rc == 0 && !c->stage.begun)
		rc = sitemaps_request_all(c, err);
	return rc;
}
