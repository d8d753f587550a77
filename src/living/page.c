#include "living/page.h"

#include "base/clock.h"
#include "living/markup.h"

enum {
	WORD_COUNT = 32,
	SENTENCES = 3,
	SENTENCE_WORDS = 9,
	PRICE_MIN = 100, /* cents */
	PRICE_SPAN = 49900,
};

enum purpose {
	PURPOSE_NAME = 100, /* away from those of the model */
	PURPOSE_TEXT,
	PURPOSE_PRICE,
	PURPOSE_NOISE,
};

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

/* Words that a number stands for; five bits make one. */
static void put_words(struct markup *w, uint64_t number, int count)
{
	for (int i = 0; i < count; i++) {
		if (i > 0)
			markup_put(w, " ");
		markup_put(w, WORDS[number % WORD_COUNT]);
		number /= WORD_COUNT;
	}
}

static uint64_t draw(const struct page_view *v, uint64_t purpose, uint64_t id)
{
	return change_mix(change_mix(v->model->params.seed, purpose, v->resource), purpose, id);
}

/* What a page is called: a name that it has, or two words. */
static void put_title(struct markup *w, const struct page_view *v, uint32_t resource)
{
	const struct layout *layout = &v->model->layout;
	uint32_t page = living_place_of(v->model, resource).page;

	if (layout->paths)
		markup_path(w, v->model, resource);
	else if (page >= layout->tree)
		markup_put(w, page == layout->tree ? "Prices" : "Terms");
	else
		put_words(w, change_mix(v->model->params.seed, PURPOSE_NAME, resource), 2);
}

/* What the page's price is in its version. */
static void put_price(struct markup *w, const struct page_view *v)
{
	unsigned cents = PRICE_MIN + (unsigned)(draw(v, PURPOSE_PRICE, v->version) % PRICE_SPAN);

	markup_printf(w, "<strong id=\"price\">%u.%02u EUR</strong>", cents / 100, cents % 100);
}

static void put_requisites(
	struct markup *w, const struct page_view *v, struct living_place p, enum living_kind kind)
{
	const struct living_model *m = v->model;

	for (size_t i = 1; i <= m->params.requisites; i++) {
		uint32_t resource = living_requisite_resource(m, p.host, p.page, i);

		if (living_place_of(m, resource).kind != kind)
			continue;
		markup_put(w,
			kind == LIVING_STYLE ? "<link rel=\"stylesheet\" href=\"" : "<img src=\"");
		if (m->params.cdn_host)
			markup_printf(w, "http://%s:%u", m->params.cdn_host, (unsigned)v->port);
		markup_path(w, m, resource);
		markup_put(w, kind == LIVING_STYLE ? "\">\n"
						   : "\" alt=\"\" width=\"64\" height=\"64\">\n");
	}
}

static void put_head(struct markup *w, const struct page_view *v, struct living_place p)
{
	markup_put(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	put_title(w, v, v->resource);
	markup_put(w, "</title>\n");
	put_requisites(w, v, p, LIVING_STYLE);
	if (v->model->params.noise & LIVING_NOISE_NONCE)
		markup_printf(w,
			"<script nonce=\"%016llx\">document.documentElement.className = 'js';"
			"</script>\n",
			(unsigned long long)change_mix(v->noise, PURPOSE_NOISE, 1));
	markup_put(w, "</head>\n<body>\n");
}

static void put_sentences(struct markup *w, const struct page_view *v)
{
	markup_put(w, "<p>");
	for (uint64_t i = 0; i < SENTENCES; i++) {
		markup_put(w, i ? " The " : "The ");
		put_words(w, draw(v, PURPOSE_TEXT, (uint64_t)v->version * SENTENCES + i),
			SENTENCE_WORDS);
		markup_put(w, ".");
	}
	markup_put(w, "</p>\n");
}

/* The pair of a shop speaks of one edition, so that a reader sees when the two do not match. */
static bool put_pair(struct markup *w, const struct page_view *v, struct living_place p)
{
	size_t pair = v->model->layout.tree;

	if (v->model->layout.theme != LIVING_SHOP || p.page < pair)
		return false;
	if (p.page == pair) {
		markup_printf(w,
			"<h1>Prices</h1>\n<p>Price list, edition %lu.</p>\n"
			"<p>Everything costs ",
			(unsigned long)v->version);
		put_price(w, v);
		markup_put(w, ".</p>\n");
	} else {
		markup_printf(w,
			"<h1>Terms</h1>\n<p>These terms hold for edition %lu of the price list and "
			"for no other.</p>\n",
			(unsigned long)v->version);
	}
	return true;
}

static void put_article(struct markup *w, const struct page_view *v, struct living_place p)
{
	markup_put(w, "<main>\n");
	if (!put_pair(w, v, p)) {
		markup_put(w, "<h1>");
		put_words(w, draw(v, PURPOSE_TEXT, ~(uint64_t)v->version), 4);
		markup_put(w, "</h1>\n");
		if (v->model->layout.theme == LIVING_SHOP) {
			markup_put(w, "<p>Price: ");
			put_price(w, v);
			markup_put(w, "</p>\n");
		}
		put_sentences(w, v);
	}
	markup_printf(
		w, "<p>Version <span id=\"version\">%lu</span></p>\n", (unsigned long)v->version);
	put_requisites(w, v, p, LIVING_IMAGE);
	markup_put(w, "</main>\n");
}

static void put_links(struct markup *w, const struct page_view *v, struct living_place p)
{
	markup_put(w, "<nav>\n<ul>\n");
	for (size_t i = 0; i < v->links->len; i++) {
		uint32_t target = living_page_resource(v->model, p.host, v->links->ptr[i]);

		markup_put(w, "<li><a href=\"");
		markup_path(w, v->model, target);
		markup_put(w, "\">");
		put_title(w, v, target);
		markup_put(w, "</a></li>\n");
	}
	markup_put(w, "</ul>\n</nav>\n");
}

static void put_noise(struct markup *w, const struct page_view *v)
{
	unsigned noise = v->model->params.noise;
	char now[CLOCK_TEXT_SIZE];

	if (noise & LIVING_NOISE_AD) {
		markup_put(w, "<div class=\"ad\">Advertisement: ");
		put_words(w, change_mix(v->noise, PURPOSE_NOISE, 2), 5);
		markup_put(w, "</div>\n");
	}
	if (noise & LIVING_NOISE_CSRF)
		markup_printf(w,
			"<form method=\"post\"><input type=\"hidden\" name=\"csrf_token\" "
			"value=\"%016llx\"></form>\n",
			(unsigned long long)change_mix(v->noise, PURPOSE_NOISE, 3));
	markup_put(w, "<footer>A living site");
	if (noise & LIVING_NOISE_CLOCK) {
		clock_format(v->now_ns, CLOCK_ROUND_DOWN, now);
		markup_printf(w, "; generated at <time>%s</time>", now);
	}
	markup_put(w, "</footer>\n");
}

static void write_html(struct markup *w, const struct page_view *v, struct living_place p)
{
	put_head(w, v, p);
	put_article(w, v, p);
	put_links(w, v, p);
	put_noise(w, v);
	markup_put(w, "</body>\n</html>\n");
}

static void write_style(struct markup *w, const struct page_view *v)
{
	markup_printf(w, "/* version %lu */\nmain { border-color: #%06x }\n",
		(unsigned long)v->version,
		(unsigned)(draw(v, PURPOSE_TEXT, v->version) & 0xffffff));
}

/* A GIF of one pixel in a colour of its version, and the version in a comment (GIF89a, 24). */
static void write_image(struct markup *w, const struct page_view *v)
{
	static const char HEAD[] = "GIF89a\1\0\1\0\x80\0\0";
	static const char TAIL[] = ",\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
	uint64_t colour = draw(v, PURPOSE_TEXT, v->version);
	size_t length_at;

	if (w->rc == 0)
		w->rc = buf_add(w->out, (slice){HEAD, sizeof HEAD - 1});
	for (int i = 0; i < 6 && w->rc == 0; i++)
		w->rc = buf_add_char(w->out, (char)(colour >> 8 * i & 0xff));
	markup_put(w, "!\xfe");
	length_at = w->out->len;
	markup_printf(w, "?version %lu", (unsigned long)v->version);
	if (w->rc == 0) {
		w->out->ptr[length_at] = (char)(w->out->len - length_at - 1);
		w->rc = buf_add_char(w->out, '\0');
	}
	if (w->rc == 0)
		w->rc = buf_add(w->out, (slice){TAIL, sizeof TAIL - 1});
}

int page_write(const struct page_view *v, struct buf *body)
{
	struct living_place p = living_place_of(v->model, v->resource);
	struct markup w = {.out = body};

	if (p.kind == LIVING_STYLE)
		write_style(&w, v);
	else if (p.kind == LIVING_IMAGE)
		write_image(&w, v);
	else
		write_html(&w, v, p);
	return w.rc;
}

const char *page_media_type(const struct living_model *m, uint32_t resource)
{
	switch (living_place_of(m, resource).kind) {
	case LIVING_STYLE:
		return "text/css; charset=utf-8";
	case LIVING_IMAGE:
		return "image/gif";
	default:
		return "text/html; charset=utf-8";
	}
}
