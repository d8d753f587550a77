#include "living/markup.h"

#include <stdarg.h>
#include <string.h>

#include "base/err.h"

enum { WORD_COUNT = 32 };

static const char *const WORDS[WORD_COUNT] = {
	"amber",
	"anchor",
	"autumn",
	"basket",
	"birch",
	"bridge",
	"candle",
	"canvas",
	"cedar",
	"copper",
	"cotton",
	"garden",
	"granite",
	"harbour",
	"hazel",
	"island",
	"ivory",
	"lantern",
	"linen",
	"maple",
	"marble",
	"meadow",
	"mirror",
	"morning",
	"ochre",
	"orchard",
	"paper",
	"pebble",
	"river",
	"saffron",
	"velvet",
	"walnut",
};

void markup_put(struct markup *w, const char *text)
{
	if (w->rc == 0)
		w->rc = buf_add_str(w->out, text);
}

void markup_printf(struct markup *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (w->rc == 0)
		w->rc = buf_vprintf(w->out, fmt, ap);
	va_end(ap);
}

/* Five bits make a word. */
void markup_words(struct markup *w, uint64_t number, int count)
{
	for (int i = 0; i < count; i++) {
		if (i > 0)
			markup_put(w, " ");
		markup_put(w, WORDS[number % WORD_COUNT]);
		number /= WORD_COUNT;
	}
}

/* Paths are escaped so that only "&" has a meaning in markup. */
static void escape_from(struct markup *w, size_t at)
{
	static const char REST[] = "amp;";
	enum { LEN = sizeof REST - 1 };

	for (; w->rc == 0 && at < w->out->len; at++) {
		size_t behind = w->out->len - at - 1;

		if (w->out->ptr[at] != '&')
			continue;
		w->rc = buf_add_str(w->out, REST); /* makes room */
		if (w->rc == 0) {
			memmove(w->out->ptr + at + 1 + LEN, w->out->ptr + at + 1, behind);
			memcpy(w->out->ptr + at + 1, REST, LEN);
		}
	}
}

void markup_path(struct markup *w, const struct living_model *m, uint32_t resource)
{
	size_t at = w->out->len;

	if (w->rc == 0)
		w->rc = living_path_of(m, resource, w->out);
	escape_from(w, at);
}
