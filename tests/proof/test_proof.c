/*
 * Pairs of documents: edits, of which every one must be found, and noise, which must be explained
 * by the rule that knows it. Elements and attributes are those of the HTML standard's indices, of
 * SVG's and of MathML's; properties those of CSS. Each pair is compared both ways.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "proof/proof.h"
#include "tap.h"

enum { LOOK_A = 1794947376, LOOK_B = LOOK_A + 600 }; /* 2026-11-17T20:29:36Z, and ten minutes on */

static struct proof_params params_of(slice a, slice b, slice type, bool swapped)
{
	struct proof_look x = {a, type, (int64_t)LOOK_A * 1000000000};
	struct proof_look y = {b, type, (int64_t)LOOK_B * 1000000000};

	return (struct proof_params){.a = swapped ? y : x,
		.b = swapped ? x : y,
		.url = SLICE("https://www.example.org/dir/page"),
		.all = true};
}

/* What must hold of every comparison. */
static void check_result(const struct proof *c)
{
	CHECK(c->same != PROOF_NORMALISED || c->rules.len > 0);
	CHECK(c->same != PROOF_DIFFERENT || c->changed_in != 0 || c->limit);
	if (c->same != PROOF_NORMALISED)
		return;
	for (size_t i = 0; i < c->places.len; i++)
		CHECK(c->places.ptr[i].rule.ptr != NULL);
}

static void show(const struct proof *c)
{
	for (size_t i = 0; i < c->places.len; i++)
		tap_note("%s [%.*s] %.80s -> %.80s", c->places.ptr[i].where.ptr,
			(int)c->places.ptr[i].rule.len,
			c->places.ptr[i].rule.ptr ? c->places.ptr[i].rule.ptr : "",
			c->places.ptr[i].a.ptr ? c->places.ptr[i].a.ptr : "(none)",
			c->places.ptr[i].b.ptr ? c->places.ptr[i].b.ptr : "(none)");
}

/* Both ways; the answer must be the same. Releases nothing that the caller needs. */
static enum proof_same compare(slice a, slice b, slice type, unsigned *ret_in)
{
	struct proof_params forth = params_of(a, b, type, false),
			    back = params_of(a, b, type, true);
	enum proof_same same;
	struct proof c, d;

	CHECK_INT(proof_compare(&forth, &c), 0);
	CHECK_INT(proof_compare(&back, &d), 0);
	check_result(&c);
	CHECK_INT(c.same, d.same);
	CHECK_INT(c.places.len, d.places.len);
	CHECK_INT(c.changed_in, d.changed_in);
	CHECK_INT(c.rules.len, d.rules.len);
	if (ret_in)
		*ret_in = c.changed_in;
	same = c.same;
	if (same == PROOF_NORMALISED && c.duties.len > 0)
		same = PROOF_DIFFERENT; /* unless the resource is the same */
	if (same != PROOF_DIFFERENT && ret_in)
		show(&c);
	proof_release(&c);
	proof_release(&d);
	return same;
}

static const char HEAD[] =
	"<!DOCTYPE html><html lang=\"en\"><head><title>A page</title></head><body>"
	"<h1>A page</h1><p>Some words before it.</p>";
static const char FOOT[] = "<p>Some words behind it.</p></body></html>";

/* Two pages that differ in their middles only. */
static void check_edit(const char *label, const char *a, const char *b)
{
	char x[2048], y[2048];
	unsigned in;

	(void)snprintf(x, sizeof x, "%s%s%s", HEAD, a, FOOT);
	(void)snprintf(y, sizeof y, "%s%s%s", HEAD, b, FOOT);
	if (!CHECK_INT(
		    compare(slice_str(x), slice_str(y), SLICE("text/html"), &in), PROOF_DIFFERENT))
		tap_note("%s: %s -> %s", label, a, b);
}

/* --- elements --- */

static const char *const ELEMENTS[] = {"a", "abbr", "address", "article", "aside", "audio", "b",
	"bdi", "bdo", "blockquote", "button", "canvas", "cite", "code", "data", "datalist", "del",
	"details", "dfn", "dialog", "div", "dl", "em", "fieldset", "figure", "footer", "form", "h1",
	"h2", "h3", "h4", "h5", "h6", "header", "hgroup", "i", "ins", "kbd", "label", "main", "map",
	"mark", "math", "menu", "meter", "nav", "noscript", "object", "ol", "output", "picture",
	"pre", "progress", "q", "ruby", "s", "samp", "search", "section", "select", "slot", "small",
	"span", "strong", "sub", "sup", "svg", "table", "template", "textarea", "time", "u", "ul",
	"var", "video", "acronym", "big", "center", "dir", "font", "marquee", "nobr", "rb", "rtc",
	"strike", "tt", "x-card", "my-price"};

static const char *const VOIDS[] = {"area", "br", "embed", "hr", "img", "input", "link", "meta",
	"source", "track", "wbr", "col", "base"};

static void test_elements(void)
{
	char a[256], b[256];

	for (size_t i = 0; i < ARRAY_LEN(ELEMENTS); i++) {
		const char *e = ELEMENTS[i], *other = strcmp(e, "div") == 0 ? "section" : "div";

		tap_case("edits of the element %s are found", e);
		(void)snprintf(a, sizeof a, "<p>x</p><%s>ten 10 words</%s><p>y</p>", e, e);
		(void)snprintf(b, sizeof b, "<p>x</p><%s>ten 10 words</%s><p>y</p>", other, other);
		check_edit("renamed", a, b);
		check_edit("unwrapped", a, "<p>x</p>ten 10 words<p>y</p>");
		check_edit("removed", a, "<p>x</p><p>y</p>");
		(void)snprintf(b, sizeof b, "<p>x</p><p>y</p><%s>ten 10 words</%s>", e, e);
		check_edit("moved", a, b);
		(void)snprintf(b, sizeof b, "<p>x</p><%s>ten 11 words</%s><p>y</p>", e, e);
		check_edit("a digit in it", a, b);
		(void)snprintf(b, sizeof b, "<p>x</p><%s>ten 10 swords</%s><p>y</p>", e, e);
		check_edit("a letter in it", a, b);
		(void)snprintf(b, sizeof b, "<p>x</p><%s hidden>ten 10 words</%s><p>y</p>", e, e);
		check_edit("hidden", a, b);
		(void)snprintf(b, sizeof b, "<p>x</p><%s>ten 10</%s> words<p>y</p>", e, e);
		check_edit("ends earlier", a, b);
		(void)snprintf(b, sizeof b, "<p>x</p><%s></%s>ten 10 words<p>y</p>", e, e);
		check_edit("empty", a, b);
		(void)snprintf(b, sizeof b, "<p>x</p><%s>ten 10 <b>words</b></%s><p>y</p>", e, e);
		check_edit("bold in it", a, b);
	}
	for (size_t i = 0; i < ARRAY_LEN(VOIDS); i++) {
		tap_case("edits of the element %s are found", VOIDS[i]);
		(void)snprintf(a, sizeof a, "<p>x<%s>y</p>", VOIDS[i]);
		check_edit("removed", a, "<p>xy</p>");
		(void)snprintf(b, sizeof b, "<p>x<%s><%s>y</p>", VOIDS[i], VOIDS[i]);
		check_edit("doubled", a, b);
		(void)snprintf(b, sizeof b, "<p><%s>xy</p>", VOIDS[i]);
		check_edit("moved", a, b);
		(void)snprintf(b, sizeof b, "<p>x<%s title=\"t\">y</p>", VOIDS[i]);
		check_edit("with a title", a, b);
	}
}

/* --- attributes: element, attribute, two values --- */

static const char *const ATTRIBUTES[][4] = {
	{"a", "href", "/a", "/b"},
	{"a", "href", "/a?id=1", "/a?id=2"},
	{"a", "href", "/a#x", "/a#y"},
	{"a", "href", "/a?v=2", "/a?v=3"},
	{"a", "href", "https://a.org/", "https://b.org/"},
	{"a", "href", "/p?sku=8f3a9c1b77aa", "/p?sku=19bd77e02c41"},
	{"a", "href", "mailto:a@b.org", "mailto:c@b.org"},
	{"a", "target", "_blank", "_self"},
	{"a", "rel", "nofollow", "noopener"},
	{"a", "hreflang", "de", "fr"},
	{"a", "type", "a/b", "a/c"},
	{"a", "download", "x.pdf", "y.pdf"},
	{"a", "ping", "/p1", "/p2"},
	{"a", "referrerpolicy", "origin", "no-referrer"},
	{"abbr", "title", "One", "Two"},
	{"area", "alt", "One", "Two"},
	{"area", "coords", "0,0,10,10", "0,0,10,12"},
	{"area", "shape", "rect", "poly"},
	{"audio", "src", "/a.mp3", "/b.mp3"},
	{"audio", "preload", "none", "auto"},
	{"bdo", "dir", "ltr", "rtl"},
	{"blockquote", "cite", "/a", "/b"},
	{"button", "type", "submit", "reset"},
	{"button", "value", "1", "2"},
	{"button", "formaction", "/a", "/b"},
	{"button", "formmethod", "get", "post"},
	{"canvas", "width", "100", "120"},
	{"col", "span", "1", "2"},
	{"data", "value", "17", "18"},
	{"del", "datetime", "2026-01-01", "2026-01-02"},
	{"details", "name", "a", "b"},
	{"form", "action", "/a", "/b"},
	{"form", "method", "get", "post"},
	{"form", "enctype", "text/plain", "multipart/form-data"},
	{"form", "autocomplete", "on", "off"},
	{"iframe", "src", "/a", "/b"},
	{"iframe", "srcdoc", "<p>1", "<p>2"},
	{"iframe", "allow", "camera", "geolocation"},
	{"iframe", "sandbox", "allow-forms", "allow-scripts"},
	{"iframe", "loading", "lazy", "eager"},
	{"iframe", "width", "300", "320"},
	{"img", "alt", "One", "Two"},
	{"img", "src", "/a.png", "/b.png"},
	{"img", "src", "/p/8f3a9c1b77aa.png", "/p/19bd77e02c41.png"},
	{"img", "src", "/a.png?w=100", "/a.png?w=200"},
	{"img", "src", "/a.png?ver=1", "/a.png?ver=2"},
	{"img", "src", "data:image/png;base64,iVBORw0KGgoAAA",
		"data:image/png;base64,iVBORw0KGgoBBB"},
	{"img", "srcset", "/a.png 1x", "/b.png 1x"},
	{"img", "srcset", "/a.png 1x", "/a.png 2x"},
	{"img", "sizes", "100vw", "50vw"},
	{"img", "width", "100", "101"},
	{"img", "height", "100", "99"},
	{"img", "usemap", "#one", "#two"},
	{"img", "loading", "lazy", "eager"},
	{"img", "decoding", "sync", "async"},
	{"img", "crossorigin", "anonymous", "use-credentials"},
	{"input", "type", "text", "email"},
	{"input", "value", "one", "two"},
	{"input", "value", "8f3a9c1b77aa", "19bd77e02c41"},
	{"input", "name", "first", "last"},
	{"input", "placeholder", "One", "Two"},
	{"input", "min", "1", "2"},
	{"input", "max", "10", "20"},
	{"input", "step", "1", "5"},
	{"input", "pattern", "[0-9]+", "[a-z]+"},
	{"input", "maxlength", "10", "12"},
	{"input", "size", "10", "12"},
	{"input", "list", "a", "b"},
	{"input", "accept", ".pdf", ".png"},
	{"input", "autocomplete", "name", "email"},
	{"input", "inputmode", "text", "numeric"},
	{"input", "form", "a", "b"},
	{"ins", "cite", "/a", "/b"},
	{"label", "for", "first", "last"},
	{"li", "value", "3", "4"},
	{"link", "href", "/a.css", "/b.css"},
	{"link", "media", "print", "screen"},
	{"link", "sizes", "16x16", "32x32"},
	{"link", "as", "font", "image"},
	{"link", "hreflang", "de", "fr"},
	{"link", "rel", "next", "prev"},
	{"map", "name", "one", "two"},
	{"meta", "content", "one", "two"},
	{"meta", "content", "0;url=/a", "0;url=/b"},
	{"meta", "http-equiv", "refresh", "x-y"},
	{"meta", "name", "author", "editor"},
	{"meta", "charset", "utf-8", "latin1"},
	{"meter", "value", "0.3", "0.4"},
	{"meter", "max", "1", "2"},
	{"meter", "low", "0.1", "0.2"},
	{"meter", "optimum", "0.1", "0.2"},
	{"object", "data", "/a.svg", "/b.svg"},
	{"object", "type", "image/svg+xml", "image/png"},
	{"ol", "start", "1", "5"},
	{"ol", "type", "1", "a"},
	{"optgroup", "label", "One", "Two"},
	{"option", "value", "1", "2"},
	{"option", "label", "One", "Two"},
	{"output", "for", "a", "b"},
	{"progress", "value", "3", "4"},
	{"q", "cite", "/a", "/b"},
	{"script", "src", "/a.js", "/b.js"},
	{"script", "type", "text/plain", "module"},
	{"script", "src", "/one/app.js", "/two/app.js"},
	{"select", "size", "2", "3"},
	{"slot", "name", "a", "b"},
	{"source", "src", "/a.webm", "/b.webm"},
	{"source", "media", "(min-width: 10em)", "(min-width: 20em)"},
	{"source", "type", "video/webm", "video/mp4"},
	{"td", "colspan", "2", "3"},
	{"td", "rowspan", "2", "3"},
	{"td", "headers", "a", "b"},
	{"td", "align", "left", "right"},
	{"td", "bgcolor", "#ff0000", "#00ff00"},
	{"textarea", "rows", "3", "4"},
	{"textarea", "wrap", "soft", "hard"},
	{"th", "scope", "row", "col"},
	{"th", "abbr", "One", "Two"},
	{"time", "datetime", "2026-11-17", "2026-11-18"},
	{"track", "kind", "subtitles", "captions"},
	{"track", "srclang", "de", "fr"},
	{"track", "label", "One", "Two"},
	{"video", "poster", "/a.jpg", "/b.jpg"},
	{"video", "src", "/v/8f3a9c1b77aa", "/v/19bd77e02c41"},
	{"div", "id", "one", "two"},
	{"div", "id", "post-12345", "post-67890"},
	{"div", "id", "post-482913", "post-517220"},
	{"div", "id", "part-facade", "part-decade"},
	{"div", "id", "rev-51ed2f", "rev-51ee2f"},
	{"div", "id", "section-1", "section-2"},
	{"div", "class", "red", "green"},
	{"div", "class", "col-6", "col-4"},
	{"div", "class", "mt-3", "mt-4"},
	{"div", "class", "btn-2x", "btn-3x"},
	{"div", "class", "h1", "h2"},
	{"div", "class", "status-1", "status-2"},
	{"div", "class", "in stock", "out stock"},
	{"div", "class", "btn__label--large", "btn__label--small"},
	{"div", "class", "css-grid1", "css-flex2"},
	{"div", "class", "w-100px", "w-200px"},
	{"div", "class", "node-12345", "node-67890"},
	{"div", "class", "bg-ff0000", "bg-00ff00"},
	{"div", "style", "width: 10%", "width: 90%"},
	{"div", "style", "color: #bf4eff", "color: #1a2b3c"},
	{"div", "style", "display: none", "display: block"},
	{"div", "lang", "de", "en"},
	{"div", "dir", "ltr", "rtl"},
	{"div", "title", "One", "Two"},
	{"div", "tabindex", "0", "1"},
	{"div", "accesskey", "a", "b"},
	{"div", "contenteditable", "true", "false"},
	{"div", "draggable", "true", "false"},
	{"div", "hidden", "", "until-found"},
	{"div", "role", "button", "link"},
	{"div", "aria-label", "One", "Two"},
	{"div", "aria-hidden", "true", "false"},
	{"div", "aria-expanded", "true", "false"},
	{"div", "aria-valuenow", "10", "11"},
	{"div", "aria-describedby", "one", "two"},
	{"div", "itemprop", "price", "name"},
	{"div", "itemtype", "https://a/b", "https://a/c"},
	{"div", "itemid", "urn:1", "urn:2"},
	{"div", "itemref", "a", "b"},
	{"div", "spellcheck", "true", "false"},
	{"div", "translate", "yes", "no"},
	{"div", "inputmode", "text", "url"},
	{"div", "part", "a", "b"},
	{"div", "slot", "a", "b"},
	{"div", "onclick", "buy(1)", "buy(2)"},
	{"div", "onclick", "a()", "b()"},
	{"div", "onload", "x=1", "x=2"},
	{"div", "data-price", "10", "11"},
	{"div", "data-id", "48213", "59302"},
	{"div", "data-id", "8f3a9c1b77aa", "19bd77e02c41"},
	{"div", "data-video", "0371e6f3-b512-4bdb-8ae2-740bdf2b6d91",
		"ca1c47cb-60e2-44c0-be9e-2012f4dacca3"},
	{"div", "data-count", "5", "6"},
	{"div", "data-x", "one", "two"},
	{"div", "data-options", "{\"a\":1}", "{\"a\":2}"},
	{"div", "data-src", "/a.png", "/b.png"},
	{"div", "data-token-price", "12345678", "87654321"},
	{"div", "data-session", "Morning", "Evening"},
	{"div", "data-hash", "8f3a9c1b77aa19bd", "19bd77e02c418f3a"},
	{"div", "data-version", "1.2.3", "1.2.4"},
	{"div", "data-etag", "8f3a9c1b77aa", "19bd77e02c41"},
	{"div", "nonce", "word", "other"},
	{"div", "is", "x-a", "x-b"},
	{"x-card", "price", "10", "11"},
	{"x-card", "open", "open", ""},
	{"svg", "viewBox", "0 0 10 10", "0 0 10 12"},
	{"svg", "width", "10", "12"},
	{"math", "display", "block", "inline"},
	{"font", "color", "red", "blue"},
	{"font", "size", "1", "2"},
	{"table", "border", "0", "1"},
	{"body", "background", "/a.png", "/b.png"},
	{"base", "href", "/a/", "/b/"},
	{"base", "target", "_top", "_self"},
};

static const char *const BOOLEANS[][2] = {{"script", "async"}, {"script", "defer"},
	{"input", "disabled"}, {"input", "checked"}, {"option", "selected"}, {"input", "readonly"},
	{"input", "required"}, {"select", "multiple"}, {"div", "hidden"}, {"input", "autofocus"},
	{"video", "autoplay"}, {"video", "controls"}, {"video", "loop"}, {"video", "muted"},
	{"form", "novalidate"}, {"details", "open"}, {"dialog", "open"}, {"ol", "reversed"},
	{"img", "ismap"}, {"script", "nomodule"}, {"iframe", "allowfullscreen"},
	{"div", "itemscope"}, {"track", "default"}, {"div", "inert"}, {"a", "download"},
	{"video", "playsinline"}};

static void test_attributes(void)
{
	char a[512], b[512], plain[128];

	for (size_t i = 0; i < ARRAY_LEN(ATTRIBUTES); i++) {
		const char *e = ATTRIBUTES[i][0], *name = ATTRIBUTES[i][1];

		tap_case("edits of %s %s=%.24s are found", e, name, ATTRIBUTES[i][2]);
		(void)snprintf(a, sizeof a, "<%s %s='%s'>x</%s>", e, name, ATTRIBUTES[i][2], e);
		(void)snprintf(b, sizeof b, "<%s %s='%s'>x</%s>", e, name, ATTRIBUTES[i][3], e);
		(void)snprintf(plain, sizeof plain, "<%s>x</%s>", e, e);
		check_edit("changed", a, b);
		check_edit("added", plain, b);
		check_edit("removed", a, plain);
		(void)snprintf(b, sizeof b, "<%s %s=''>x</%s>", e, name, e);
		if (ATTRIBUTES[i][2][0])
			check_edit("emptied", a, b);
		(void)snprintf(
			b, sizeof b, "<%s data-new %s='%s'>x</%s>", e, name, ATTRIBUTES[i][2], e);
		check_edit("beside another", a, b);
	}
	for (size_t i = 0; i < ARRAY_LEN(BOOLEANS); i++) {
		const char *e = BOOLEANS[i][0];

		tap_case("%s %s is found", e, BOOLEANS[i][1]);
		(void)snprintf(a, sizeof a, "<%s class=c>x</%s>", e, e);
		(void)snprintf(b, sizeof b, "<%s %s class=c>x</%s>", e, BOOLEANS[i][1], e);
		check_edit("toggled", a, b);
	}
}

/* --- properties of CSS: name, two values --- */

static const char *const PROPERTIES[][3] = {{"color", "red", "green"},
	{"color", "#bf4eff", "#1a2b3c"}, {"background", "#fff", "#eee"},
	{"background-color", "rgb(1,2,3)", "rgb(1,2,4)"},
	{"background-image", "url(/a.png)", "url(/b.png)"},
	{"background-image", "url(a1b2c3d4e5f6.png)", "url(f6e5d4c3b2a1.png)"},
	{"background-position", "0 0", "0 1px"}, {"background-size", "cover", "contain"},
	{"border", "1px solid", "2px solid"}, {"border-radius", "3px", "4px"},
	{"bottom", "0", "1px"}, {"box-shadow", "none", "0 0 1px"},
	{"clip-path", "circle(10%)", "circle(20%)"}, {"content", "\"In stock\"", "\"Sold out\""},
	{"content", "\"1\"", "\"2\""}, {"cursor", "auto", "pointer"}, {"direction", "ltr", "rtl"},
	{"display", "none", "block"}, {"filter", "none", "blur(1px)"}, {"flex", "1", "2"},
	{"float", "left", "right"}, {"font", "12px a", "13px a"},
	{"font-family", "serif", "sans-serif"}, {"font-size", "1em", "2em"},
	{"font-style", "normal", "italic"}, {"font-weight", "400", "700"}, {"gap", "1px", "2px"},
	{"grid-template-columns", "1fr 1fr", "1fr 2fr"}, {"height", "10px", "20px"},
	{"justify-content", "start", "end"}, {"left", "0", "1px"}, {"letter-spacing", "0", "1px"},
	{"line-height", "1", "1.5"}, {"list-style", "none", "disc"}, {"margin", "0", "1px"},
	{"margin-top", "0", "-1px"}, {"max-width", "10em", "20em"}, {"opacity", "0", "1"},
	{"order", "1", "2"}, {"outline", "none", "1px solid"}, {"overflow", "hidden", "auto"},
	{"padding", "0", "1px"}, {"position", "static", "fixed"}, {"right", "0", "1px"},
	{"text-align", "left", "right"}, {"text-decoration", "none", "line-through"},
	{"text-transform", "none", "uppercase"}, {"top", "0", "1px"},
	{"transform", "none", "rotate(1deg)"}, {"transition", "all 1s", "all 2s"},
	{"vertical-align", "top", "sub"}, {"visibility", "hidden", "visible"},
	{"white-space", "normal", "pre"}, {"width", "10%", "11%"},
	{"width", "calc(1px + 2px)", "calc(1px - 2px)"}, {"word-break", "normal", "break-all"},
	{"z-index", "1", "2"}, {"animation", "a 1s", "b 1s"}, {"--main", "1px", "2px"},
	{"font", "500 12px/1 \"A B\"", "600 12px/1 \"A B\""}, {"margin", "1px 2px", "1px2px"},
	{"src", "url(/a.woff2)", "url(/b.woff2)"}};

static const char *const SHEETS[][2] = {{".a .b{top:0}", ".a.b{top:0}"},
	{"a :hover{top:0}", "a:hover{top:0}"}, {".a{top:0}", ".b{top:0}"},
	{"#a{top:0}", "#b{top:0}"}, {"a>b{top:0}", "a b{top:0}"},
	{"@media print{a{top:0}}", "@media screen{a{top:0}}"},
	{"a{top:0}b{top:1px}", "b{top:1px}a{top:0}"}, {"a{top:0}", "a{top:0!important}"},
	{"a{top:0;left:0}", "a{top:0}"}, {"@import 'a.css';", "@import 'b.css';"},
	{"a::before{content:'x'}", "a::after{content:'x'}"}, {"a[href]{top:0}", "a[src]{top:0}"},
	{"li:nth-child(2){top:0}", "li:nth-child(3){top:0}"}, {".m-1{top:0}", ".m-2{top:0}"},
	{"@font-face{font-family:a}", "@font-face{font-family:b}"},
	{"@keyframes a{0%{top:0}}", "@keyframes a{1%{top:0}}"},
	{"a{color:#a1b2c3}", "a{color:#d4e5f6}"}, {"a{x:a1b2c3d4e5}", "a{x:f6e7d8c9b0}"}};

static void check_type(const char *label, slice type, const char *a, const char *b)
{
	unsigned in;

	if (!CHECK_INT(compare(slice_str(a), slice_str(b), type, &in), PROOF_DIFFERENT))
		tap_note("%s: %s -> %s", label, a, b);
}

static void test_styles(void)
{
	char a[256], b[256];

	for (size_t i = 0; i < ARRAY_LEN(PROPERTIES); i++) {
		const char *name = PROPERTIES[i][0], *x = PROPERTIES[i][1], *y = PROPERTIES[i][2];

		tap_case("edits of the property %s: %s are found", name, x);
		(void)snprintf(a, sizeof a, "p { %s: %s; }", name, x);
		(void)snprintf(b, sizeof b, "p { %s: %s; }", name, y);
		check_type("sheet", SLICE("text/css"), a, b);
		(void)snprintf(b, sizeof b, "p { x%s: %s; }", name, x);
		check_type("renamed", SLICE("text/css"), a, b);
		check_type("removed", SLICE("text/css"), a, "p { }");
		(void)snprintf(a, sizeof a, "<style>p { %s: %s; }</style>", name, x);
		(void)snprintf(b, sizeof b, "<style>p { %s: %s; }</style>", name, y);
		check_edit("style element", a, b);
		(void)snprintf(a, sizeof a, "<p style='%s: %s'>x</p>", name, x);
		(void)snprintf(b, sizeof b, "<p style='%s: %s'>x</p>", name, y);
		check_edit("style attribute", a, b);
	}
	for (size_t i = 0; i < ARRAY_LEN(SHEETS); i++) {
		tap_case("the edit of the style sheet %s is found", SHEETS[i][0]);
		check_type("sheet", SLICE("text/css; charset=utf-8"), SHEETS[i][0], SHEETS[i][1]);
		(void)snprintf(a, sizeof a, "<style>%s</style>", SHEETS[i][0]);
		(void)snprintf(b, sizeof b, "<style>%s</style>", SHEETS[i][1]);
		check_edit("element", a, b);
	}
}

/* --- edits of pages, by hand --- */

static const struct {
	const char *label, *a, *b;
} EDITS[] = {
	{"struck through", "<p>Price: 10</p>", "<p>Price: <s>10</s></p>"},
	{"a power", "<p>10<sup>9</sup></p>", "<p>109</p>"},
	{"another column", "<table><tr><td>7</td><td></td></tr></table>",
		"<table><tr><td></td><td>7</td></tr></table>"},
	{"rows swapped", "<table><tr><td>7</td></tr><tr><td>8</td></tr></table>",
		"<table><tr><td>8</td></tr><tr><td>7</td></tr></table>"},
	{"th for td", "<table><tr><th>7</th></tr></table>", "<table><tr><td>7</td></tr></table>"},
	{"ul for ol", "<ul><li>1</li></ul>", "<ol><li>1</li></ol>"},
	{"heading level", "<h2>x</h2>", "<h3>x</h3>"},
	{"indentation of code", "<pre>if x:\n  y\nz</pre>", "<pre>if x:\n  y\n  z</pre>"},
	{"line of code", "<pre>a\nb</pre>", "<pre>a b</pre>"},
	{"tab in code", "<pre>a\tb</pre>", "<pre>a    b</pre>"},
	{"code in pre", "<pre><code>a\n b</code></pre>", "<pre><code>a\n  b</code></pre>"},
	{"textarea", "<textarea>a  b</textarea>", "<textarea>a b</textarea>"},
	{"white-space by attribute", "<p style='white-space: pre-wrap'>a  b</p>",
		"<p style='white-space: pre-wrap'>a b</p>"},
	{"white-space by class", "<style>.x{white-space:pre}</style><p class=x>a  b</p>",
		"<style>.x{white-space:pre}</style><p class=x>a b</p>"},
	{"white-space by element", "<style>main p , q{white-space:pre-line}</style><p>a\nb</p>",
		"<style>main p , q{white-space:pre-line}</style><p>a b</p>"},
	{"white-space by an attribute selector",
		"<style>[data-x]{white-space:pre}</style><p data-x>a  b</p>",
		"<style>[data-x]{white-space:pre}</style><p data-x>a b</p>"},
	{"white-space by a sheet", "<link rel=stylesheet href=/s.css><p class=msg>a  b</p>",
		"<link rel=stylesheet href=/s.css><p class=msg>a b</p>"},
	{"first line below a sheet",
		"<link rel=stylesheet href=/s.css><div class=verse>\n  a</div>",
		"<link rel=stylesheet href=/s.css><div class=verse>\n    a</div>"},
	{"last line below a sheet", "<link rel=stylesheet href=/s.css><div class=verse>a\n</div>",
		"<link rel=stylesheet href=/s.css><div class=verse>a\n\n</div>"},
	{"line's end that appears below a sheet", "<link rel=stylesheet href=/s.css><p>a</p>",
		"<link rel=stylesheet href=/s.css><p>\na</p>"},
	{"first line in an inline element below a sheet",
		"<link rel=stylesheet href=/s.css><div>\n <b>a</b></div>",
		"<link rel=stylesheet href=/s.css><div>\n  <b>a</b></div>"},
	{"line behind an inline element below a sheet",
		"<link rel=stylesheet href=/s.css><div><b>a</b>\n</div>",
		"<link rel=stylesheet href=/s.css><div><b>a</b>\n\n</div>"},
	{"blank between words", "<p>a b</p>", "<p>ab</p>"},
	{"blank before an inline element", "<p>a <b>b</b></p>", "<p>a<b>b</b></p>"},
	{"blank behind an inline element", "<p><b>a</b> b</p>", "<p><b>a</b>b</p>"},
	{"blank between inline elements", "<p><b>a</b> <i>b</i></p>", "<p><b>a</b><i>b</i></p>"},
	{"blank beside a picture", "<p>a <img src=/x.png></p>", "<p>a<img src=/x.png></p>"},
	{"blank between buttons", "<button>a</button> <button>b</button>",
		"<button>a</button><button>b</button>"},
	{"blank between inline blocks",
		"<style>li{display:inline-block}</style><ul><li>a</li> <li>b</li></ul>",
		"<style>li{display:inline-block}</style><ul><li>a</li><li>b</li></ul>"},
	{"no-break space", "<p>a&nbsp;b</p>", "<p>a b</p>"},
	{"two no-break spaces", "<p>a&nbsp;&nbsp;b</p>", "<p>a&nbsp;b</p>"},
	{"zero width space", "<p>a&#8203;b</p>", "<p>ab</p>"},
	{"case of a letter", "<p>March</p>", "<p>march</p>"},
	{"a dot", "<p>1.000</p>", "<p>1,000</p>"},
	{"a sign", "<p>-5</p>", "<p>5</p>"},
	{"a quote", "<p>\"x\"</p>", "<p>'x'</p>"},
	{"an accent", "<p>caf\xc3\xa9</p>", "<p>cafe</p>"},
	{"a date", "<p>17 November 2026</p>", "<p>18 November 2026</p>"},
	{"a modified date", "<p>This page was last modified on 17 November 2026, at 20:29.</p>",
		"<p>This page was last modified on 17 November 2026, at 20:31.</p>"},
	{"a counter", "<p>This page has been accessed 1,234 times.</p>",
		"<p>This page has been accessed 1,235 times.</p>"},
	{"a count", "<p>7,105 tests</p>", "<p>7,217 tests</p>"},
	{"a price", "<p>1,00&euro;</p>", "<p>2,00&euro;</p>"},
	{"a version", "<p>2.4.1</p>", "<p>2.4.2</p>"},
	{"a task in whole seconds", "<p>Request took 3 seconds for the mayor</p>",
		"<p>Request took 5 seconds for the mayor</p>"},
	{"generated classes that change places",
		"<div class='css-1a2b3 x'>a</div><div class='css-9z8y7'>b</div>",
		"<div class='css-9z8y7 x'>a</div><div class='css-1a2b3'>b</div>"},
	{"a long task", "<p>The flight took 3 seconds</p>", "<p>The flight took 4 seconds</p>"},
	{"an age that does not fit", "<p>3 minutes ago</p>", "<p>2 hours ago</p>"},
	{"an age that goes back", "<p>30 minutes ago</p>", "<p>5 minutes ago</p>"},
	{"a generated time that does not fit", "<p>Page generated on 2026-11-17 20:29:36 +0000</p>",
		"<p>Page generated on 2026-11-19 20:29:36 +0000</p>"},
	{"words beside a footer", "<p>Page generated in 0.01 seconds. Buy</p>",
		"<p>Page generated in 0.02 seconds. Sell</p>"},
	{"a tweet's time", "<p>Posted at 20:29</p>", "<p>Posted at 20:39</p>"},
	{"script number", "<script>var timeout=5000;</script>",
		"<script>var timeout=6000;</script>"},
	{"script string", "<script>var city='Rome';</script>", "<script>var city='Oslo';</script>"},
	{"chart data", "<script>draw([1,2,3]);</script>", "<script>draw([1,2,4]);</script>"},
	{"comment count", "<script>var commentCount=5;</script>",
		"<script>var commentCount=6;</script>"},
	{"feature flag", "<script>var beta=true;</script>", "<script>var beta=false;</script>"},
	{"version in a script", "<script>var version='1.2.3';</script>",
		"<script>var version='1.2.4';</script>"},
	{"uuid of a video", "<script>play({video:'0371e6f3-b512-4bdb-8ae2-740bdf2b6d91'})</script>",
		"<script>play({video:'ca1c47cb-60e2-44c0-be9e-2012f4dacca3'})</script>"},
	{"an id of a document", "<script>doc.id='8f3a9c1b77aa19bd77e02c41'</script>",
		"<script>doc.id='19bd77e02c418f3a9c1b77aa'</script>"},
	{"price of a token", "<script>var tokenPrice=12345678;</script>",
		"<script>var tokenPrice=87654321;</script>"},
	{"session name", "<script>var session='Morning 12:00';</script>",
		"<script>var session='Evening 18:00';</script>"},
	{"nonce word", "<script>var nonceWord='apple';</script>",
		"<script>var nonceWord='melon';</script>"},
	{"short token", "<script>var token='gold';</script>", "<script>var token='blue';</script>"},
	{"one character of a token", "<script>var csrfToken='8f3a9c1b77aa19bd';</script>",
		"<script>var csrfToken='8f3a9c1b77ab19bd';</script>"},
	{"a line's end behind return", "<script>function f(){return\n1}</script>",
		"<script>function f(){return 1}</script>"},
	{"operators", "<script>a = b + +c</script>", "<script>a = b ++c</script>"},
	{"regular expression", "<script>x=/a\\/\\/b/.test(y)</script>",
		"<script>x=/a\\/\\/c/.test(y)</script>"},
	{"behind slashes in a literal", "<script>u=/[//]/;v=1</script>",
		"<script>u=/[//]/;v=2</script>"},
	{"slashes in a string", "<script>u='//';v=1</script>", "<script>u='//';v=2</script>"},
	{"slashes in a template", "<script>u=`//\n`;v=`// 1`</script>",
		"<script>u=`//\n`;v=`// 2`</script>"},
	{"comment marks in a template", "<script>u=`/* 1 */`</script>",
		"<script>u=`/* 2 */`</script>"},
	{"behind a brace and a slash", "<script>x={}/1;y='//1'</script>",
		"<script>x={}/1;y='//2'</script>"},
	{"after a condition", "<script>if(a)/'/.test(b)//'1'\n</script>",
		"<script>if(a)/\"/.test(b)//'1'\n</script>"},
	{"source map", "<script>//# sourceMappingURL=a.map\n</script>",
		"<script>//# sourceMappingURL=b.map\n</script>"},
	{"template", "<script type=text/template><p>1</p></script>",
		"<script type=text/template><p>2</p></script>"},
	{"TeX", "<script type=math/tex>x^2 % c</script>", "<script type=math/tex>x^3 % c</script>"},
	{"import map", "<script type=importmap>{\"imports\":{\"a\":\"/a.js\"}}</script>",
		"<script type=importmap>{\"imports\":{\"a\":\"/b.js\"}}</script>"},
	{"order of scripts", "<script>a()</script><script>b()</script>",
		"<script>b()</script><script>a()</script>"},
	{"JSON-LD price", "<script type=application/ld+json>{\"price\":\"10.00\"}</script>",
		"<script type=application/ld+json>{\"price\":\"12.00\"}</script>"},
	{"JSON-LD date",
		"<script type=application/ld+json>{\"startDate\":\"2026-11-17T20:00\"}</script>",
		"<script type=application/ld+json>{\"startDate\":\"2026-11-17T20:10\"}</script>"},
	{"availability", "<link itemprop=availability href=https://schema.org/InStock>",
		"<link itemprop=availability href=https://schema.org/OutOfStock>"},
	{"hidden product", "<input type=hidden name=product_id value=12345678>",
		"<input type=hidden name=product_id value=87654321>"},
	{"hidden price", "<input type=hidden name=price value=10.00>",
		"<input type=hidden name=price value=12.00>"},
	{"hidden uuid", "<input type=hidden name=item value=0371e6f3-b512-4bdb-8ae2-740bdf2b6d91>",
		"<input type=hidden name=item value=ca1c47cb-60e2-44c0-be9e-2012f4dacca3>"},
	{"policy", "<meta http-equiv=Content-Security-Policy content=\"img-src a\">",
		"<meta http-equiv=Content-Security-Policy content=\"img-src b\">"},
	{"description", "<meta name=description content=\"One\">",
		"<meta name=description content=\"Two\">"},
	{"picture of the page", "<meta property=og:image content=/a/8f3a9c1b77aa.png>",
		"<meta property=og:image content=/a/19bd77e02c41.png>"},
	{"order of pictures",
		"<meta property=og:image content=/a.png><meta property=og:image content=/b.png>",
		"<meta property=og:image content=/b.png><meta property=og:image content=/a.png>"},
	{"conditional comment", "<!--[if IE]><p>a</p><![endif]-->",
		"<!--[if IE]><p>b</p><![endif]-->"},
	{"server side include", "<!--#include virtual=\"a\"-->", "<!--#include virtual=\"b\"-->"},
	{"knockout", "<!-- ko if: a --><p>x</p><!-- /ko -->",
		"<!-- ko if: b --><p>x</p><!-- /ko -->"},
	{"in noscript", "<noscript><p>a</p></noscript>", "<noscript><p>b</p></noscript>"},
	{"in template", "<template><p>a</p></template>", "<template><p>b</p></template>"},
	{"svg geometry", "<svg><rect width=10 height=5 /></svg>",
		"<svg><rect width=12 height=5 /></svg>"},
	{"svg path", "<svg><path d='M0 0L10 10'/></svg>", "<svg><path d='M0 0L10 12'/></svg>"},
	{"svg colour", "<svg><path fill='#bf4eff'/></svg>", "<svg><path fill='#1a2b3c'/></svg>"},
	{"svg text", "<svg><text>a <tspan>b</tspan></text></svg>",
		"<svg><text>a<tspan>b</tspan></text></svg>"},
	{"svg points", "<svg><polyline points='0,0 1,1'/></svg>",
		"<svg><polyline points='0,0 1,2'/></svg>"},
	{"svg transform", "<svg><g transform='rotate(1)'/></svg>",
		"<svg><g transform='rotate(2)'/></svg>"},
	{"mathml", "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>",
		"<math><mfrac><mn>1</mn><mn>3</mn></mfrac></math>"},
	{"mathml element", "<math><msup><mi>x</mi><mn>2</mn></msup></math>",
		"<math><msub><mi>x</mi><mn>2</mn></msub></math>"},
	{"radio chosen", "<input type=radio name=a checked><input type=radio name=a>",
		"<input type=radio name=a><input type=radio name=a checked>"},
	{"label for another", "<label for=first>x</label>", "<label for=last>x</label>"},
	{"classes swapped", "<p class=red>a</p><p class=green>b</p>",
		"<p class=green>a</p><p class=red>b</p>"},
	{"generated classes with other styles",
		"<style>.css-1x2y3z{color:red}</style><p class=css-1x2y3z>a</p>",
		"<style>.css-9k8w7v{color:blue}</style><p class=css-9k8w7v>a</p>"},
	{"generated names, not one for one",
		"<p id=x8f3a9c1b77aa>a</p><p class=x8f3a9c1b77aa>b</p>",
		"<p id=x19bd77e02c41>a</p><p class=x55aa66bb77cc>b</p>"},
	{"a name that stays in the page", "<p id=x8f3a9c1b77aa>a</p>",
		"<p id=x19bd77e02c41>a</p><a href=\"#x8f3a9c1b77aa\">b</a>"},
	{"classes exchanged", "<p class=x8f3a9c1b77aa>a</p><p class=x19bd77e02c41>b</p>",
		"<p class=x19bd77e02c41>a</p><p class=x8f3a9c1b77aa>b</p><i></i>"},
	{"tag that does not end", "<p>a</p><p title=\"one", "<p>a</p><p title=\"two"},
	{"element repeated", "<li>a</li>", "<li>a</li><li>a</li>"},
	{"e-mail address", "<a href=\"/cdn-cgi/l/email-protection#422302206c2d3025\">x</a>",
		"<a href=\"/cdn-cgi/l/email-protection#432003216d2c3124\">x</a>"},
	{"data in base64", "<script>var configToken='eyJjb2xvciI6InJlZCIsIm4iOjF9';</script>",
		"<script>var configToken='eyJjb2xvciI6ImJsdSIsIm4iOjJ9';</script>"},
	{"cookie banner", "<div id=consent>Accept</div>", ""},
	{"integrity of nothing", "<script integrity=sha384-AbCdEf0123456789>x()</script>",
		"<script integrity=sha384-ZyXwVu9876543210>x()</script>"},
	{"picture by a hash", "<img src=/i/logo-8f3a9c1b.png>", "<img src=/i/logo-19bd77e0.png>"},
	{"prices as parameters", "<script src=\"/w.js?price=10\"></script>",
		"<script src=\"/w.js?price=12\"></script>"},
};

static void test_edits(void)
{
	for (size_t i = 0; i < ARRAY_LEN(EDITS); i++) {
		tap_case("edit: %s", EDITS[i].label);
		check_edit(EDITS[i].label, EDITS[i].a, EDITS[i].b);
	}
}

/* --- documents of other types --- */

static const struct {
	const char *label, *type, *a, *b;
} OTHERS[] = {
	{"number", "application/json", "{\"a\":1}", "{\"a\":2}"},
	{"string", "application/json", "{\"a\":\"x\"}", "{\"a\":\"y\"}"},
	{"true", "application/json", "{\"a\":true}", "{\"a\":false}"},
	{"null", "application/json", "{\"a\":null}", "{\"a\":0}"},
	{"list", "application/json", "{\"a\":[1,2]}", "{\"a\":[2,1]}"},
	{"key", "application/json", "{\"a\":1}", "{\"b\":1}"},
	{"order of keys", "application/json", "{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"},
	{"more", "application/json", "{\"a\":1}", "{\"a\":1,\"b\":2}"},
	{"empty", "application/json", "{\"a\":{}}", "{\"a\":[]}"},
	{"exponent", "application/json", "{\"a\":1e3}", "{\"a\":1e4}"},
	{"minus", "application/json", "{\"a\":-1}", "{\"a\":1}"},
	{"string for number", "application/json", "{\"a\":1}", "{\"a\":\"1\"}"},
	{"id", "application/ld+json", "{\"@id\":\"8f3a9c1b77aa\"}", "{\"@id\":\"19bd77e02c41\"}"},
	{"html in json", "application/json", "{\"html\":\"<p>a</p>\"}", "{\"html\":\"<p>b</p>\"}"},
	{"blank in json", "application/json", "{\"a\":\"x y\"}", "{\"a\":\"x  y\"}"},
	{"manifest", "application/manifest+json", "{\"name\":\"A\"}", "{\"name\":\"B\"}"},
	{"code", "text/javascript", "f(1)", "f(2)"},
	{"name", "text/javascript", "f()", "g()"},
	{"operator", "text/javascript", "a<b", "a>b"},
	{"case", "application/xml", "<a><B/></a>", "<a><b/></a>"},
	{"attribute", "application/xml", "<a b=\"1\"/>", "<a b=\"2\"/>"},
	{"text", "application/rss+xml", "<rss><title>a</title></rss>",
		"<rss><title>b</title></rss>"},
	{"pubDate", "application/rss+xml",
		"<rss><pubDate>Tue, 17 Nov 2026 20:29:36 GMT</pubDate></rss>",
		"<rss><pubDate>Tue, 17 Nov 2026 20:39:36 GMT</pubDate></rss>"},
	{"CDATA", "application/xml", "<a><![CDATA[x  y]]></a>", "<a><![CDATA[x y]]></a>"},
	{"blanks of a text", "application/xml", "<a>x  y</a>", "<a>x y</a>"},
	{"instruction", "application/xml", "<?xml-stylesheet href=\"a\"?><a/>",
		"<?xml-stylesheet href=\"b\"?><a/>"},
	{"svg", "image/svg+xml", "<svg><circle r=\"1\"/></svg>", "<svg><circle r=\"2\"/></svg>"},
	{"plain", "text/plain", "one\ntwo\n", "one\nthree\n"},
	{"plain blanks", "text/plain", "a  b", "a b"},
	{"plain line", "text/plain", "a\n", "a\n\n"},
	{"opaque", "application/pdf", "a", "b"},
	{"picture", "image/png", "a", "b"},
	{"bytes of a wrong charset", "text/html; charset=utf-8", "<p>\xe9t\xe9</p>",
		"<p>\xe8t\xe8</p>"},
	{"emptied", "text/html", "<p>a</p>", " "},
};

static void test_other_types(void)
{
	unsigned in;

	for (size_t i = 0; i < ARRAY_LEN(OTHERS); i++) {
		tap_case("edit of %s: %s", OTHERS[i].type, OTHERS[i].label);
		CHECK_INT(compare(slice_str(OTHERS[i].a), slice_str(OTHERS[i].b),
				  slice_str(OTHERS[i].type), &in),
			PROOF_DIFFERENT);
	}
}

/* --- edits that some rule might hide, and noise that one must know --- */

/* Replaces what stands for a line's end and for prose. */
static void unfold(slice cell, struct buf *out)
{
	static const slice LINE = SLICE_INIT("␤"), PROSE = SLICE_INIT("¶");

	buf_reset(out);
	while (cell.len) {
		if (slice_starts_with(cell, LINE)) {
			CHECK_INT(buf_add_char(out, '\n'), 0);
			cell = slice_sub(cell, LINE.len, cell.len);
		} else if (slice_starts_with(cell, PROSE)) {
			for (int i = 0; i < 60; i++)
				CHECK_INT(buf_add_str(out, "More prose follows here.\n"), 0);
			cell = slice_sub(cell, PROSE.len, cell.len);
		} else {
			CHECK_INT(buf_add_char(out, cell.ptr[0]), 0);
			cell = slice_sub(cell, 1, cell.len);
		}
	}
}

static void check_row(slice row, const char *what, enum proof_same want)
{
	slice type = slice_take(&row, '\t'), gap = slice_take(&row, '\t');
	slice label = slice_take(&row, '\t'), before = slice_take(&row, '\t');
	struct proof_params forth, back;
	struct buf a, b, page;
	struct proof c, d;

	tap_case("%s of %.*s: %.*s", what, (int)type.len, type.ptr, (int)label.len, label.ptr);
	buf_init(&a, 1 << 16);
	buf_init(&b, 1 << 16);
	buf_init(&page, 1 << 16);
	for (int side = 0; side < 2; side++) {
		bool is_page = slice_eq(type, SLICE("text/html"));

		unfold(side ? row : before, &page);
		CHECK_INT(buf_printf(side ? &b : &a, "%s%s%s", is_page ? HEAD : "", buf_str(&page),
				  is_page ? FOOT : ""),
			0);
	}
	forth = params_of(buf_slice(&a), buf_slice(&b), type, false);
	forth.b.time = forth.a.time + strtoll(gap.ptr, NULL, 10) * 1000000000;
	back = forth;
	back.a = forth.b;
	back.b = forth.a;
	CHECK_INT(proof_compare(&forth, &c), 0);
	CHECK_INT(proof_compare(&back, &d), 0);
	if (!CHECK_INT(c.same, want))
		show(&c);
	CHECK_INT(d.same, want);
	proof_release(&c);
	proof_release(&d);
	buf_release(&a);
	buf_release(&b);
	buf_release(&page);
}

/* Rows of a file in this directory. */
static void test_rows(const char *name, const char *what, enum proof_same want, size_t least)
{
	static char text[256 << 10];
	char path[1024];
	size_t rows = 0;
	slice rest;
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/tests/proof/%s", tap_srcdir(), name);
	file = fopen(path, "r");
	if (!CHECK(file != NULL))
		return;
	rest = (slice){text, fread(text, 1, sizeof text, file)};
	(void)fclose(file);
	while (rest.len) {
		slice row = slice_take(&rest, '\n');

		if (row.len && row.ptr[0] != '#') {
			check_row(row, what, want);
			rows++;
		}
	}
	CHECK(rows >= least);
}

/* --- bodies that may be cut off --- */

static const struct {
	const char *type, *a, *b; /* the same but for noise, and all of it */
} WHOLE[] = {
	{"text/html",
		"<!DOCTYPE html><html><head><title></html></title><script nonce=k7QzR2mXw9Lp4TnB>"
		"s = '</html>'</script><style>/*</html>*/</style></head><body><!-- </html> 1 -->"
		"<textarea></html></textarea><p title='</html>'>x</p><iframe "
		"srcdoc='<html>a</html>'>"
		"</iframe><noscript>y</noscript></body></html>\n",
		"<!DOCTYPE html><html><head><title></html></title><script nonce=p0XcU8yGd3Hs6VfE>"
		"s = '</html>'</script><style>/*</html>*/</style></head><body><!-- </html> 2 -->"
		"<textarea></html></textarea><p title='</html>'>x</p><iframe "
		"srcdoc='<html>a</html>'>"
		"</iframe><noscript>y</noscript></body></html>\n"},
	{"application/rss+xml",
		"<?xml version='1.0'?><!-- 1 --><rss><channel><a/><item><![CDATA[</rss>]]></item>"
		"<rss>x</rss></channel></rss>\n",
		"<?xml version='1.0'?><!-- 2 --><rss><channel><a/><item><![CDATA[</rss>]]></item>"
		"<rss>x</rss></channel></rss>\n"},
	{"application/json",
		"{\"a\":[{}, \"}\"], \"csrf_token\": \"k7QzR2mXw9Lp4TnB\", \"b\": {}}\n",
		"{\"a\":[{}, \"}\"], \"csrf_token\": \"p0XcU8yGd3Hs6VfE\", \"b\": {}}\n"},
};

/* Whether the rules would count for bodies that only the end of their connection ended. */
static bool are_shown_whole(slice a, slice b, slice type)
{
	struct proof_params params = params_of(a, b, type, false);
	struct proof c;
	bool whole;

	CHECK_INT(proof_compare(&params, &c), 0);
	whole = c.same == PROOF_NORMALISED && c.is_ended;
	proof_release(&c);
	return whole;
}

/* Cut anywhere, at one look or at both, they are not the same by rules. */
static void test_cuts(void)
{
	for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++) {
		slice a = slice_str(WHOLE[i].a), b = slice_str(WHOLE[i].b);
		slice type = slice_str(WHOLE[i].type);

		tap_case("%s that is cut anywhere is not the same by rules", WHOLE[i].type);
		if (!CHECK(are_shown_whole(a, b, type)))
			tap_note("%s: not whole", WHOLE[i].type);
		for (size_t n = 0; n < b.len; n++) {
			if (!CHECK(!are_shown_whole(a, slice_sub(b, 0, n), type)))
				tap_note("%s: one cut at %zu", WHOLE[i].type, n);
			/* where all but the last line's end is there, nothing is missing */
			if (n + 1 < b.len && !CHECK(!are_shown_whole(
						     slice_sub(a, 0, n), slice_sub(b, 0, n), type)))
				tap_note("%s: both cut at %zu", WHOLE[i].type, n);
		}
	}
	tap_case("what does not show its end is not the same by rules");
	CHECK(!are_shown_whole(SLICE("<p>a<!-- 1 -->"), SLICE("<p>a<!-- 2 -->"), SLICE("")));
	CHECK(!are_shown_whole(
		SLICE("<html></html><!-- 1 -->"), SLICE("<html></html><!-- 2 -->"), SLICE("")));
	CHECK(!are_shown_whole(SLICE("{}{\"nonce\":\"k7QzR2mXw9Lp4TnB\"}"),
		SLICE("{}{\"nonce\":\"p0XcU8yGd3Hs6VfE\"}"), SLICE("application/json")));
	CHECK(!are_shown_whole(SLICE("/* 1 */a()"), SLICE("/* 2 */a()"), SLICE("text/javascript")));
	CHECK(!are_shown_whole(SLICE("/* 1 */a{}"), SLICE("/* 2 */a{}"), SLICE("text/css")));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_elements();
	test_attributes();
	test_styles();
	test_edits();
	test_other_types();
	test_rows("hidden_edits.tsv", "hidden edit", PROOF_DIFFERENT, 600);
	test_rows("known_noise.tsv", "noise", PROOF_NORMALISED, 130);
	test_cuts();
	return tap_done();
}
