#include "living/detail.h"

#include <string.h>
#include <time.h>

enum {
	PURPOSE_DETAIL = 200, /* away from those of the model and the page */
	PURPOSE_DETAIL_BASE,
	LETTERS = 26,
	LOT_LETTERS = 5,
	SECONDS_PER_DAY = 86400,
};

static const time_t FIRST_DAY = 946684800; /* 2000-01-01 */

static void put_price(struct markup *w, uint64_t n)
{
	markup_printf(w, "<p>Price: <span class=\"price\">%u.%02u&nbsp;EUR</span></p>\n",
		(unsigned)(n / 100), (unsigned)(n % 100));
}

static void put_date(struct markup *w, uint64_t n)
{
	time_t seconds = FIRST_DAY + (time_t)n * SECONDS_PER_DAY;
	struct tm t;

	(void)gmtime_r(&seconds, &t);
	markup_printf(w, "<p>Delivery on %04d-%02d-%02d</p>\n", t.tm_year + 1900, t.tm_mon + 1,
		t.tm_mday);
}

static void put_counter(struct markup *w, uint64_t n)
{
	markup_printf(w, "<p>%llu in stock</p>\n", (unsigned long long)n);
}

/* A number in letters: the next one differs in its last letter, mostly. */
static void put_character(struct markup *w, uint64_t n)
{
	char lot[LOT_LETTERS + 1] = {0};

	for (int i = LOT_LETTERS - 1; i >= 0; i--, n /= LETTERS)
		lot[i] = (char)('a' + n % LETTERS);
	markup_printf(w, "<p>It is sold under the name %s only.</p>\n", lot);
}

static void put_href(struct markup *w, uint64_t n)
{
	markup_printf(w, "<p><a href=\"http://maker.invalid/manual/%llu\">The manual</a></p>\n",
		(unsigned long long)n);
}

static void put_src(struct markup *w, uint64_t n)
{
	markup_printf(w, "<img src=\"/x/photo-%llu.gif\" alt=\"A view\" width=\"64\">\n",
		(unsigned long long)n);
}

static void put_action(struct markup *w, uint64_t n)
{
	markup_printf(w,
		"<form method=\"post\" action=\"/order/%llu\"><button>Order</button></form>\n",
		(unsigned long long)n);
}

static void put_value(struct markup *w, uint64_t n)
{
	markup_printf(w,
		"<form method=\"post\" action=\"/basket\"><input type=\"number\" "
		"name=\"least\" value=\"%llu\"></form>\n",
		(unsigned long long)n);
}

static void put_alt(struct markup *w, uint64_t n)
{
	markup_printf(w, "<img src=\"/x/badge.gif\" alt=\"Test report %llu\" width=\"64\">\n",
		(unsigned long long)n);
}

static void put_structured(struct markup *w, uint64_t n)
{
	markup_printf(w,
		"<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\","
		"\"@type\":\"Offer\",\"priceCurrency\":\"EUR\",\"price\":\"%u.%02u\"}</script>\n",
		(unsigned)(n / 100), (unsigned)(n % 100));
}

/* The n-th permutation of the items, in the factorial number system. */
static void put_order(struct markup *w, uint64_t n)
{
	const char *items[] = {"oak", "ash", "elm", "fir", "yew", "box", "lime", "pine", "beech"};
	enum { COUNT = sizeof items / sizeof items[0] };

	markup_put(w, "<ol>\n");
	for (size_t left = COUNT; left > 0; n /= left, left--) {
		size_t i = n % left;

		markup_printf(w, "<li>%s</li>\n", items[i]);
		memmove(items + i, items + i + 1, (left - i - 1) * sizeof items[0]);
	}
	markup_put(w, "</ol>\n");
}

static const struct {
	const char *name;
	void (*put)(struct markup *w, uint64_t n);
	unsigned span; /* of the first value */
} DETAILS[LIVING_DETAILS] = {
	[LIVING_DETAIL_TEXT] = {"text", NULL, 1},
	[LIVING_DETAIL_PRICE] = {"price", put_price, 50000},
	[LIVING_DETAIL_DATE] = {"date", put_date, 9000},
	[LIVING_DETAIL_COUNTER] = {"counter", put_counter, 500},
	[LIVING_DETAIL_CHARACTER] = {"character", put_character, 1000000},
	[LIVING_DETAIL_HREF] = {"href", put_href, 9000},
	[LIVING_DETAIL_SRC] = {"src", put_src, 9000},
	[LIVING_DETAIL_ACTION] = {"action", put_action, 9000},
	[LIVING_DETAIL_VALUE] = {"value", put_value, 90},
	[LIVING_DETAIL_ALT] = {"alt", put_alt, 9000},
	[LIVING_DETAIL_STRUCTURED] = {"structured", put_structured, 50000},
	[LIVING_DETAIL_ORDER] = {"order", put_order, 100000},
};

const char *detail_name(unsigned detail)
{
	return DETAILS[detail].name;
}

enum living_detail detail_of(const struct living_model *m, uint32_t resource)
{
	struct living_place p = living_place_of(m, resource);
	unsigned set = m->params.details;
	uint64_t skip;

	/* The pair of a shop and the listings of a history have a text that is their own. */
	if (set == 0 || p.requisite || p.page >= m->layout.tree ||
		(m->layout.listing && m->layout.listing[p.page]))
		return LIVING_DETAIL_TEXT;
	skip = change_mix(m->params.seed, PURPOSE_DETAIL, resource) %
	       (unsigned)__builtin_popcount(set);
	while (skip-- > 0)
		set &= set - 1;
	return (enum living_detail)__builtin_ctz(set);
}

void detail_put(struct markup *w, const struct page_view *v)
{
	enum living_detail own = detail_of(v->model, v->resource);
	uint64_t seed = change_mix(v->model->params.seed, PURPOSE_DETAIL_BASE, v->resource);

	for (unsigned i = LIVING_DETAIL_TEXT + 1; i < LIVING_DETAILS; i++)
		DETAILS[i].put(w, change_mix(seed, PURPOSE_DETAIL_BASE, i) % DETAILS[i].span +
					  (i == own ? v->version : 1));
}
