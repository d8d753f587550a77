/* Files of access rules: any text is read or refused, and the longest prefix decides. */
#include <stdint.h>
#include <stdlib.h>

#include "replay/access.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct access *a = NULL;
	struct err err = {0};
	slice text = {(const char *)data, size};
	int rc = access_parse(text, &a, &err);

	if ((rc != 0) != (err.code != 0))
		abort();
	if (rc == 0) {
		slice key = slice_sub(text, 0, 40);

		/* What is blocked is allowed at no time. */
		if (access_blocks(a, key) && access_allows(a, key, 0, INT64_MAX))
			abort();
	}
	access_free(a);
	return 0;
}
