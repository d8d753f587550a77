/* Words that many search engines leave out of their index, in several languages. */
#ifndef FORMS_STOP_WORDS_H
#define FORMS_STOP_WORDS_H

#include <stdbool.h>

#include "base/slice.h"

/* word: in lower case. */
bool stop_words_has(slice word);

#endif
