/*
 * The report of a finished capture as the catalog keeps it (catalog_save), so that it is computed
 * once, when the capture ends, and not by everybody who asks. It is derived data: whoever changes
 * rows of a finished capture judges it again (archive/judging.h), and a report that another version
 * of the program saved, or that does not fit the capture's row, is passed over.
 *
 *	totals	everything that is not of one page
 *	pages	SAVED_PAGES pages in one part, compressed: to read one page is to read one part
 *	urls	page numbers by a hash of their URLs, SAVED_URLS or so in one part
 *
 * Invariants:
 *	(1) a report that is read is equal to the one that was saved, member by member;
 *	(2) damaged parts are as good as none: the report is computed.
 */
#ifndef PROOF_REPORT_SAVED_H
#define PROOF_REPORT_SAVED_H

#include "proof/report.h"

/* Replaces what is saved of r->capture, which is not running. 0, or as the catalog's functions. */
int report_save(const struct report *r, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/*
 * Reads what is saved into a report that knows its capture and provenance and nothing else. 0,
 * ERR_NOTFOUND when nothing is saved or it does not fit. After a failure the report is
 * to be released.
 */
int report_read_saved(struct report *r, struct catalog *catalog) SP_MUST_CHECK;

/*
 * The same of totals, one page and what it is made of; r->pages has room for all, but what is said
 * of the others is not to be used.
 */
int report_read_saved_page(struct report *r, struct catalog *catalog, uint32_t page) SP_MUST_CHECK;

/*
 * Holds what is saved, and would be read, against a computed report. Called for each page of which
 * they claim another verdict, evidence or time; with NULLs for other totals or another still point.
 */
typedef void report_on_difference(
	void *context, const struct report_page *computed, const struct report_page *saved);

/* What is not saved, or would be passed over, is no difference. */
void report_check_saved(const struct report *computed, struct catalog *catalog,
	report_on_difference *call, void *context);

/*
 * Looks a page of a capture up by its URL: through the saved hashes where there are any, which is
 * two rows to read, else by a scan of the capture's pages. 0, ERR_NOTFOUND, or as the catalog's
 * functions.
 */
int report_find_page(struct catalog *catalog, uint32_t capture, slice url, uint32_t *ret,
	struct err *err) SP_MUST_CHECK;

#endif
