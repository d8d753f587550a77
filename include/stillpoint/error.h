/*
 * Errors. A function that can fail returns 0 or one of these negative codes. Results go through the
 * trailing ret_ pointers, which are untouched on failure.
 */
#ifndef STILLPOINT_ERROR_H
#define STILLPOINT_ERROR_H

#include <stillpoint/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sp_error {
	SP_OK = 0,
	SP_ERROR_MEMORY = -1,   /* out of memory */
	SP_ERROR_ARGUMENT = -2, /* NULL, NaN, infinite, negative or otherwise out of range */
	SP_ERROR_SIZE = -3,     /* the size member of a struct is too small or not set */
	SP_ERROR_STRATEGY = -4, /* no strategy has this name */
	SP_ERROR_PAGE = -5,     /* unknown page, or a page number that is too large */
	SP_ERROR_STATE = -6,    /* done for an order that is not out */
	SP_ERROR_TIME = -7      /* a time before one that was given earlier */
};

/* A constant sentence for any code; never NULL. */
SP_API const char *sp_error_text(int code);

#ifdef __cplusplus
}
#endif

#endif
