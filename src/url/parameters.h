/* Parameters of a query ("a=1&b=x+y"), as forms send them. */
#ifndef URL_PARAMETERS_H
#define URL_PARAMETERS_H

#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/* Appends a name or value with "+" and escapes undone. 0 or as buf_add. */
int parameter_decode(struct buf *out, slice text) SP_MUST_CHECK;

/* Appends the value of the first one with that name, if there is one: 0 or as buf_add. */
int parameter_get(slice query, slice name, struct buf *out, bool *ret_given) SP_MUST_CHECK;

#endif
