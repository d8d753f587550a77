/* A line of JSON that holds a page to refresh: {"rate": 0.5, "weight": 2}. The weight may be left
 * out: it is 1. */
#ifndef INSPECT_PAGE_LINE_H
#define INSPECT_PAGE_LINE_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "plan/refresh_allocate.h"

/*
 * ERR_SYNTAX, ERR_RANGE for a number that refresh_number_ok refuses, ERR_LIMIT, ERR_NOMEM; err says
 * what. Other keys are skipped; of two equal keys the last one counts.
 */
int refresh_page_line(slice line, struct refresh_page *ret, struct err *err) SP_MUST_CHECK;

#endif
