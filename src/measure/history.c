#include "measure/history.h"

#include <stdbool.h>

static size_t count(struct change_history history, double t, bool inclusive)
{
	size_t low = 0, high = history.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		double change = history.times[mid];

		if (change < t || (inclusive && change == t))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t change_history_before(struct change_history history, double t)
{
	return count(history, t, false);
}

size_t change_history_until(struct change_history history, double t)
{
	return count(history, t, true);
}
