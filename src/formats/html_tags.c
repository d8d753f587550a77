#include "formats/html_tags.h"

#include <stdint.h>

#include "formats/html_tags.inc"

static const slice TAG_NAMES[HTML_TAG_COUNT] = {[HTML_TAG_OTHER] = SLICE_INIT(""),
#define X(id, name) [HTML_TAG_##id] = SLICE_INIT(name),
	HTML_TAGS(X)
#undef X
};

/* The first eight bytes as a number, in which no two names of ours are equal. */
static uint64_t key_of(slice name)
{
	uint64_t key = 0;

	for (size_t i = 0; i < name.len && i < sizeof key; i++)
		key |= (uint64_t)(unsigned char)name.ptr[i] << (56 - 8 * i);
	return key;
}

enum html_tag html_tag_of(slice name)
{
	enum html_tag tag = SLOTS[key_of(name) * MULTIPLIER >> (64 - SLOT_BITS)];

	return slice_eq(name, TAG_NAMES[tag]) ? tag : HTML_TAG_OTHER;
}

slice html_tag_name(enum html_tag tag)
{
	return TAG_NAMES[tag];
}
