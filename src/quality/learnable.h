/*
 * What a learned rule may mask, by the look of it. A rule is learned from places that vary by
 * themselves (learner.h); what stands there must besides read like nothing that a reader cares
 * about. When in doubt it does.
 */
#ifndef QUALITY_LEARNABLE_H
#define QUALITY_LEARNABLE_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * Whether a value that nobody sees (a hidden field, a literal of a script, a meta element) may
 * carry content: text, a name, a price, an amount, a figure, a day, an address. The name under
 * which it stands may say so, too.
 */
bool learnable_value_is_content(slice name, slice value);

/*
 * Whether visible words may be content: a price, a day, an amount, a name, a stock figure. What is
 * left are words in small letters, times of day and durations.
 */
bool learnable_text_is_content(slice words);

#endif
