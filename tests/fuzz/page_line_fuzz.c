/*
 * Lines of pages to refresh: any bytes are read or refused with a sentence; what was read gets a
 * share of the bandwidth by every policy.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "inspect/page_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct refresh_page pages[2] = {{0}, {1, 1}};
	struct err err = {0};
	int rc = refresh_page_line((slice){(const char *)data, size}, &pages[0], &err);
	double f[2];

	require((rc == 0) == (err.text[0] == '\0'));
	for (int o = 0; o < REFRESH_OBJECTIVES && rc == 0; o++) {
		(void)refresh_optimum((enum refresh_objective)o, pages, 2, 3, f);
		require(f[0] >= 0 && f[1] >= 0 && fabs(f[0] + f[1] - 3) < 1e-6);
		require(!isnan(refresh_total((enum refresh_objective)o, pages, 2, f)));
	}
	return 0;
}
