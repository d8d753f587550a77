#include "histories/gains.h"

#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/options.h"

static const char *const NAMES[] = {
	"last-modified", "best-instant", "subsites", "canaries", "third-visit", NULL};

static int parse_one(slice word, unsigned *gains, struct err *err)
{
	char text[GAINS_TEXT_SIZE];
	const char *near;

	for (unsigned i = 0; NAMES[i]; i++)
		if (slice_eq(word, slice_str(NAMES[i]))) {
			*gains |= 1U << i;
			return 0;
		}
	(void)snprintf(text, sizeof text, "%.*s", (int)(word.len < 64 ? word.len : 64), word.ptr);
	near = options_closest(text, NAMES);
	if (near)
		return err_set(
			err, ERR_USAGE, "gain '%s' is not known; did you mean '%s'?", text, near);
	return err_set(err, ERR_USAGE,
		"gain '%s' is not known (last-modified, best-instant, subsites, canaries, "
		"third-visit)",
		text);
}

int gains_parse(slice text, unsigned *ret_gains, struct err *err)
{
	unsigned gains = 0;

	for (bool more = true; more;) {
		size_t len = text.len;
		slice word = slice_take(&text, '+');
		int rc = parse_one(word, &gains, err);

		if (rc)
			return rc;
		more = word.len < len;
	}
	if (gains & GAIN_SUBSITES && gains & GAIN_CANARIES)
		return err_set(err, ERR_USAGE, "subsites and canaries cannot be combined");
	*ret_gains = gains;
	return 0;
}

void gains_text(unsigned gains, char out[GAINS_TEXT_SIZE])
{
	size_t at = 0;

	out[0] = '\0';
	for (unsigned i = 0; NAMES[i]; i++)
		if (gains & 1U << i)
			at += (size_t)snprintf(
				out + at, GAINS_TEXT_SIZE - at, "%s%s", at ? "+" : "", NAMES[i]);
}
