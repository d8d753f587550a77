#include "http/fields.h"

#include "base/err.h"
#include "base/word.h"

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
	const char *semicolon =
		content_type.len ? memchr(content_type.ptr, ';', content_type.len) : NULL;

	if (semicolon)
		content_type.len = (size_t)(semicolon - content_type.ptr);
	return fields_trim(content_type);
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
	const char *lf = head->len ? memchr(head->ptr, '\n', head->len) : NULL;
	size_t len = lf ? (size_t)(lf - head->ptr) : head->len;
	slice line = slice_sub(*head, 0, len);

	*head = slice_sub(*head, lf ? len + 1 : len, head->len);
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

static int add_line(struct fields *f, slice line, size_t max)
{
	const char *colon = memchr(line.ptr, ':', line.len);
	size_t at = colon ? (size_t)(colon - line.ptr) : 0;
	struct field field = {
		.name = fields_trim(slice_sub(line, 0, at)),
		.value = fields_trim(slice_sub(line, at + 1, line.len)),
	};

	if (field.name.len == 0) {
		f->malformed++;
		return 0;
	}
	if (f->items.len == max) {
		f->surplus++;
		return 0;
	}
	return field_vec_push(&f->items, field);
}

int fields_parse_first(struct fields *f, char *head, size_t len, size_t max)
{
	slice rest = {head, len}, line;
	bool open = false; /* a field that the next line may continue */

	f->items.len = 0;
	f->malformed = f->surplus = 0;
	f->first_line = (slice){head, 0};
	if (!next_line(&rest, &f->first_line))
		return 0;
	while (next_line(&rest, &line)) {
		size_t before = f->items.len;
		int rc;

		if (line.ptr[0] == ' ' || line.ptr[0] == '\t') {
			if (open)
				unfold(&f->items.ptr[before - 1], line, head);
			else
				f->malformed += f->surplus == 0;
			continue;
		}
		rc = add_line(f, line, max);
		if (rc) {
			f->items.len = 0;
			return rc;
		}
		open = f->items.len > before;
	}
	return 0;
}

int fields_parse(struct fields *f, char *head, size_t len)
{
	int rc = fields_parse_first(f, head, len, FIELDS_COUNT_MAX);

	if (rc || f->surplus == 0)
		return rc;
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
