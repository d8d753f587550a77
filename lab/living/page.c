#include "living/page.h"

#include <string.h>

#include "living/detail.h"
#include "living/markup.h"
#include "living/noise.h"

enum {
	SENTENCES = 3,
	SENTENCE_WORDS = 9,
	PRICE_MIN = 100, /* cents */
	PRICE_SPAN = 49900,
};

enum purpose {
	PURPOSE_NAME = 100, /* away from those of the model */
	PURPOSE_TEXT,
	PURPOSE_PRICE,
	PURPOSE_VARIANT,
};

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
		markup_words(w, change_mix(v->model->params.seed, PURPOSE_NAME, resource), 2);
}

/* What the page's price is in its version. */
static void put_price(struct markup *w, const struct page_view *v)
{
	unsigned cents = PRICE_MIN + (unsigned)(draw(v, PURPOSE_PRICE, v->version) % PRICE_SPAN);

	markup_printf(w, "<strong id=\"price\">%u.%02u EUR</strong>", cents / 100, cents % 100);
}

/* What stands around the URL of a requisite. */
static const struct {
	const char *before, *after;
} REFERENCES[LIVING_KINDS] = {
	[LIVING_STYLE] = {"<link rel=\"stylesheet\" href=\"", "\">\n"},
	[LIVING_IMAGE] = {"<img src=\"", "\" alt=\"\" width=\"64\" height=\"64\">\n"},
	[LIVING_SCRIPT] = {"<script src=\"", "\" defer></script>\n"},
	[LIVING_FONT] = {"@font-face { font-family: living; src: url(\"", "\") }\n"},
	[LIVING_FRAME] = {"<iframe src=\"", "\" title=\"A frame\"></iframe>\n"},
	[LIVING_BACKGROUND] = {"main { background-image: url(\"", "\") }\n"},
};

static void put_requisites(
	struct markup *w, const struct page_view *v, struct living_place p, enum living_kind kind)
{
	const struct living_model *m = v->model;

	for (size_t i = 1; i <= m->params.requisites; i++) {
		uint32_t resource = living_requisite_resource(m, p.host, p.page, i);

		if (living_place_of(m, resource).kind != kind)
			continue;
		markup_put(w, REFERENCES[kind].before);
		if (living_requisite_host(m, i)) {
			markup_printf(
				w, "http://%s:%u", living_requisite_host(m, i), (unsigned)v->port);
		}
		markup_path(w, m, resource);
		markup_put(w, REFERENCES[kind].after);
	}
}

/* Of those that only style sheets can name. */
static void put_style_requisites(struct markup *w, const struct page_view *v, struct living_place p)
{
	put_requisites(w, v, p, LIVING_FONT);
	put_requisites(w, v, p, LIVING_BACKGROUND);
}

/* The requisite that names them; 0: the page itself. */
static size_t first_style(const struct page_view *v, struct living_place p)
{
	for (size_t i = 1; i <= v->model->params.requisites; i++) {
		uint32_t resource = living_requisite_resource(v->model, p.host, p.page, i);

		if (living_place_of(v->model, resource).kind == LIVING_STYLE)
			return i;
	}
	return 0;
}

static void put_head_requisites(struct markup *w, const struct page_view *v, struct living_place p)
{
	put_requisites(w, v, p, LIVING_STYLE);
	if (v->model->params.requisite_kind_count > 0 && first_style(v, p) == 0) {
		markup_put(w, "<style>\n");
		put_style_requisites(w, v, p);
		markup_put(w, "</style>\n");
	}
	put_requisites(w, v, p, LIVING_SCRIPT);
}

static void put_head(struct markup *w, const struct page_view *v, struct living_place p)
{
	markup_put(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	put_title(w, v, v->resource);
	markup_put(w, "</title>\n");
	put_head_requisites(w, v, p);
	noise_put(w, v, NOISE_HEAD);
	markup_put(w, "</head>\n<body>\n");
}

static void put_sentences(struct markup *w, const struct page_view *v)
{
	markup_put(w, "<p>");
	for (uint64_t i = 0; i < SENTENCES; i++) {
		markup_put(w, i ? " The " : "The ");
		markup_words(w, draw(v, PURPOSE_TEXT, (uint64_t)v->version * SENTENCES + i),
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

static void put_text(struct markup *w, const struct page_view *v, struct living_place p)
{
	if (put_pair(w, v, p))
		return;
	markup_put(w, "<h1>");
	markup_words(w, draw(v, PURPOSE_TEXT, ~(uint64_t)v->version), 4);
	markup_put(w, "</h1>\n");
	if (v->model->layout.theme == LIVING_SHOP) {
		markup_put(w, "<p>Price: ");
		put_price(w, v);
		markup_put(w, "</p>\n");
	}
	put_sentences(w, v);
}

static void put_variant(struct markup *w, const struct page_view *v)
{
	if (!v->variant)
		return;
	markup_printf(w, "<p class=\"variant\">Variant %s: ", v->variant);
	markup_words(w, draw(v, PURPOSE_VARIANT, strlen(v->variant)), 6);
	markup_put(w, ".</p>\n");
}

/* The whole text changes, or all of it stays but for a detail. */
static void put_article(struct markup *w, const struct page_view *v, struct living_place p)
{
	struct page_view first = *v;

	first.version = 1;
	markup_put(w, "<main>\n");
	if (detail_of(v->model, v->resource) == LIVING_DETAIL_TEXT) {
		put_text(w, v, p);
		markup_printf(w, "<p>Version <span id=\"version\">%llu</span></p>\n",
			(unsigned long long)v->version);
	} else {
		put_text(w, &first, p);
		detail_put(w, v);
	}
	put_variant(w, v);
	put_requisites(w, v, p, LIVING_IMAGE);
	put_requisites(w, v, p, LIVING_FRAME);
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

static void write_html(struct markup *w, const struct page_view *v, struct living_place p)
{
	put_head(w, v, p);
	put_article(w, v, p);
	put_links(w, v, p);
	noise_put(w, v, NOISE_NAV);
	noise_put(w, v, NOISE_END);
	markup_put(w, "<footer>A living site");
	noise_put(w, v, NOISE_FOOTER);
	markup_put(w, "</footer>\n</body>\n</html>\n");
}

/* An application that scripts fill: nothing to read without them. */
static void write_shell(struct markup *w, const struct page_view *v, struct living_place p)
{
	put_head(w, v, p);
	markup_put(w, "<noscript>Please enable JavaScript.</noscript>\n<div id=\"root\"></div>\n");
	if (v->shell == LIVING_SHELL_INLINE) {
		markup_put(w, "<script>window.__INITIAL_STATE__ = ");
		if (w->rc == 0)
			w->rc = page_write_data(v, w->out);
		markup_put(w, "</script>\n");
	} else {
		markup_printf(w, "<script>window.source = '/data/%llu.json';</script>\n",
			(unsigned long long)p.page);
	}
	markup_put(w, "<script src=\"/x/app.js\"></script>\n</body>\n</html>\n");
}

static void write_frame(struct markup *w, const struct page_view *v)
{
	markup_put(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>A frame</title>\n");
	noise_put(w, v, NOISE_HEAD);
	markup_put(w, "</head>\n<body>\n");
	put_sentences(w, v);
	markup_printf(w, "<p>Version <span id=\"version\">%llu</span></p>\n",
		(unsigned long long)v->version);
	noise_put(w, v, NOISE_NAV);
	noise_put(w, v, NOISE_END);
	markup_put(w, "<footer>A frame");
	noise_put(w, v, NOISE_FOOTER);
	markup_put(w, "</footer>\n</body>\n</html>\n");
}

int page_write_data(const struct page_view *v, struct buf *body)
{
	struct markup w = {.out = body};

	markup_put(&w, "{\"title\":\"");
	markup_words(&w, draw(v, PURPOSE_TEXT, ~(uint64_t)v->version), 4);
	markup_put(&w, "\",\"text\":\"");
	markup_words(&w, draw(v, PURPOSE_TEXT, (uint64_t)v->version * SENTENCES), SENTENCE_WORDS);
	markup_printf(&w, "\",\"version\":%llu}\n", (unsigned long long)v->version);
	return w.rc;
}

static void write_script(struct markup *w, const struct page_view *v)
{
	markup_printf(w, "/* version %llu */\n", (unsigned long long)v->version);
	markup_printf(w, "document.documentElement.dataset.living = '%016llx';\n",
		(unsigned long long)draw(v, PURPOSE_TEXT, v->version));
}

/* The signature of WOFF2, and a text: nobody draws with it. */
static void write_font(struct markup *w, const struct page_view *v)
{
	markup_printf(w, "wOF2 version %llu\n", (unsigned long long)v->version);
}

static void write_style(struct markup *w, const struct page_view *v, struct living_place p)
{
	markup_printf(w, "/* version %llu */\n", (unsigned long long)v->version);
	markup_printf(w, "main { border-color: #%06x }\n",
		(unsigned)(draw(v, PURPOSE_TEXT, v->version) & 0xffffff));
	if (p.requisite == first_style(v, p))
		put_style_requisites(w, v, p);
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

	switch (p.kind) {
	case LIVING_STYLE:
		write_style(&w, v, p);
		break;
	case LIVING_IMAGE:
	case LIVING_BACKGROUND:
		write_image(&w, v);
		break;
	case LIVING_SCRIPT:
		write_script(&w, v);
		break;
	case LIVING_FONT:
		write_font(&w, v);
		break;
	case LIVING_FRAME:
		write_frame(&w, v);
		break;
	default:
		if (v->shell)
			write_shell(&w, v, p);
		else
			write_html(&w, v, p);
	}
	return w.rc;
}

const char *page_media_type(const struct living_model *m, uint32_t resource)
{
	switch (living_place_of(m, resource).kind) {
	case LIVING_STYLE:
		return "text/css; charset=utf-8";
	case LIVING_IMAGE:
	case LIVING_BACKGROUND:
		return "image/gif";
	case LIVING_SCRIPT:
		return "text/javascript; charset=utf-8";
	case LIVING_FONT:
		return "font/woff2";
	default:
		return "text/html; charset=utf-8";
	}
}
