/* Lists of captures that the command line names. */
#ifndef CMD_LISTINGS_H
#define CMD_LISTINGS_H

#include "archive/rates_observed.h"
#include "base/api.h"

/* As rates_observed_list; lines that cannot be read are told in the log. */
int listings_read(struct rates_observed *in, const char *command, const char *path,
	struct err *err) SP_MUST_CHECK;

/* Tells the log what could not be read of a list. */
void listings_warn(const struct listing_counts *counts, const char *command, const char *name);

#endif
