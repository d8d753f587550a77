#include "formats/surt.h"

#include "formats/url_canonical.h"

/* Appends the labels of a host name in reverse order, commas between them. */
static void url_surt_host(struct buf *out, slice host)
{
	size_t end = host.len;

	for (size_t i = host.len + 1; i-- > 0;) {
		if (i > 0 && host.ptr[i - 1] != '.')
			continue;
		buf_add(out, slice_sub(host, i, end));
		if (i > 0)
			buf_add_char(out, ',');
		end = i ? i - 1 : 0;
	}
}

static int add_host(struct buf *out, const struct url *u)
{
	slice text = url_part(u, u->host);
	struct buf host;
	int rc;

	if (u->host_kind == URL_HOST_IPV6) /* without its brackets */
		return buf_add(out, slice_sub(text, 1, text.len - 1));
	if (u->host_kind == URL_HOST_IPV4)
		return buf_add(out, text);
	buf_init(&host, URL_CANONICAL_MAX);
	rc = url_canonical_host(&host, u);
	if (rc == 0)
		url_surt_host(out, buf_slice(&host));
	buf_release(&host);
	return rc ? rc : out->error;
}

int url_surt(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	int rc;

	if (u->host.len == 0)
		return url_canonical(out, u);
	rc = add_host(out, u);
	if (rc == 0 && u->port != URL_NO_PORT)
		rc = url_add_port(out, u->port);
	if (rc == 0)
		rc = buf_add_char(out, ')');
	if (rc == 0)
		rc = url_canonical_rest(out, u);
	if (rc)
		buf_truncate(out, start);
	return rc;
}
