/* CDX: the first line is a header or not, each other one is read or refused. */
#include <stdint.h>
#include <stdlib.h>

#include "archive/listed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice rest = {(const char *)data, size};
	struct cdx_layout layout = cdx_layout_usual();

	while (rest.len > 0) {
		slice line = slice_take(&rest, '\n');
		struct listed o;

		if (cdx_is_header(line) && cdx_layout_parse(line, &layout) == 0)
			require(layout.date >= 0 && layout.url >= 0 &&
				layout.fields <= CDX_FIELDS_MAX && layout.date < layout.fields &&
				layout.url < layout.fields);
		else if (cdx_parse(&layout, line, &o) == 0)
			require(o.url.len > 0 && o.url.ptr >= line.ptr &&
				o.url.ptr + o.url.len <= line.ptr + line.len && o.status <= 999);
	}
	return 0;
}
