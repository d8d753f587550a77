/*
 * Links of documents of JSON: JSON Feed (jsonfeed.org, version 1.1), manifests of web applications
 * (W3C, "Web Application Manifest") and import maps (HTML, section 8.1.5.2).
 */
#include "base/err.h"
#include "base/json_read.h"
#include "base/word.h"
#include "formats/links.h"
#include "formats/script_import.h"

enum { DEPTH_MAX = 8 };

struct walk {
	struct links *links;
	const struct key *keys;
	size_t count;
	unsigned depth;
	struct buf value;
	bool is_feed, is_manifest; /* of the first reading */
};

/* A member whose value is an address, wherever it stands. */
struct key {
	slice name;
	enum link_kind kind;
};

static const struct key FEED_KEYS[] = {
	{SLICE_INIT("home_page_url"), LINK_PAGE},
	{SLICE_INIT("next_url"), LINK_ALTERNATE},
	{SLICE_INIT("url"), LINK_PAGE},
	{SLICE_INIT("external_url"), LINK_PAGE},
	{SLICE_INIT("image"), LINK_IMAGE},
	{SLICE_INIT("banner_image"), LINK_IMAGE},
	{SLICE_INIT("icon"), LINK_IMAGE},
	{SLICE_INIT("favicon"), LINK_IMAGE},
	{SLICE_INIT("avatar"), LINK_IMAGE},
};

static const struct key MANIFEST_KEYS[] = {
	{SLICE_INIT("start_url"), LINK_PAGE},
	{SLICE_INIT("url"), LINK_PAGE},
	{SLICE_INIT("src"), LINK_IMAGE},
};

static int walk_value(struct walk *w, struct json_cursor *c, const struct key *key);

static int take_string(struct walk *w, struct json_cursor *c)
{
	slice raw;
	int rc = json_cursor_string(c, &raw);

	buf_reset(&w->value);
	return rc ? rc : json_unescape(raw, &w->value);
}

static int on_element(void *context, struct json_cursor *c)
{
	return walk_value(context, c, NULL);
}

static int on_member(void *context, struct json_cursor *c, slice name)
{
	struct walk *w = context;

	for (size_t i = 0; i < w->count; i++)
		if (slice_eq(w->keys[i].name, name))
			return walk_value(w, c, &w->keys[i]);
	return walk_value(w, c, NULL);
}

static int walk_value(struct walk *w, struct json_cursor *c, const struct key *key)
{
	int next = json_cursor_peek(c), rc;

	if (next == '"' && key) {
		rc = take_string(w, c);
		if (rc == 0)
			links_add(w->links, key->kind, buf_slice(&w->value));
		return rc;
	}
	if ((next != '{' && next != '[') || w->depth == DEPTH_MAX)
		return json_cursor_skip(c);
	w->depth++;
	rc = next == '{' ? json_cursor_members(c, on_member, w)
			 : json_cursor_list(c, "a list", on_element, w);
	w->depth--;
	return rc;
}

/* What a document is, its first members say. */
static int on_top_member(void *context, struct json_cursor *c, slice name)
{
	struct walk *w = context;
	int rc;

	if (slice_eq(name, SLICE("icons")) || slice_eq(name, SLICE("start_url")))
		w->is_manifest = true;
	if (!slice_eq(name, SLICE("version")) || json_cursor_peek(c) != '"')
		return json_cursor_skip(c);
	rc = take_string(w, c);
	w->is_feed = rc == 0 && w->value.len &&
		     memmem(w->value.ptr, w->value.len, "jsonfeed.org/version/", 21) != NULL;
	return rc;
}

/* What cannot be read has no links. */
void links_json(struct links *l, slice text)
{
	struct err ignored = {0};
	struct json_cursor c = {.text = text, .err = &ignored};
	struct walk w = {.links = l};

	buf_init(&w.value, LINK_URL_MAX);
	if (json_cursor_object(&c, on_top_member, &w) == 0 && (w.is_feed || w.is_manifest)) {
		w.keys = w.is_feed ? FEED_KEYS : MANIFEST_KEYS;
		w.count = w.is_feed ? sizeof FEED_KEYS / sizeof *FEED_KEYS
				    : sizeof MANIFEST_KEYS / sizeof *MANIFEST_KEYS;
		c = (struct json_cursor){.text = text, .err = &ignored};
		(void)!json_cursor_object(&c, on_member, &w);
	}
	buf_release(&w.value);
}

/* An address ends in "/" where names below it are mapped: such a directory is no script. */
static int on_mapped(void *context, struct json_cursor *c, slice name)
{
	struct walk *w = context;
	int rc;

	(void)name;
	if (json_cursor_peek(c) != '"')
		return json_cursor_skip(c);
	rc = take_string(w, c);
	if (rc || slice_ends_with(buf_slice(&w->value), SLICE("/")) ||
		!script_import_is_address(buf_slice(&w->value)))
		return rc;
	links_add(w->links, LINK_SCRIPT, buf_slice(&w->value));
	return 0;
}

static int on_scope(void *context, struct json_cursor *c, slice name)
{
	(void)name;
	return json_cursor_peek(c) == '{' ? json_cursor_members(c, on_mapped, context)
					  : json_cursor_skip(c);
}

static int on_map_member(void *context, struct json_cursor *c, slice name)
{
	if (json_cursor_peek(c) == '{' && slice_eq(name, SLICE("imports")))
		return json_cursor_members(c, on_mapped, context);
	if (json_cursor_peek(c) == '{' && slice_eq(name, SLICE("scopes")))
		return json_cursor_members(c, on_scope, context);
	return json_cursor_skip(c);
}

void links_import_map(struct links *l, slice text)
{
	struct err ignored = {0};
	struct json_cursor c = {.text = text, .err = &ignored};
	struct walk w = {.links = l};

	buf_init(&w.value, LINK_URL_MAX);
	(void)!json_cursor_object(&c, on_map_member, &w);
	buf_release(&w.value);
}
