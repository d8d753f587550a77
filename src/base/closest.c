#include "base/closest.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 48 }; /* longer words are no slips of the finger */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Insertions, deletions, substitutions and swaps of neighbours that turn a into b (Damerau's
 * distance, restricted), row by row; both at most WORD_MAX long.
 */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *above2 = rows[0], *above = rows[1], *row = rows[2];
	size_t a_len = strlen(a), b_len = strlen(b);

	for (size_t j = 0; j <= b_len; j++)
		above2[j] = above[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *reuse = above2;

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
			row[j] = least(row[j], least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], above2[j - 2] + 1);
		}
		above2 = above;
		above = row;
		row = reuse;
	}
	return above[b_len];
}

void closest_init(struct closest *c, const char *word)
{
	/* A third of the word may be wrong: with more, anything resembles anything. */
	*c = (struct closest){.word = word, .distance = (strlen(word) + 2) / 3};
}

/* Somebody who writes the beginning only is helped as well. */
static bool is_prefix(const char *word, const char *candidate)
{
	size_t len = strlen(word);

	return len >= 3 && strncmp(word, candidate, len) == 0;
}

void closest_offer(struct closest *c, const char *candidate)
{
	size_t distance;

	if (strlen(c->word) > WORD_MAX || strlen(candidate) > WORD_MAX)
		return;
	distance = edit_distance(c->word, candidate);
	if (distance > 1 && is_prefix(c->word, candidate))
		distance = 1;
	if (distance > c->distance || (c->best && distance == c->distance))
		return;
	c->best = candidate;
	c->distance = distance;
}

const char *closest_get(const struct closest *c)
{
	return c->best;
}
