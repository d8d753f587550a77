/* Style sheets: any bytes are read, and their links gathered. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "formats/css.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct css_reader css;
	struct css_link link;
	size_t count = 0;
	int rc;

	css_init(&css, (slice){(const char *)data, size});
	while ((rc = css_next(&css, &link)) == 0) {
		if (++count > size || (link.url.len && !link.url.ptr))
			abort();
	}
	css_release(&css);
	if (rc != ERR_END)
		abort();
	return 0;
}
