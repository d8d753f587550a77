/* Sites from CSV text, for the tests of this room. */
#ifndef TESTS_SIM_FIXTURE_H
#define TESTS_SIM_FIXTURE_H

#include <stdio.h>

#include "plan/expect.h"
#include "tap.h"

/* Reads the text as a file called site.csv. */
static inline int fixture_read(slice csv, struct site *ret_site, struct err *err)
{
	FILE *file = tmpfile();
	int rc;

	(void)fwrite(csv.ptr, 1, csv.len, file);
	rewind(file);
	rc = site_read(file, "site.csv", ret_site, err);
	(void)fclose(file);
	return rc;
}

/* A site that must be good. */
static inline struct site fixture_site(const char *csv)
{
	struct site site = {0};
	struct err err = {0};

	if (!CHECK_INT(fixture_read(slice_str(csv), &site, &err), 0))
		tap_note("%s", err.text);
	return site;
}

/* SHARC Figure 3 with the rates of Example 2: p_i changes at rate i. */
static const char FIXTURE_FIGURE_3[] = "page,rate,links\n"
				       "p0,0,p1 p2\n"
				       "p1,1,p3 p4\n"
				       "p2,2,p5\n"
				       "p3,3,\n"
				       "p4,4,\n"
				       "p5,5,\n";

#endif
