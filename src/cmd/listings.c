#include "cmd/listings.h"

#include <inttypes.h>

#include "base/log.h"

void listings_warn(const struct listing_counts *counts, const char *command, const char *name)
{
	if (counts->bad > 0 && counts->first_bad > 0)
		log_warn(command,
			"%s: passed over %" PRIu64 " unreadable lines (first: line %" PRIu64 ")",
			name, counts->bad, counts->first_bad);
	else if (counts->bad > 0)
		log_warn(command, "%s: passed over %" PRIu64 " unreadable captures", name,
			counts->bad);
}

int listings_read(struct rates_observed *in, const char *command, const char *path, struct err *err)
{
	int rc = rates_observed_list(in, path, err);

	if (rc == 0)
		listings_warn(&in->counts, command, path);
	return rc;
}
