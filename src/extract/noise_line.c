#include "extract/noise_line.h"

#include "base/word.h"

enum { LINE_MAX_SEEN = 160 };

/* What the words of such a line may be; all other words make it content. */
enum word_kind {
	SUBJECT = 1, /* what was made */
	VERB = 2,    /* how servers say it */
	UNIT = 4,
	FILLER = 8,
	NUMBER = 16,
	CLOCK = 32,
	DATE = 64,
	LOOSE = 128,   /* a verb that says it of anything: only with a subject */
	DECIMAL = 256, /* a number with a fraction, besides NUMBER */
};

static const struct {
	const char *word;
	unsigned kind;
} WORDS[] = {
	{"page", SUBJECT},
	{"seite", SUBJECT},
	{"html", SUBJECT},
	{"generated", VERB},
	{"rendered", VERB},
	{"served", LOOSE},
	{"processed", LOOSE},
	{"loaded", LOOSE},
	{"built", LOOSE},
	{"created", LOOSE},
	{"erzeugt", VERB},
	{"generiert", VERB},
	{"generation", LOOSE},
	{"rendering", LOOSE},
	{"execution", LOOSE},
	{"load", LOOSE},
	{"s", UNIT},
	{"sec", UNIT},
	{"secs", UNIT},
	{"second", UNIT},
	{"seconds", UNIT},
	{"sekunden", UNIT},
	{"ms", UNIT},
	{"milliseconds", UNIT},
	{"msec", UNIT},
	{"this", FILLER},
	{"was", FILLER},
	{"in", FILLER},
	{"at", FILLER},
	{"on", FILLER},
	{"by", FILLER},
	{"the", FILLER},
	{"server", FILLER},
	{"took", FILLER},
	{"time", FILLER},
	{"with", FILLER},
	{"and", FILLER},
	{"using", FILLER},
	{"queries", FILLER},
	{"query", FILLER},
	{"diese", FILLER},
	{"wurde", FILLER},
	{"um", FILLER},
	{"utc", FILLER},
	{"gmt", FILLER},
	{"am", FILLER},
	{"pm", FILLER},
};

static bool is_clock(slice w)
{
	size_t colons = 0;

	for (size_t i = 0; i < w.len; i++) {
		colons += w.ptr[i] == ':';
		if (!word_is_digit(w.ptr[i]) && w.ptr[i] != ':' && w.ptr[i] != '.')
			return false;
	}
	return colons == 2 && w.len >= 7;
}

static bool is_date(slice w)
{
	size_t marks = 0;

	for (size_t i = 0; i < w.len; i++) {
		bool mark = w.ptr[i] == '-' || w.ptr[i] == '/' || w.ptr[i] == '.';

		marks += mark;
		if (!mark && !word_is_digit(w.ptr[i]))
			return false;
	}
	return marks == 2 && w.len >= 8;
}

static bool is_number(slice w)
{
	for (size_t i = 0; i < w.len; i++)
		if (!word_is_digit(w.ptr[i]) && w.ptr[i] != '.' && w.ptr[i] != ',')
			return false;
	return w.len > 0;
}

static unsigned known_word(slice w)
{
	for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
		if (w.len && WORDS[i].word[0] == word_lower(w.ptr[0]) &&
			word_is(w, slice_str(WORDS[i].word)))
			return WORDS[i].kind;
	return 0;
}

static unsigned kind_of(slice w)
{
	unsigned known = known_word(w);
	size_t digits = 0;

	if (known)
		return known;
	if (is_clock(w))
		return CLOCK;
	if (is_date(w))
		return DATE;
	if (is_number(w))
		return NUMBER | (memchr(w.ptr, '.', w.len) ? DECIMAL : 0);
	while (digits < w.len && (word_is_digit(w.ptr[digits]) || w.ptr[digits] == '.'))
		digits++;
	if (digits && (known_word(slice_sub(w, digits, w.len)) & UNIT))
		return NUMBER | UNIT | (memchr(w.ptr, '.', digits) ? DECIMAL : 0);
	return 0;
}

static slice without_marks(slice w)
{
	while (w.len && strchr(".,:;()[]", w.ptr[w.len - 1]))
		w.len--;
	while (w.len && strchr("([", w.ptr[0]))
		w = slice_sub(w, 1, w.len);
	return w;
}

/* All such lines have figures, and most other lines have none. */
static bool has_digit(slice line)
{
	for (size_t i = 0; i < line.len; i++)
		if (word_is_digit(line.ptr[i]))
			return true;
	return false;
}

bool noise_is_generated_line(slice line)
{
	unsigned seen = 0;
	slice word;

	if (line.len > LINE_MAX_SEEN || !has_digit(line))
		return false;
	while (word_next(&line, ' ', &word)) {
		unsigned kind;

		word = without_marks(word);
		if (word.len == 0)
			continue;
		kind = kind_of(word);
		if (kind == 0)
			return false;
		seen |= kind;
	}
	if (!(seen & VERB) && !((seen & LOOSE) && (seen & SUBJECT)))
		return false;
	if (seen & CLOCK)
		return true;
	if (!(seen & NUMBER) || !(seen & UNIT) || (seen & DATE))
		return false;
	return (seen & SUBJECT) || (seen & DECIMAL);
}
