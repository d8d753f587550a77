#include "quality/manner.h"

#include "base/hash.h"
#include "base/word.h"

/* Constant: the catalog holds such hashes (attempt.h, coding). */
static const struct hash_key MANNER_KEY = {0x5354494c4c504f49, 0x4e542d4d414e4e45};
static const struct hash_key CODING_KEY = {0x5354494c4c504f49, 0x4e542d434f44494e};

uint64_t manner_of(const struct fields *head, uint64_t requirements)
{
	uint64_t so_far[2] = {requirements, 0};

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("Content-Type"))) {
			so_far[1] = hash_bytes(MANNER_KEY, fields_trim(head->items.ptr[i].value));
			so_far[0] = hash_bytes(
				MANNER_KEY, (slice){(const char *)so_far, sizeof so_far});
		}
	return so_far[0];
}

uint64_t manner_coding(slice coding, uint64_t manner)
{
	uint64_t parts[] = {hash_bytes(CODING_KEY, coding), manner};

	return hash_bytes(CODING_KEY, (slice){(const char *)parts, sizeof parts});
}
