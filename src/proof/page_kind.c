#include "proof/page_kind.h"

#include "base/err.h"
#include "base/word.h"

static bool has_digit(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (word_is_digit(s.ptr[i]))
			return true;
	return false;
}

/* The path without its last segment, be there a slash behind it or not. */
static slice directory(slice path)
{
	if (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	while (path.len && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

int page_kind(const struct url *url, struct buf *out)
{
	slice left = directory(url_part(url, url->path));
	int rc = buf_add(out, slice_sub(url_text(url), 0, url->authority_end));

	while (rc == 0 && left.len) {
		slice segment = slice_take(&left, '/');

		rc = has_digit(segment) ? buf_add_char(out, '*') : buf_add(out, segment);
		if (rc == 0)
			rc = buf_add_char(out, '/');
	}
	return rc;
}
