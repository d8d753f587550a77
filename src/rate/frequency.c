#include "rate/frequency.h"

#include "base/word.h"

#define DAY 86400.0

static const struct {
	const char *word;
	double seconds; /* from one change to the next */
} ROWS[FREQUENCIES] = {
	[FREQUENCY_ALWAYS] = {"always", 60},
	[FREQUENCY_HOURLY] = {"hourly", 3600},
	[FREQUENCY_DAILY] = {"daily", DAY},
	[FREQUENCY_WEEKLY] = {"weekly", 7 * DAY},
	[FREQUENCY_MONTHLY] = {"monthly", 30 * DAY},
	[FREQUENCY_YEARLY] = {"yearly", 365 * DAY},
	[FREQUENCY_NEVER] = {"never", 3650 * DAY},
};

enum frequency frequency_parse(slice word)
{
	for (int f = FREQUENCY_NONE + 1; f < FREQUENCIES; f++)
		if (word_is(word, slice_str(ROWS[f].word)))
			return (enum frequency)f;
	return FREQUENCY_NONE;
}

const char *frequency_name(enum frequency f)
{
	return ROWS[f].word;
}

double frequency_value(enum frequency f)
{
	return f == FREQUENCY_NONE ? 0 : 1 / ROWS[f].seconds;
}

bool frequency_rate(slice word, double *ret_rate)
{
	enum frequency f = frequency_parse(word);

	if (f == FREQUENCY_NONE)
		return false;
	*ret_rate = frequency_value(f);
	return true;
}
