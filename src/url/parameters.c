#include "url/parameters.h"

#include "url/percent.h"

int parameter_decode(struct buf *out, slice text)
{
	struct buf plain;
	int rc;

	buf_init(&plain, text.len + 1);
	rc = buf_add(&plain, text);
	for (size_t i = 0; rc == 0 && i < plain.len; i++)
		if (plain.ptr[i] == '+')
			plain.ptr[i] = ' ';
	if (rc == 0)
		rc = url_percent_decode(out, buf_slice(&plain));
	buf_release(&plain);
	return rc;
}

int parameter_get(slice query, slice name, struct buf *out, bool *ret_given)
{
	*ret_given = false;
	while (query.len) {
		slice pair = slice_take(&query, '&');

		if (slice_eq(slice_take(&pair, '='), name)) {
			*ret_given = true;
			return parameter_decode(out, pair);
		}
	}
	return 0;
}
