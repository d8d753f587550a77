/* How `stillpoint rates` prints its answers. */
#ifndef REPORT_RATES_PRINT_H
#define REPORT_RATES_PRINT_H

#include <stdbool.h>

#include "archive/rates_contents.h"
#include "archive/rates_model.h"

enum rates_form { RATES_TEXT, RATES_JSON, RATES_CSV };

enum { RATES_SOURCE_SIZE = 96 };

struct rates_listing {
	enum rates_form form;
	bool due;                              /* with how likely each has changed */
	double at;                             /* seconds since 1970, for the days since then */
	const struct rates_contents *contents; /* columns of CSV; NULL: none */
};

/* All answers to standard output. 0 or ERR_IO. */
int rates_print(const struct rates_answers *answers, const struct rates_listing *listing);

/* How the answer for a page came about; the model has just given it. */
void rates_explain(
	const struct rates_model *m, uint32_t page, const struct rates_answer *a, int64_t by);

#endif
