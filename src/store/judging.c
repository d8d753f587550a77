#include "store/judging.h"

#include "quality/report.h"
#include "quality/verdict.h"

int judging_store(struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct report r;
	int rc = report_load(&r, catalog, capture, err);

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
	report_release(&r);
	return rc;
}
