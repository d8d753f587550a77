#include "http/redact.h"

#include <string.h>

#include "base/word.h"
#include "http/fields.h"

static slice take_line(slice *head)
{
	const char *end = memchr(head->ptr, '\n', head->len);
	size_t len = end ? (size_t)(end - head->ptr) + 1 : head->len;
	slice line = slice_sub(*head, 0, len);

	*head = slice_sub(*head, len, head->len);
	return line;
}

/* The index of the field's name in the list, or count. */
static size_t find(slice line, const slice *names, size_t count)
{
	const char *colon = memchr(line.ptr, ':', line.len);
	slice name = fields_trim(slice_sub(line, 0, colon ? (size_t)(colon - line.ptr) : 0));
	size_t i = 0;

	while (i < count && !word_is(name, names[i]))
		i++;
	return i;
}

static int add_redacted(slice line, struct buf *out)
{
	int rc = buf_add(out, fields_trim(slice_take(&line, ':')));

	return rc ? rc : buf_add_str(out, ": " REDACT_MARK "\r\n");
}

/* A line that begins with a blank continues the value (RFC 9112 §5.2). */
static void drop_folds(slice *head)
{
	while (head->len > 0 && (head->ptr[0] == ' ' || head->ptr[0] == '\t'))
		(void)take_line(head);
}

static bool has_word(slice list, slice word)
{
	while (list.len > 0)
		if (slice_eq(fields_trim(slice_take(&list, ',')), word))
			return true;
	return false;
}

static int add_word(struct buf *found, slice word)
{
	int rc = 0;

	if (has_word(buf_slice(found), word))
		return 0;
	if (found->len > 0)
		rc = buf_add_str(found, ", ");
	return rc ? rc : buf_add(found, word);
}

int redact_head(slice head, const slice *names, size_t count, struct buf *out, struct buf *found)
{
	bool is_first = true;
	int rc = 0;

	while (rc == 0 && head.len > 0) {
		slice line = take_line(&head);
		/* The request line is no field, whatever its target looks like. */
		size_t i = is_first ? count : find(line, names, count);

		is_first = false;
		if (i == count) {
			rc = buf_add(out, line);
			continue;
		}
		rc = add_redacted(line, out);
		drop_folds(&head);
		if (rc == 0)
			rc = add_word(found, names[i]);
	}
	return rc;
}
