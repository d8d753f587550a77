#include <stillpoint/error.h>

#include "base/err.h"
#include "lib/check.h"

const char *sp_version(void)
{
	return STILLPOINT_VERSION;
}

const char *sp_error_text(int code)
{
	switch (code) {
	case SP_OK:
		return "no error";
	case SP_ERROR_MEMORY:
		return "out of memory";
	case SP_ERROR_ARGUMENT:
		return "an argument is NULL, not a number or out of range";
	case SP_ERROR_SIZE:
		return "the size member of a struct is too small or not set";
	case SP_ERROR_STRATEGY:
		return "no strategy has this name";
	case SP_ERROR_PAGE:
		return "unknown page, or a page number that is too large";
	case SP_ERROR_STATE:
		return "this order is not out";
	case SP_ERROR_TIME:
		return "a time lies before one that was given earlier";
	default:
		return "unknown error";
	}
}

int lib_code(int code)
{
	switch (code) {
	case 0:
		return SP_OK;
	case ERR_NOMEM:
		return SP_ERROR_MEMORY;
	case ERR_NOTFOUND:
		return SP_ERROR_PAGE;
	default:
		return SP_ERROR_ARGUMENT;
	}
}

bool lib_are_at_least(double min, size_t n, const double *array)
{
	for (size_t i = 0; i < n; i++)
		if (!array || !(array[i] >= min && array[i] <= LIB_NUMBER_MAX))
			return false;
	return true;
}
