/*
 * Change rates that the user knows: a CSV file with a header `url,rate[,weight][,shape]`, the
 * rate in changes per second, the weight 1 when it is not given. The shape says how well the rate
 * is known (plan/survival.h); without one, or 0, it is certain. Columns may come in any order, and
 * others may be there too; without a column url, page is taken for it, as in the files of
 * plan/expect.h. URLs are read by url_parse, so any spelling of a URL will do; two lines that
 * mean one page are an error, for one of them is wrong.
 */
#ifndef ARCHIVE_IMPORT_RATES_H
#define ARCHIVE_IMPORT_RATES_H

#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"

struct rates_value {
	double rate, shape;
	float weight;
};

VEC_DECLARE(rates_values, struct rates_value);

/* Fields are its own. A zeroed struct is empty: nothing is found in it. */
struct rates {
	struct arena urls;
	struct strmap map; /* to places in values */
	struct rates_values values;
};

/*
 * Reads a file. 0; ERR_IO when it cannot be opened or read; for what is wrong in it ERR_SYNTAX,
 * ERR_RANGE, or ERR_EXISTS for a page that is there twice; ERR_LIMIT. err has "FILE:
 * line 7: …", or "FILE: …" where no line is to blame. *ret is untouched on failure; else to be
 * released with rates_release.
 */
int rates_load(const char *path, struct rates *ret, struct err *err) SP_MUST_CHECK;

/* The same of a file `url,weight`: it has no rates, or they are not read. */
int rates_load_weights(const char *path, struct rates *ret, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void rates_release(struct rates *r);

/* What the file says of a page (url_page); false when it says nothing. */
bool rates_find(const struct rates *r, slice url_page, struct rates_value *ret);

#endif
