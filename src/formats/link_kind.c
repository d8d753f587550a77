#include "formats/link_kind.h"

#include "base/word.h"

const char *link_kind_name(enum link_kind kind)
{
	static const char *const NAMES[LINK_KIND_COUNT] = {
#define X(id, name) [LINK_##id] = (name),
		LINK_KINDS(X)
#undef X
	};

	return NAMES[kind];
}

bool link_kind_is_requisite(enum link_kind kind)
{
	switch (kind) {
	case LINK_IMAGE:
	case LINK_STYLE:
	case LINK_SCRIPT:
	case LINK_MEDIA:
	case LINK_FONT:
	case LINK_FRAME:
		return true;
	default:
		return false;
	}
}

struct meaning {
	slice word;
	enum link_kind kind;
};

static const struct meaning RELS[] = {
	{SLICE_INIT("stylesheet"), LINK_STYLE},
	{SLICE_INIT("icon"), LINK_IMAGE},
	{SLICE_INIT("apple-touch-icon"), LINK_IMAGE},
	{SLICE_INIT("apple-touch-icon-precomposed"), LINK_IMAGE},
	{SLICE_INIT("apple-touch-startup-image"), LINK_IMAGE},
	{SLICE_INIT("mask-icon"), LINK_IMAGE},
	{SLICE_INIT("fluid-icon"), LINK_IMAGE},
	{SLICE_INIT("image_src"), LINK_IMAGE},
	{SLICE_INIT("canonical"), LINK_CANONICAL},
	{SLICE_INIT("alternate"), LINK_ALTERNATE},
	{SLICE_INIT("sitemap"), LINK_SITEMAP},
	{SLICE_INIT("modulepreload"), LINK_SCRIPT},
	{SLICE_INIT("amphtml"), LINK_PAGE},
	{SLICE_INIT("appendix"), LINK_PAGE},
	{SLICE_INIT("archives"), LINK_PAGE},
	{SLICE_INIT("author"), LINK_PAGE},
	{SLICE_INIT("bookmark"), LINK_PAGE},
	{SLICE_INIT("chapter"), LINK_PAGE},
	{SLICE_INIT("contents"), LINK_PAGE},
	{SLICE_INIT("copyright"), LINK_PAGE},
	{SLICE_INIT("first"), LINK_PAGE},
	{SLICE_INIT("glossary"), LINK_PAGE},
	{SLICE_INIT("help"), LINK_PAGE},
	{SLICE_INIT("home"), LINK_PAGE},
	{SLICE_INIT("index"), LINK_PAGE},
	{SLICE_INIT("last"), LINK_PAGE},
	{SLICE_INIT("license"), LINK_PAGE},
	{SLICE_INIT("next"), LINK_PAGE},
	{SLICE_INIT("prerender"), LINK_PAGE},
	{SLICE_INIT("prev"), LINK_PAGE},
	{SLICE_INIT("previous"), LINK_PAGE},
	{SLICE_INIT("privacy-policy"), LINK_PAGE},
	{SLICE_INIT("section"), LINK_PAGE},
	{SLICE_INIT("start"), LINK_PAGE},
	{SLICE_INIT("subsection"), LINK_PAGE},
	{SLICE_INIT("tag"), LINK_PAGE},
	{SLICE_INIT("terms-of-service"), LINK_PAGE},
	{SLICE_INIT("top"), LINK_PAGE},
	{SLICE_INIT("up"), LINK_PAGE},
};

/* Destinations of a preload (Fetch, section 2.2.5). */
static const struct meaning DESTINATIONS[] = {
	{SLICE_INIT("audio"), LINK_MEDIA},
	{SLICE_INIT("document"), LINK_PAGE},
	{SLICE_INIT("embed"), LINK_MEDIA},
	{SLICE_INIT("font"), LINK_FONT},
	{SLICE_INIT("frame"), LINK_FRAME},
	{SLICE_INIT("iframe"), LINK_FRAME},
	{SLICE_INIT("image"), LINK_IMAGE},
	{SLICE_INIT("object"), LINK_MEDIA},
	{SLICE_INIT("script"), LINK_SCRIPT},
	{SLICE_INIT("serviceworker"), LINK_SCRIPT},
	{SLICE_INIT("sharedworker"), LINK_SCRIPT},
	{SLICE_INIT("style"), LINK_STYLE},
	{SLICE_INIT("track"), LINK_MEDIA},
	{SLICE_INIT("video"), LINK_MEDIA},
	{SLICE_INIT("worker"), LINK_SCRIPT},
};

/* The set with the word's kind in it, or an empty one. */
static unsigned look_up(const struct meaning *table, size_t count, slice word)
{
	for (size_t i = 0; i < count; i++)
		if (word_is(word, table[i].word))
			return 1U << table[i].kind;
	return 0;
}

static unsigned kinds_of_preload(slice as, slice type)
{
	unsigned kinds = look_up(DESTINATIONS, sizeof DESTINATIONS / sizeof *DESTINATIONS, as);

	if (kinds == 0 && word_starts(type, SLICE("font/")))
		kinds = 1U << LINK_FONT;
	return kinds;
}

unsigned link_kinds_of_rel(slice rel, slice as, slice type)
{
	unsigned kinds = 0;
	slice word;

	while (word_next(&rel, ' ', &word)) {
		if (word_is(word, SLICE("preload")) || word_is(word, SLICE("prefetch")))
			kinds |= kinds_of_preload(as, type);
		else
			kinds |= look_up(RELS, sizeof RELS / sizeof *RELS, word);
	}
	if (kinds & 1U << LINK_STYLE)
		kinds &= ~(1U << LINK_ALTERNATE);
	return kinds ? kinds : 1U << LINK_OTHER;
}

bool link_type_is_feed(slice type)
{
	static const slice TYPES[] = {SLICE_INIT("application/rss+xml"),
		SLICE_INIT("application/atom+xml"), SLICE_INIT("application/feed+json"),
		SLICE_INIT("application/rdf+xml")};

	type = word_trim(slice_take(&type, ';'));
	for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
		if (word_is(type, TYPES[i]))
			return true;
	return false;
}

enum link_kind link_kind_of_type(slice type)
{
	type = word_trim(type);
	if (word_starts(type, SLICE("image/")))
		return LINK_IMAGE;
	if (word_starts(type, SLICE("text/html")) ||
		word_starts(type, SLICE("application/xhtml+xml")))
		return LINK_FRAME;
	return LINK_MEDIA;
}
