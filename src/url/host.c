/* WHATWG URL Standard, section 3.5: host parser, opaque-host parser. */
#include "url/host.h"

#include "url/address.h"
#include "url/idna.h"
#include "url/percent.h"

static int parse_ipv6(struct buf *out, slice input, struct err *err)
{
	uint16_t pieces[URL_IPV6_PIECES];
	int rc;

	if (input.ptr[input.len - 1] != ']')
		return err_set(err, ERR_SYNTAX, "IPv6 address without its closing bracket");
	rc = url_ipv6_parse(slice_sub(input, 1, input.len - 1), pieces, err);
	return rc ? rc : url_ipv6_add(out, pieces);
}

/* "Opaque-host parser" */
static int parse_opaque(struct buf *out, slice input, struct err *err)
{
	for (size_t i = 0; i < input.len; i++)
		if (url_byte_is(input.ptr[i], URL_FORBIDDEN_HOST))
			return err_set(err, ERR_SYNTAX, "host with a forbidden character");
	return url_percent_encode(out, input, URL_SET_C0_CONTROL);
}

/* Domains with escapes are rare: only they are decoded first. */
static int parse_domain(struct buf *out, slice input, struct err *err)
{
	struct buf decoded;
	int rc;

	if (!memchr(input.ptr, '%', input.len))
		return url_domain_to_ascii(out, input, err);
	buf_init(&decoded, URL_MAX);
	rc = url_percent_decode(&decoded, input);
	if (rc == 0)
		rc = url_domain_to_ascii(out, buf_slice(&decoded), err);
	buf_release(&decoded);
	return rc;
}

/* Puts the address in place of the domain that begins at start. */
static int domain_to_ipv4(struct buf *out, size_t start, struct err *err)
{
	uint32_t address;
	int rc = url_ipv4_parse(slice_sub(buf_slice(out), start, out->len), &address, err);

	if (rc)
		return rc;
	buf_truncate(out, start);
	return url_ipv4_add(out, address);
}

int url_host_parse(
	struct buf *out, slice input, bool opaque, enum url_host_kind *ret_kind, struct err *err)
{
	size_t start = out->len;
	int rc;

	if (input.len > 0 && input.ptr[0] == '[') {
		*ret_kind = URL_HOST_IPV6;
		return parse_ipv6(out, input, err);
	}
	if (opaque) {
		*ret_kind = input.len ? URL_HOST_OPAQUE : URL_HOST_EMPTY;
		return parse_opaque(out, input, err);
	}
	rc = parse_domain(out, input, err);
	if (rc)
		return rc;
	if (url_ends_in_number(slice_sub(buf_slice(out), start, out->len))) {
		*ret_kind = URL_HOST_IPV4;
		return domain_to_ipv4(out, start, err);
	}
	*ret_kind = URL_HOST_DOMAIN;
	return 0;
}
