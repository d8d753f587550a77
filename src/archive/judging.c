#include "archive/judging.h"

#include "archive/duplicates.h"
#include "proof/report_saved.h"
#include "proof/verdict.h"

int judging_store(struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct duplicates_saving bodies;
	struct report r = {0};
	int rc = duplicates_saving_begin(&bodies, catalog, capture, err);

	if (rc == 0)
		rc = report_compute(&r, catalog, capture,
			&(struct report_observer){duplicates_saving_add, &bodies}, err);
	rc = duplicates_saving_end(&bodies, rc);
	for (size_t i = 0; rc == 0 && i < r.pages.len; i++) {
		const struct report_page *p = &r.pages.ptr[i];

		rc = catalog_set_verdict(catalog, capture,
			&(struct catalog_verdict){
				.page = (uint32_t)i,
				.verdict = slice_str(verdict_name((enum verdict)p->verdict)),
				.evidence = p->evidence ? slice_str(p->evidence) : (slice){0},
				.reason = p->reason,
			},
			err);
	}
	if (rc == 0 && r.capture.state != CATALOG_RUNNING)
		rc = report_save(&r, catalog, err);
	report_release(&r);
	return rc;
}
