#include "formats/html_entities.h"

#include <stdint.h>

struct entity {
	uint16_t name; /* place in NAMES */
	uint8_t name_len;
	uint8_t value_len;
	char value[HTML_ENTITY_VALUE_MAX + 1];
};

#include "formats/html_entities.inc"

/* Byte of the name at this depth; a name that has ended sorts before all others. */
static int byte_at(size_t i, size_t depth)
{
	const struct entity *e = &ENTITIES[i];

	return depth < e->name_len ? (unsigned char)NAMES[e->name + depth] : -1;
}

/* First of the entries [low, high) whose byte at this depth is at least c. */
static size_t lower_bound(size_t low, size_t high, size_t depth, int c)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (byte_at(middle, depth) < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The names that begin with the bytes read so far are a range, which each byte narrows. */
size_t html_entity_match(slice text, slice *ret_value)
{
	int first = text.len ? (unsigned char)text.ptr[0] : 0;
	size_t low, high, best = 0;

	if (first < FIRST_LETTER || first > LAST_LETTER)
		return 0;
	low = STARTS[first - FIRST_LETTER];
	high = STARTS[first - FIRST_LETTER + 1];
	for (size_t depth = 1; depth < text.len; depth++) {
		int c = (unsigned char)text.ptr[depth];

		low = lower_bound(low, high, depth, c);
		high = lower_bound(low, high, depth, c + 1);
		if (low == high)
			break;
		if (ENTITIES[low].name_len == depth + 1) {
			best = depth + 1;
			*ret_value = (slice){ENTITIES[low].value, ENTITIES[low].value_len};
		}
	}
	return best;
}
