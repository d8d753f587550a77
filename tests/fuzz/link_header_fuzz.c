/* Link headers: any bytes are read, and their links gathered. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "formats/link_values.h"
#include "formats/links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct link_header_link link;
	struct link_header h;
	int rc;

	link_header_init(&h, (slice){(const char *)data, size});
	while ((rc = link_header_next(&h, &link)) == 0)
		if (link_kinds_of_rel(link.rel, link.as, link.type) == 0)
			abort();
	link_header_release(&h);
	if (rc != ERR_END)
		abort();
	return 0;
}
