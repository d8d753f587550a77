#include "archive/judging.h"

#include "archive/duplicates.h"
#include "proof/report_saved.h"
#include "proof/verdict.h"

/* What is done with the observations of one reading. */
struct observing {
	struct duplicates_saving bodies;
	const struct report_observer *also;
};

static int on_observation(void *context, const struct attempt *a)
{
	struct observing *o = context;
	int rc = duplicates_saving_add(&o->bodies, a);

	return rc || !o->also ? rc : o->also->call(o->also->context, a);
}

int judging_store(struct catalog *catalog, uint32_t capture, const struct report_observer *also,
	struct err *err)
{
	struct observing o = {.also = also};
	struct report r = {0};
	int rc = duplicates_saving_begin(&o.bodies, catalog, capture, err);

	if (rc == 0)
		rc = report_compute(
			&r, catalog, capture, &(struct report_observer){on_observation, &o}, err);
	rc = duplicates_saving_end(&o.bodies, rc);
	for (size_t i = 0; rc == 0 && i < r.pages.len; i++) {
		const struct report_page *p = report_page_at(&r, i);
		const char *evidence = same_by_name((enum same_by)p->evidence);

		rc = catalog_put(catalog, CATALOG_ROW_VERDICT, capture,
			&(struct catalog_verdict){
				.page = (uint32_t)i,
				.verdict = slice_str(verdict_name((enum verdict)p->verdict)),
				.evidence = evidence ? slice_str(evidence) : (slice){0},
				.reason = p->reason,
			},
			err);
	}
	if (rc == 0 && r.capture.state != CATALOG_RUNNING)
		rc = report_save(&r, catalog, err);
	report_release(&r);
	return rc;
}
