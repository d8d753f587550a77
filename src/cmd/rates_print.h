/* How `stillpoint rates` prints its answers. */
#ifndef CMD_RATES_PRINT_H
#define CMD_RATES_PRINT_H

#include <stdbool.h>

#include "rates/model.h"

enum rates_form { RATES_TEXT, RATES_JSON, RATES_CSV };

enum { RATES_SOURCE_SIZE = 96 };

/* "archive+cdx+last-modified"; "class" where nothing of the page itself tells its rate. */
void rates_source(const struct rates_answer *a, char out[RATES_SOURCE_SIZE]);

/*
 * All answers to standard output; with how likely each has changed, if due. CSV has the days since
 * the last change, at that time in seconds since 1970, for `train`. 0 or ERR_IO.
 */
int rates_print(const struct rates_answers *answers, enum rates_form form, bool due, double at);

/* How the answer for a page came about; the model has just given it. */
void rates_explain(
	const struct rates_model *m, uint32_t page, const struct rates_answer *a, int64_t by);

#endif
