#include "rate/frequency.h"

#include "base/word.h"

#define DAY 86400.0

bool frequency_rate(slice word, double *ret_rate)
{
	static const struct {
		slice word;
		double seconds; /* from one change to the next */
	} rows[] = {
		{SLICE_INIT("always"), 60},
		{SLICE_INIT("hourly"), 3600},
		{SLICE_INIT("daily"), DAY},
		{SLICE_INIT("weekly"), 7 * DAY},
		{SLICE_INIT("monthly"), 30 * DAY},
		{SLICE_INIT("yearly"), 365 * DAY},
		{SLICE_INIT("never"), 3650 * DAY},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (word_is(word, rows[i].word)) {
			*ret_rate = 1 / rows[i].seconds;
			return true;
		}
	}
	return false;
}
