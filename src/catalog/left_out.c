#include "catalog/left_out.h"

static const char *const WORDS[LEFT_OUT_COUNT] = {
#define X(name, word, meaning) [name] = word,
	LEFT_OUT_REASONS(X)
#undef X
};

static const char *const MEANINGS[LEFT_OUT_COUNT] = {
#define X(name, word, meaning) [name] = meaning,
	LEFT_OUT_REASONS(X)
#undef X
};

const char *left_out_word(enum left_out reason)
{
	return WORDS[reason];
}

const char *left_out_meaning(enum left_out reason)
{
	return MEANINGS[reason];
}
