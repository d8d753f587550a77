/*
 * The fields of an archived response for a browser. Few of them mean something in replay; each of
 * the others, and all that act on the browser beyond the page (cookies, HSTS, policies, service
 * workers, reports), is shown as X-Archive-Orig-NAME and does nothing.
 */
#ifndef REPLAY_REWRITE_FIELDS_H
#define REPLAY_REWRITE_FIELDS_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/http_fields.h"
#include "replay/rewrite_url.h"

/* Receives a field that the browser gets. 0, or what ends the listing. */
typedef int rewrite_field_sink(void *context, slice name, slice value);

/*
 * Hands over the fields that are to act, in order. Content-Type, Content-Length, the codings and
 * what concerns caches and ranges are not among them: they describe the body, which is the server's
 * to send. kind is what the response was asked for as: where a redirect leads is asked for alike.
 * 0, the sink's result, or ERR_NOMEM.
 */
int rewrite_fields(const struct fields *fields, struct rewrite_urls *urls, enum rewrite_kind kind,
	rewrite_field_sink *sink, void *context) SP_MUST_CHECK;

#endif
