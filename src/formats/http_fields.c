#include "formats/http_fields.h"

#include <string.h>

#include "base/err.h"
#include "base/word.h"

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
	buf_add(out, fields_trim(slice_take(&line, ':')));
	return buf_add_str(out, ": " REDACT_MARK "\r\n");
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

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool fields_is_value(slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

slice fields_trim(slice s)
{
	while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
		s.len--;
	while (s.len > 0 && is_blank(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	return s;
}

slice fields_media_type(slice content_type)
{
	return fields_trim(slice_take(&content_type, ';'));
}

size_t fields_find_end(slice bytes, size_t *from)
{
	while (*from < bytes.len) {
		const char *lf = memchr(bytes.ptr + *from, '\n', bytes.len - *from);
		size_t next;

		if (!lf) {
			*from = bytes.len;
			return 0;
		}
		*from = (size_t)(lf - bytes.ptr);
		next = *from + 1;
		if (next < bytes.len && bytes.ptr[next] == '\r')
			next++;
		if (next >= bytes.len)
			return 0;
		if (bytes.ptr[next] == '\n')
			return next + 1;
		++*from;
	}
	return 0;
}

/* Cuts the next line, without its end, off the head; false at the end or at the empty line. */
static bool next_line(slice *head, slice *ret_line)
{
	slice line = slice_take(head, '\n');

	while (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	*ret_line = line;
	return line.len > 0;
}

/* Moves a continuation behind the value it belongs to. */
static void unfold(struct field *field, slice line, char *head)
{
	size_t end;

	line = fields_trim(line);
	if (line.len == 0)
		return;
	if (field->value.len == 0) {
		field->value = line;
		return;
	}
	end = (size_t)(field->value.ptr - head) + field->value.len;
	head[end] = ' ';
	memmove(head + end + 1, line.ptr, line.len);
	field->value.len += 1 + line.len;
}

static void add_line(struct fields *f, slice line, size_t max)
{
	const char *colon = memchr(line.ptr, ':', line.len);
	size_t at = colon ? (size_t)(colon - line.ptr) : 0;
	struct field field = {
		.name = fields_trim(slice_sub(line, 0, at)),
		.value = fields_trim(slice_sub(line, at + 1, line.len)),
	};

	if (field.name.len == 0) {
		f->malformed++;
		return;
	}
	if (f->items.len == max) {
		f->surplus++;
		return;
	}
	field_vec_push(&f->items, field);
}

void fields_parse_first(struct fields *f, char *head, size_t len, size_t max)
{
	slice rest = {head, len}, line;
	bool open = false; /* a field that the next line may continue */

	f->items.len = 0;
	f->malformed = f->surplus = 0;
	f->first_line = (slice){head, 0};
	if (!next_line(&rest, &f->first_line))
		return;
	while (next_line(&rest, &line)) {
		size_t before = f->items.len;

		if (line.ptr[0] == ' ' || line.ptr[0] == '\t') {
			if (open)
				unfold(&f->items.ptr[before - 1], line, head);
			else
				f->malformed += f->surplus == 0;
			continue;
		}
		add_line(f, line, max);
		open = f->items.len > before;
	}
}

int fields_parse(struct fields *f, char *head, size_t len)
{
	fields_parse_first(f, head, len, FIELDS_COUNT_MAX);
	if (f->surplus == 0)
		return 0;
	f->items.len = 0;
	return ERR_LIMIT;
}

slice fields_get(const struct fields *f, slice name)
{
	for (size_t i = 0; i < f->items.len; i++)
		if (word_is(f->items.ptr[i].name, name))
			return f->items.ptr[i].value;
	return (slice){0};
}

void fields_release(struct fields *f)
{
	field_vec_release(&f->items);
	*f = (struct fields){0};
}
