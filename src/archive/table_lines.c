#include "archive/table_lines.h"

#include "base/err.h"
#include "catalog/catalog_line.h"

void table_lines_init(struct table_lines *t)
{
	*t = (struct table_lines){0};
	buf_init(&t->text, TABLE_LINES_MAX);
}

void table_lines_release(struct table_lines *t)
{
	buf_release(&t->text);
}

void table_lines_reset(struct table_lines *t)
{
	buf_reset(&t->text);
	t->capture = 0;
	t->urgent = false;
}

/* The line of a page has no room for its changefreq: older readers know the number of its fields.
 */
static bool has_frequency(const struct catalog_row *row)
{
	return (row->kind == CATALOG_ROW_ADD_PAGE || row->kind == CATALOG_ROW_TAKE_PAGE) &&
	       row->page->frequency > 0;
}

int table_lines_add(struct table_lines *t, slice uuid, const struct catalog_row *row)
{
	int rc;

	if (!catalog_line_has(row->kind))
		return 0;
	/* Each record names the captures whose lines follow, so it can be read alone. */
	if (t->text.len == 0)
		buf_add_str(&t->text, CATALOG_TABLE_HEAD);
	if (t->capture != row->capture)
		buf_printf(&t->text, CATALOG_TABLE_OF "%.*s\r\n", (int)uuid.len, uuid.ptr);
	t->capture = row->capture;
	rc = catalog_line_format(row, &t->text);
	if (rc == 0 && has_frequency(row))
		rc = catalog_line_format(&(struct catalog_row){CATALOG_ROW_LIST_PAGE, row->capture,
						 .page = row->page},
			&t->text);
	t->urgent = t->urgent || row->kind != CATALOG_ROW_PLAN;
	return rc;
}
