#include "url/url.h"

void url_init(struct url *u)
{
	*u = (struct url){.port = URL_NO_PORT};
	buf_init(&u->text, URL_MAX);
}

void url_release(struct url *u)
{
	buf_release(&u->text);
	url_init(u);
}

void url_drop_fragment(struct url *u)
{
	if (!u->has_fragment)
		return;
	buf_truncate(&u->text, u->fragment.at - (size_t)1);
	u->has_fragment = false;
	u->fragment = (struct url_part){0};
}

int url_copy(struct url *to, const struct url *from)
{
	struct buf text = to->text;
	int rc;

	buf_reset(&text);
	rc = buf_add(&text, url_text(from));
	if (rc)
		url_init(to);
	else
		*to = *from;
	to->text = text;
	return rc;
}

bool url_is_loopback(const struct url *u)
{
	slice host = url_part(u, u->host);

	switch (u->host_kind) {
	case URL_HOST_IPV4:
		return slice_starts_with(host, SLICE("127."));
	case URL_HOST_IPV6:
		return slice_eq(host, SLICE("[::1]"));
	default:
		return slice_eq(host, SLICE("localhost")) ||
		       slice_ends_with(host, SLICE(".localhost"));
	}
}

int url_parse_location(struct url *u, slice location, const struct url *base, struct err *err)
{
	struct buf escaped;
	int rc = 0;

	buf_init(&escaped, 3 * (size_t)URL_MAX);
	for (size_t i = 0; rc == 0 && i < location.len; i++) {
		unsigned char c = (unsigned char)location.ptr[i];

		rc = c < 0x80 ? buf_add_char(&escaped, (char)c) : buf_printf(&escaped, "%%%02X", c);
	}
	rc = rc ? err_code(err, rc) : url_parse(u, buf_slice(&escaped), base, err);
	buf_release(&escaped);
	return rc;
}
