/*
 * Visible lines that tell how or when the server made the page: "Page generated in 0.03 seconds",
 * "Rendered at 13:04:05". Narrow by intent: a line that says anything else is content, and so is a
 * date without a time of day to the second.
 */
#ifndef EXTRACT_NOISE_LINE_H
#define EXTRACT_NOISE_LINE_H

#include <stdbool.h>

#include "base/slice.h"

/* The whole line is one. */
bool noise_is_generated_line(slice line);

#endif
