#include "replay/rewrite_fields.h"

#include "base/err.h"
#include "base/word.h"
#include "formats/link_header.h"
#include "formats/refresh.h"

enum { VALUE_MAX = 256 << 10 };

enum fate {
	FATE_SHOWN,  /* as X-Archive-Orig-… only */
	FATE_PASSES, /* says something about the document alone */
	FATE_LOCATION,
	FATE_REFRESH,
	FATE_LINK,
};

static enum fate fate_of(slice name)
{
	static const struct {
		slice name;
		enum fate fate;
	} FATES[] = {
		{SLICE_INIT("Content-Language"), FATE_PASSES},
		{SLICE_INIT("Content-Disposition"), FATE_PASSES},
		{SLICE_INIT("Location"), FATE_LOCATION},
		{SLICE_INIT("Refresh"), FATE_REFRESH},
		{SLICE_INIT("Link"), FATE_LINK},
	};

	for (size_t i = 0; i < sizeof FATES / sizeof *FATES; i++)
		if (word_is(name, FATES[i].name))
			return FATES[i].fate;
	return FATE_SHOWN;
}

static int put_refresh(struct rewrite_urls *urls, slice value, struct buf *out)
{
	uint64_t seconds;
	slice url;
	if (!refresh_parse(value, &seconds, &url))
		return ERR_NOTFOUND;
	buf_printf(out, "%llu%s", (unsigned long long)seconds, url.len ? "; url=" : "");
	return url.len ? rewrite_url(urls, url, REWRITE_PAGE, out) : out->error;
}

/* Only what loads a part of the page: other relations could pass for ours, or connect somewhere. */
static bool is_loaded(slice rel)
{
	return word_is(rel, SLICE("preload")) || word_is(rel, SLICE("modulepreload")) ||
	       word_is(rel, SLICE("stylesheet"));
}

static bool is_token(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_alnum(s.ptr[i]) && s.ptr[i] != '-')
			return false;
	return s.len > 0;
}

static int put_link(struct rewrite_urls *urls, const struct link_header_link *link, struct buf *out)
{
	unsigned kinds = link_kinds_of_rel(link->rel, link->as, link->type);
	enum rewrite_kind kind = REWRITE_PAGE;
	size_t before = out->len;
	int rc;

	for (int i = 0; i < LINK_KIND_COUNT && kind == REWRITE_PAGE; i++)
		if (kinds & 1U << i)
			kind = rewrite_kind_of_link((enum link_kind)i);
	buf_add_str(out, before ? ", <" : "<");
	rc = rewrite_url(urls, link->target, kind, out);
	if (rc == ERR_NOTFOUND) {
		buf_truncate(out, before);
		return 0;
	}
	buf_printf(out, ">; rel=%.*s", (int)link->rel.len, link->rel.ptr);
	if (is_token(link->as))
		buf_printf(out, "; as=%.*s", (int)link->as.len, link->as.ptr);
	return rc ? rc : out->error;
}

static int put_links(struct rewrite_urls *urls, slice value, struct buf *out)
{
	struct link_header header;
	struct link_header_link link;
	int rc;

	link_header_init(&header, value);
	while ((rc = link_header_next(&header, &link)) == 0)
		if (is_loaded(link.rel) && (rc = put_link(urls, &link, out)))
			break;
	link_header_release(&header);
	if (rc == ERR_END)
		rc = out->len ? 0 : ERR_NOTFOUND;
	return rc;
}

static int put_value(
	struct rewrite_urls *urls, enum rewrite_kind kind, const struct field *f, struct buf *out)
{
	switch (fate_of(f->name)) {
	case FATE_PASSES:
		return buf_add(out, f->value);
	case FATE_LOCATION:
		return rewrite_url(urls, f->value, kind, out);
	case FATE_REFRESH:
		return put_refresh(urls, f->value, out);
	case FATE_LINK:
		return put_links(urls, f->value, out);
	case FATE_SHOWN:
		break;
	}
	return ERR_NOTFOUND;
}

int rewrite_fields(const struct fields *fields, struct rewrite_urls *urls, enum rewrite_kind kind,
	rewrite_field_sink *sink, void *context)
{
	struct buf value;
	int rc = 0;

	buf_init(&value, VALUE_MAX);
	for (size_t i = 0; i < fields->items.len && rc == 0; i++) {
		const struct field *f = &fields->items.ptr[i];

		buf_reset(&value);
		rc = put_value(urls, kind, f, &value);
		if (rc == 0 && fields_is_value(buf_slice(&value)))
			rc = sink(context, f->name, buf_slice(&value));
		else if (rc == ERR_NOTFOUND || rc == ERR_LIMIT)
			rc = 0;
	}
	buf_release(&value);
	return rc;
}
