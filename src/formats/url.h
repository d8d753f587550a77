/*
 * URLs after the WHATWG URL Standard (living standard of June 2026): parsing, resolving against a
 * base, serialising. A parsed URL is its serialisation and where the parts stand in it.
 *
 *	struct url base, u;
 *	url_init(&base);
 *	url_init(&u);
 *	rc = url_parse(&base, SLICE("http://example.org/a/b?c"), NULL, &err);
 *	rc = url_parse(&u, SLICE("../d#e"), &base, &err);	// http://example.org/d#e
 *	page = url_page(&u);					// http://example.org/d
 *	url_release(&u);
 *	url_release(&base);
 *
 * A page's identity is url_page: the serialisation without its fragment.
 *
 * Input is bytes; what is not UTF-8 counts as U+FFFD. No network, no state: different structs may
 * be used by different threads.
 */
#ifndef FORMATS_URL_H
#define FORMATS_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

/* Longest input that is read, and longest serialisation, in bytes. */
enum { URL_MAX = 64 << 10 };

enum { URL_NO_PORT = -1 };

enum url_scheme {
	URL_OTHER, /* not special */
	URL_HTTP,
	URL_HTTPS,
	URL_WS,
	URL_WSS,
	URL_FTP,
	URL_FILE,
};

enum url_host_kind {
	URL_HOST_NONE,  /* null: mailto:x, data:… */
	URL_HOST_EMPTY, /* file:///x */
	URL_HOST_DOMAIN,
	URL_HOST_IPV4,
	URL_HOST_IPV6,
	URL_HOST_OPAQUE, /* of a scheme that is not special */
};

/* Bytes [at, at + len) of the serialisation. */
struct url_part {
	uint32_t at;
	uint32_t len;
};

/* Filled by url_parse; to be read, not written. Owns its text. */
struct url {
	struct buf text; /* the serialisation, with fragment */
	enum url_scheme scheme_id;
	enum url_host_kind host_kind;
	int32_t port;     /* URL_NO_PORT when it is the scheme's own, or none */
	bool opaque_path; /* mailto:x; such a URL is no base but for a fragment */
	bool has_query;   /* "?" alone is a query, though an empty one */
	bool has_fragment;
	uint32_t authority_end; /* everything before the path, "/." not counted */
	struct url_part scheme; /* without the colon */
	struct url_part username, password;
	struct url_part host;            /* IPv6 in brackets */
	struct url_part path;            /* begins with "/" unless opaque or empty */
	struct url_part query, fragment; /* without "?" and "#" */
};

/* An empty URL; allocates nothing. */
void url_init(struct url *u);

/* Frees the text; the struct is empty then. Safe on a zeroed struct. */
void url_release(struct url *u);

/* Declares an empty one that is released when its block ends. */
#define URL_SCOPED(name) \
	SCOPED(url_release) struct url name = {.text = {.max = URL_MAX}, .port = URL_NO_PORT}

/* ":8080"; printf would take longer than the rest of a URL. */
int url_add_port(struct buf *out, int32_t port) SP_MUST_CHECK;

/* Without C0 controls and blanks at both ends, which no URL begins or ends with. */
slice url_strip(slice input);

/*
 * Parses input, resolved against base, which may be NULL and must not be u. u has been initialised
 * and may hold an earlier URL, whose memory is used again. 0, ERR_SYNTAX, ERR_LIMIT or ERR_NOMEM
 * with a sentence in err (NULL: not wanted); u is empty then.
 */
int url_parse(struct url *u, slice input, const struct url *base, struct err *err) SP_MUST_CHECK;

/*
 * The same for a Location field. Bytes that are no ASCII are escaped one by one, as browsers do:
 * nothing says which encoding they are in.
 */
int url_parse_location(
	struct url *u, slice location, const struct url *base, struct err *err) SP_MUST_CHECK;

/*
 * The same for a URL in a document that is not UTF-8 (encoding.h; NULL: it is): queries of http,
 * https, ftp and file are encoded as the document was. input is UTF-8 all the same.
 */
struct url_encoding;
int url_parse_encoded(struct url *u, slice input, const struct url *base,
	struct url_encoding *encoding, struct err *err) SP_MUST_CHECK;

/* Makes to (initialised) the same as from. 0 or ERR_NOMEM; to is empty then. */
int url_copy(struct url *to, const struct url *from) SP_MUST_CHECK;

/* Takes the fragment off: what is left is a page's identity. */
void url_drop_fragment(struct url *u);

/* All slices are borrowed from u, until it is parsed or released again. */
static inline slice url_part(const struct url *u, struct url_part part)
{
	return u->text.ptr ? (slice){u->text.ptr + part.at, part.len} : SLICE("");
}

/* The serialisation. */
static inline slice url_text(const struct url *u)
{
	return buf_slice(&u->text);
}

/* The serialisation without fragment: the identity of a page. */
static inline slice url_page(const struct url *u)
{
	return slice_sub(
		url_text(u), 0, u->has_fragment ? u->fragment.at - (size_t)1 : u->text.len);
}

static inline bool url_is_special(const struct url *u)
{
	return u->scheme_id != URL_OTHER;
}

/* Whether a crawler can fetch it by HTTP. */
static inline bool url_is_http(const struct url *u)
{
	return u->scheme_id == URL_HTTP || u->scheme_id == URL_HTTPS;
}

/* Whether its host is this machine, by its name alone. */
bool url_is_loopback(const struct url *u);

/* A special scheme's port, or URL_NO_PORT. */
int32_t url_default_port(enum url_scheme scheme);

/* The port to connect to: its own, else the scheme's, else URL_NO_PORT. */
static inline int32_t url_effective_port(const struct url *u)
{
	return u->port != URL_NO_PORT ? u->port : url_default_port(u->scheme_id);
}

/* Whether both have the same host and port. */
static inline bool url_is_same_server(const struct url *a, const struct url *b)
{
	return slice_eq(url_part(a, a->host), url_part(b, b->host)) &&
	       url_effective_port(a) == url_effective_port(b);
}

/* Parameters of a query ("a=1&b=x+y"), as forms send them. */

/* Appends a name or value with "+" and escapes undone. 0 or as buf_add. */
int parameter_decode(struct buf *out, slice text) SP_MUST_CHECK;

/* Appends the value of the first one with that name, if there is one: 0 or as buf_add. */
int parameter_get(slice query, slice name, struct buf *out, bool *ret_given) SP_MUST_CHECK;

/* What was perhaps meant by a text that is not a URL: for messages, never for fetching. */

/*
 * Writes the text with a scheme in front or with its misspelt scheme corrected ("example.org",
 * "//example.org/a", "http//example.org", "htp://example.org"), if that is a URL of a likely host.
 * Hosts on this machine get http, others https unless the text says http. False when it is not.
 */
bool url_repair(const char *text, char *out, size_t size);

/*
 * Parses "/path" or "host/path" as a URL of a known site. A host without a port gets the site's.
 * False when that is not a URL either, or when the text has a scheme already.
 */
bool url_repair_on_site(const char *text, slice site, struct url *ret);

/*
 * Registrable domains: a public suffix and one label more, by the Public Suffix List that libpsl
 * was built with, private section included. docs/url.md says how old Debian's is.
 */

/* Longest name that DNS knows, with a dot at its end; longer ones have no registrable domain. */
enum { URL_DOMAIN_MAX = 254 };

/*
 * The registrable domain of a host name in ASCII and lower case, as in a parsed URL: a part of it,
 * a dot at the end not counted. Empty when there is none: an address, a public suffix, one label.
 */
slice url_registrable_domain(slice host);

/* The same of a URL's host, which must be a domain. */
slice url_domain(const struct url *u);

/*
 * Whose a URL is, as far as its text tells: the registrable domain of its host, or host and port
 * where there is none. A part of the URL, which is serialised.
 */
slice url_owner(slice url);

/* Whether host is the domain or ends in it behind a dot. */
bool url_host_within(slice host, slice domain);

#endif
