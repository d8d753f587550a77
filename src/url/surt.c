#include "url/surt.h"

#include "url/canonical.h"

/* Appends the labels of a host name in reverse order, commas between them. Errors as above. */
static int url_surt_host(struct buf *out, slice host)
{
	size_t start = out->len, end = host.len;
	int rc = buf_reserve(out, host.len);

	for (size_t i = host.len + 1; i-- > 0 && rc == 0;) {
		if (i > 0 && host.ptr[i - 1] != '.')
			continue;
		rc = buf_add(out, slice_sub(host, i, end));
		if (rc == 0 && i > 0)
			rc = buf_add_char(out, ',');
		end = i ? i - 1 : 0;
	}
	if (rc)
		buf_truncate(out, start);
	return rc;
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
		rc = url_surt_host(out, buf_slice(&host));
	buf_release(&host);
	return rc;
}

static int add_surt(struct buf *out, const struct url *u)
{
	int rc;

	if (u->host.len == 0)
		return url_canonical(out, u);
	rc = add_host(out, u);
	if (rc == 0 && u->port != URL_NO_PORT)
		rc = buf_printf(out, ":%d", (int)u->port);
	if (rc == 0)
		rc = buf_add_char(out, ')');
	return rc ? rc : url_canonical_rest(out, u);
}

int url_surt(struct buf *out, const struct url *u)
{
	size_t start = out->len;
	int rc = add_surt(out, u);

	if (rc)
		buf_truncate(out, start);
	return rc;
}
