#include "extract/sitemap_json.h"

#include "base/json_cursor.h"
#include "base/json_read.h"

void sitemap_json_init(struct sitemap_json *j, struct sitemap_queue *queue)
{
	*j = (struct sitemap_json){.queue = queue};
	buf_init(&j->text, SITEMAP_JSON_MAX);
	buf_init(&j->value, SITEMAP_JSON_MAX);
	buf_init(&j->loc, SITEMAP_JSON_MAX);
}

void sitemap_json_release(struct sitemap_json *j)
{
	buf_release(&j->text);
	buf_release(&j->value);
	buf_release(&j->loc);
}

int sitemap_json_feed(struct sitemap_json *j, slice block)
{
	return buf_add(&j->text, slice_sub(block, 0, SITEMAP_JSON_MAX - j->text.len));
}

/* The value of a member, if it is a string; anything else is passed over as "". */
static int take_text(struct sitemap_json *j, struct json_cursor *c)
{
	slice raw;
	int rc;

	buf_reset(&j->value);
	if (json_cursor_peek(c) != '"')
		return json_cursor_skip(c);
	rc = json_cursor_string(c, &raw);
	if (rc)
		return rc;
	rc = json_unescape(raw, &j->value);
	return rc == ERR_SYNTAX ? json_cursor_fail(c, "an escape") : rc;
}

/* The date of the last change counts; without one that of the publication. */
static void take_date(struct sitemap_json *j, bool is_modified)
{
	struct w3cdate date;

	if ((j->has_modified && !is_modified) ||
		w3cdate_parse_any(sitemap_trim(buf_slice(&j->value)), &date))
		return;
	j->entry.has_lastmod = true;
	j->entry.lastmod = date;
	j->has_modified = is_modified;
}

static int on_item_member(void *context, struct json_cursor *c, slice key)
{
	struct sitemap_json *j = context;
	int rc = take_text(j, c);

	if (rc)
		return rc;
	if (slice_eq(key, SLICE("url"))) {
		buf_reset(&j->loc);
		return buf_add(&j->loc, buf_slice(&j->value));
	}
	if (slice_eq(key, SLICE("date_modified")) || slice_eq(key, SLICE("date_published")))
		take_date(j, slice_eq(key, SLICE("date_modified")));
	return 0;
}

static int on_item(void *context, struct json_cursor *c)
{
	struct sitemap_json *j = context;
	int rc;

	if (json_cursor_peek(c) != '{')
		return json_cursor_skip(c);
	j->entry = sitemap_entry_empty(false);
	j->has_modified = false;
	buf_reset(&j->loc);
	rc = json_cursor_members(c, on_item_member, j);
	j->entry.loc = buf_slice(&j->loc);
	return rc ? rc : sitemap_queue_add(j->queue, &j->entry, (slice){0});
}

static int on_member(void *context, struct json_cursor *c, slice key)
{
	static const slice site = SLICE_INIT("jsonfeed.org/version/");
	struct sitemap_json *j = context;
	int rc;

	if (slice_eq(key, SLICE("items")) && json_cursor_peek(c) == '[')
		return json_cursor_list(c, "a list of items", on_item, j);
	rc = take_text(j, c);
	if (rc == 0 && slice_eq(key, SLICE("version")) && j->value.len > 0)
		j->is_feed = memmem(j->value.ptr, j->value.len, site.ptr, site.len) != NULL;
	return rc;
}

int sitemap_json_end(struct sitemap_json *j)
{
	struct json_cursor c = {.text = buf_slice(&j->text), .err = &j->damage};
	int rc = json_cursor_object(&c, on_member, j);

	if (!j->is_feed)
		sitemap_queue_reset(j->queue);
	return rc == ERR_NOMEM || (rc == ERR_LIMIT && !j->damage.code) ? rc : 0;
}
