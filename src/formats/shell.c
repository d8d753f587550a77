#include "formats/shell.h"

#include <string.h>

#include "base/word.h"
#include "base/word_scan.h"
#include "formats/html_token.h"

static bool contains(slice text, const char *part)
{
	return text.len && memchr(text.ptr, part[0], text.len) &&
	       memmem(text.ptr, text.len, part, strlen(part));
}

static bool contains_any(slice text, const char *const *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (contains(text, parts[i]))
			return true;
	return false;
}

#define CONTAINS_ANY(text, parts) contains_any((text), (parts), sizeof(parts) / sizeof((parts)[0]))

/* Calls that ask a server for data, and libraries' own. */
static const char *const LOADS[] = {"fetch(", "fetch (", "XMLHttpRequest", "ActiveXObject",
	"import(", "import (", "importScripts(", ".getJSON(", ".getScript(", ".ajax(", "$.get(",
	"$.post(", "jQuery.get(", ".load('", ".load(\"", ".load(`", "axios", "EventSource(",
	"WebSocket(", "d3.json(", "d3.csv(", "d3.tsv(", "d3.text(", "ky.get(", "useSWR(",
	"useQuery(", "graphql", "Papa.parse(", "HttpClient", "htmx.ajax(", "loadJSON(", "firebase",
	"supabase", "jsonp", "eval(", "new Function(", "new Worker("};

/* A script element made by a script: data in disguise, but counters of visitors come that way. */
static const char *const LOADS_SCRIPT[] = {
	"createElement('script')", "createElement(\"script\")", "createElement(`script`)"};

/* Libraries that draw the page from what a script gives them. */
static const char *const RENDERS[] = {"createApp(", "createRoot(", "hydrateRoot(", "ReactDOM",
	"new Vue(", "angular.module(", "bootstrapApplication(", "applyBindings(", "m.mount(",
	"m.render(", "preact", "LitElement", "customElements.define(", "attachShadow(", "Elm.",
	"Backbone.", "Ember.", "Handlebars.compile(", "Mustache.render(", "Alpine.", "riot.mount(",
	"new Svelte", "mount(document", "render(html`", "Dart.main", "_flutter", "Blazor.start("};

static const char *const WRITES_BLOCKS[] = {"document.write", "insertAdjacent", "document.body",
	"replaceChildren(", "replaceWith(", "createContextualFragment(", "importNode(",
	"cloneNode(", "setHTML", "appendChild(", ".append(", ".prepend(", ".appendTo(",
	"createElement(", "<li", "<tr", "<td", "<p>", "<p ", "<div", "<article", "<section", "<h1",
	"<h2", "<h3", "<ul", "<table", ".load('", ".load(\"", "getElementsByTagName('body')",
	"getElementsByTagName(\"body\")", "querySelector('main", "querySelector(\"main",
	"querySelector('body", "querySelector(\"body", "eval(", "new Function("};

static const char *const WRITES[] = {"srcdoc", "innerHTML", "outerHTML", "textContent", "innerText",
	".html(", ".text(", "nodeValue", "createTextNode(", "render(", "insertBefore("};

/* A frame is given its address. */
static const char *const SETS_SOURCE[] = {".src=", ".src =", "setAttribute('src'",
	"setAttribute(\"src\"", ".attr('src'", ".attr(\"src\"", "contentWindow.location",
	"contentDocument.write"};

static const char *const LEAVES[] = {"location.href=", "location.href =", "location=", "location =",
	"location.replace(", "location.assign("};

/* Scripts write the year in a footer, or into the head, on pages that need none. */
static const char *const HARMLESS[] = {"document.write(new Date", "document.write((new Date",
	"document.write( new Date", "document.write(\"<script", "document.write('<script",
	"document.write( '<script", "document.write( \"<script", "document.write(unescape(",
	"document.head.insertAdjacent", "document.body.class"};

/* Scripts that count visitors, ask for consent or show advertisements: what they write is small. */
static const char *const COUNTERS[] = {"googletagmanager", "google-analytics", "gtag(", "_gaq",
	"GoogleAnalyticsObject", "_paq", "matomo", "piwik", "fbq(", "hotjar", "_hjSettings",
	"clarity.ms", "plausible", "mixpanel", "NREUM", "adsbygoogle", "disqus", "Intercom",
	"_satellite", "mc.yandex", "hm.baidu", "twq(", "snaptr(", "pintrk(", "ttq.", "lintrk",
	"_linkedin", "statcounter", "sc_project", "OneTrust", "Cookiebot", "klaviyo", "hs-script",
	"hbspt", "Tawk_API", "__CF$cv$params", "bugsnag", "Sentry", "umami", "_wpemojiSettings",
	"skip-link" /* WordPress: to the content */};

static bool is_static_import(slice text)
{
	static const char *const IMPORTS[] = {"from '", "from \"", "from'", "from\"", "import '",
		"import \"", "import'", "import\""};

	return contains(text, "import") && CONTAINS_ANY(text, IMPORTS);
}

/* $(place).load(address), not $(window).load(function…). */
static bool loads_into(slice text)
{
	return contains(text, ").load(") && !contains(text, ").load(function");
}

/* navigator.serviceWorker.register(…), also by another name, or by a library. */
static bool registers_worker(slice text)
{
	return (contains(text, "serviceWorker") || contains(text, "Workbox(")) &&
	       contains(text, ".register("); /* not .unregister( */
}

/* Takes in the text of a script, or of an attribute such as onload. cut: it was longer. */
static void shell_script_read(struct shell_script *s, slice text, bool cut)
{
	bool counts = CONTAINS_ANY(text, COUNTERS);
	bool loads, blocks, writes;

	if (word_trim(text).len == 0)
		return;
	loads = CONTAINS_ANY(text, LOADS) || is_static_import(text) || loads_into(text) ||
		(!counts && CONTAINS_ANY(text, LOADS_SCRIPT));
	blocks = CONTAINS_ANY(text, RENDERS) || loads_into(text);
	if (!counts && (loads || !CONTAINS_ANY(text, HARMLESS)))
		blocks = blocks || CONTAINS_ANY(text, WRITES_BLOCKS);
	writes = blocks || CONTAINS_ANY(text, WRITES);
	/* A counter that also loads and writes is not one. */
	counts = counts && !(loads && writes);
	s->leaves = s->leaves || CONTAINS_ANY(text, LEAVES);
	s->registers = s->registers || registers_worker(text);
	if (counts)
		return;
	s->sets_source = s->sets_source || CONTAINS_ANY(text, SETS_SOURCE);
	s->runs = s->runs || loads || writes || cut;
	s->loads = s->loads || loads;
	s->writes = s->writes || writes;
	s->writes_blocks = s->writes_blocks || blocks;
}

/* Whether a script of that address counts visitors, or shows what is beside a page's content. */
static bool shell_script_is_widget(slice address)
{
	static const char *const PARTS[] = {"googletagmanager.com", "google-analytics.com",
		"googlesyndication.com", "doubleclick.net", "adservice.", "facebook.net",
		"platform.twitter.com", "platform.x.com", "linkedin.com", "pinterest.com",
		"instagram.com", "tiktok.com", "disqus.com", "hotjar.com", "clarity.ms",
		"cloudflareinsights.com", "/cdn-cgi/", "plausible", "statcounter", "addthis",
		"sharethis", "maps.google", "youtube.com", "/recaptcha/", "hcaptcha.com",
		"challenges.cloudflare.com", "cookiebot", "onetrust", "cookielaw.org",
		"usercentrics", "consent", "stripe.com", "paypal.com", "intercom", "crisp.chat",
		"tawk.to", "zendesk", "segment.com", "mixpanel", "newrelic", "nr-data.net",
		"sentry", "matomo", "piwik", "analytics", "gtag", "gtm.js", "umami", "goatcounter",
		"/count.js", "counter.js", "/stats.js", "tracking", "tracker", "beacon", "/pixel",
		"mc.yandex.ru", "hm.baidu.com", "addtoany", "utteranc.es", "giscus", "mathjax",
		"MathJax", "katex", "prism.", "highlight.", "modernizr", "html5shiv", "respond.min",
		"polyfill", "lazysizes", "livereload", "/_Incapsula_Resource", "/bmi/", "akam/"};

	return CONTAINS_ANY(address, PARTS);
}

enum { WISH_MIN = 14 }; /* bytes: "need", "javascript" */

#define IS_AMONG(word, list) is_among((word), (list), sizeof(list) / sizeof((list)[0]))

/* Words of lists are in lower case. Most differ in their first letter: no call for these. */
static bool is_among(slice word, const char *const *list, size_t count)
{
	char first = (char)(word.len ? word_lower(word.ptr[0]) : '\0');

	for (size_t i = 0; first && i < count; i++)
		if (list[i][0] == first && word_is(word, slice_str(list[i])))
			return true;
	return false;
}

void shell_init(struct shell *s)
{
	*s = (struct shell){0};
}

/* ---- elements ---- */

static slice name_of(const struct html_token *token)
{
	return slice_sub(token->name, 0, SHELL_NAME_MAX - 1);
}

static bool is_named(const struct shell_element *e, const struct html_token *token)
{
	return e->depth && e->tag == token->tag &&
	       (token->tag != HTML_TAG_OTHER || slice_eq(slice_str(e->name), name_of(token)));
}

static void element_open(struct shell_element *e, const struct html_token *token)
{
	slice name = name_of(token);

	e->tag = token->tag;
	memcpy(e->name, name.ptr, name.len);
	e->name[name.len] = '\0';
	e->depth = 1;
	e->filled = false;
}

/* Elements that end with their tag, or whose end tags are often left out. */
static bool can_hold(const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_BODY:
	case HTML_TAG_HTML:
	case HTML_TAG_HEAD:
	case HTML_TAG_IMG:
	case HTML_TAG_INPUT:
	case HTML_TAG_META:
	case HTML_TAG_LINK:
	case HTML_TAG_BR:
	case HTML_TAG_HR:
	case HTML_TAG_LI:
	case HTML_TAG_TD:
	case HTML_TAG_TR:
	case HTML_TAG_SOURCE:
	case HTML_TAG_BASE:
		return false;
	default:
		return !(token->self_closing && token->foreign);
	}
}

/* A start tag: true if it is of an element of the same name inside. */
static bool element_enters(struct shell_element *e, const struct html_token *token)
{
	if (!is_named(e, token) || !can_hold(token))
		return false;
	e->depth++;
	return true;
}

/* An end tag: true if the element ends with it. */
static bool element_leaves(struct shell_element *e, const struct html_token *token)
{
	return is_named(e, token) && --e->depth == 0;
}

/* ---- what elements are ---- */

/* Elements that frameworks fill (React, Vue, Next, Nuxt, Gatsby, Quasar, Angular, Svelte). */
static bool is_framework_root(const struct html_token *token)
{
	static const char *const IDS[] = {"root", "app", "__next", "__nuxt", "___gatsby", "q-app",
		"react-root", "app-root", "main-app", "svelte", "application", "app-container",
		"app-mount", "mount", "reactapp", "ember-app", "elm", "flutter", "wrapper-app"};

	if (token->tag == HTML_TAG_OTHER)
		return slice_eq(token->name, SLICE("app-root"));
	if (token->tag != HTML_TAG_DIV && token->tag != HTML_TAG_MAIN &&
		token->tag != HTML_TAG_SECTION)
		return false;
	return IS_AMONG(html_attr_value(token, SLICE("id")), IDS);
}

/* Where a page has its content, whoever puts it there. */
static bool is_main(const struct html_token *token)
{
	static const char *const IDS[] = {"main", "content", "main-content", "page-content",
		"maincontent", "contents", "article", "page", "output", "view", "viewport", "feed",
		"posts", "results", "data", "list", "items", "entries", "inhalt", "contenu"};

	return token->tag == HTML_TAG_MAIN ||
	       (token->attr_count &&
		       (word_is(html_attr_value(token, SLICE("role")), SLICE("main")) ||
			       IS_AMONG(html_attr_value(token, SLICE("id")), IDS)));
}

/* Names of elements that are empty in honest pages: scripts show more there, but not the page. */
static bool is_beside(slice name)
{
	static const char *const PARTS[] = {"fb-root", "top", "overlay", "modal", "popup", "cookie",
		"consent", "toast", "banner", "disqus", "comment", "chat", "share", "social",
		"captcha", "counter", "clear", "spacer", "notif", "search", "map", "player", "ad-",
		"ads", "advert", "sponsor", "divider", "separator", "backdrop", "toggle", "theme",
		"icon", "arrow", "lightbox", "tooltip", "progress", "hamburger", "portal",
		"weather", "widget", "tweet", "badge", "newsletter", "related", "toc", "bg",
		"background"};

	return CONTAINS_ANY(name, PARTS);
}

static slice name_of_block(const struct html_token *token)
{
	slice id = html_attr_value(token, SLICE("id"));

	return id.len ? id : html_attr_value(token, SLICE("class"));
}

/* An element with a name, which a script can find to fill it. */
static bool is_block(const struct html_token *token)
{
	slice name;

	switch (token->tag) {
	case HTML_TAG_DIV:
	case HTML_TAG_SECTION:
	case HTML_TAG_ARTICLE:
	case HTML_TAG_UL:
	case HTML_TAG_OL:
	case HTML_TAG_DL:
	case HTML_TAG_TABLE:
	case HTML_TAG_TBODY:
	case HTML_TAG_PRE:
	case HTML_TAG_P:
		name = name_of_block(token);
		return name.len > 0 && !is_beside(name);
	case HTML_TAG_OTHER: /* an element of the page's own */
		return contains(token->name, "-") && !token->foreign && !is_beside(token->name);
	default:
		return false;
	}
}

/* "site-footer", "main-nav", "cookie-consent"; not "has-sidebar". */
static bool is_edge_name(slice name)
{
	static const char *const ENDS[] = {"nav", "navbar", "navigation", "menu", "header",
		"footer", "sidebar", "topbar", "breadcrumb", "breadcrumbs", "masthead", "copyright",
		"toolbar", "cookies", "consent", "cookiebar", "skip", "banner"};
	static const char *const STARTS[] = {"has", "with", "no", "is"};
	size_t first = 0, last = name.len;

	while (first < name.len && name.ptr[first] != '-' && name.ptr[first] != '_')
		first++;
	while (last > 0 && name.ptr[last - 1] != '-' && name.ptr[last - 1] != '_')
		last--;
	if (last > 0 && IS_AMONG(slice_sub(name, 0, first), STARTS))
		return false;
	return IS_AMONG(slice_sub(name, last, name.len), ENDS) ||
	       word_is(slice_sub(name, 0, first), SLICE("cookie"));
}

/* Menus, headers, footers: they are the same on all pages of a site. */
static bool is_edge(const struct html_token *token)
{
	slice classes, word;

	switch (token->tag) {
	case HTML_TAG_NAV:
	case HTML_TAG_HEADER:
	case HTML_TAG_FOOTER:
	case HTML_TAG_ASIDE:
	case HTML_TAG_MENU:
	case HTML_TAG_DIALOG:
	case HTML_TAG_SELECT:
		return true;
	case HTML_TAG_DIV:
	case HTML_TAG_UL:
	case HTML_TAG_SECTION:
		break;
	default:
		return false;
	}
	if (is_edge_name(html_attr_value(token, SLICE("id"))))
		return true;
	classes = html_attr_value(token, SLICE("class"));
	while (word_next(&classes, ' ', &word))
		if (is_edge_name(word))
			return true;
	return false;
}

static bool is_hidden(const struct html_token *token)
{
	slice style;

	switch (token->tag) {
	case HTML_TAG_SCRIPT:
	case HTML_TAG_STYLE:
	case HTML_TAG_TEMPLATE:
	case HTML_TAG_NOSCRIPT:
	case HTML_TAG_TITLE:
	case HTML_TAG_OBJECT:
	case HTML_TAG_IFRAME:
	case HTML_TAG_NOFRAMES:
	case HTML_TAG_NOEMBED:
	case HTML_TAG_DESC:
		return true;
	case HTML_TAG_DIV:
	case HTML_TAG_SECTION:
	case HTML_TAG_MAIN:
	case HTML_TAG_FORM:
	case HTML_TAG_ARTICLE:
		style = html_attr_value(token, SLICE("style"));
		return html_attr_value(token, SLICE("hidden")).ptr ||
		       contains(style, "display:none") || contains(style, "display: none");
	default:
		return false;
	}
}

/* ---- text ---- */

static size_t count_words(slice text)
{
	size_t words = 0;
	slice word;

	while (word_next(&text, ' ', &word))
		words++;
	return words;
}

/* Texts by their first letter, in lower case; [0] has those that do not begin with one of ASCII. */
enum { LETTERS = 'z' - 'a' + 2, TEXTS_MAX = 34 };

static bool starts_with_one(slice text, const char *const texts[LETTERS][TEXTS_MAX])
{
	char first = word_lower(text.ptr[0]);
	const char *const *list = texts[word_is_alpha(first) ? first - 'a' + 1 : 0];

	for (; *list; list++)
		if (word_starts(text, slice_str(*list)))
			return true;
	return false;
}

#define AT(letter) [(letter) - 'a' + 1]

/* Words that other texts begin with as well count only with "…" at the end. */
static bool is_loading(slice text)
{
	static const char *const SURE[LETTERS][TEXTS_MAX] = {
		AT('a') = {"attendere", "aguarde"},
		AT('b') = {"bitte warten", "betöltés"},
		AT('c') = {"chargement", "cargando", "carregando", "caricamento"},
		AT('e') = {"even geduld"},
		AT('i') = {"indlæser"},
		AT('l') = {"laddar", "ladataan"},
		AT('m') = {"memuat"},
		AT('n') = {"načítá"},
		AT('o') = {"one moment please"},
		AT('p') = {"please wait", "proszę czekać"},
		AT('v') = {"veuillez patienter"},
		AT('w') = {"wird geladen", "wczytywanie"},
		AT('y') = {"yükleniyor"},
		[0] = {"ładowanie", "загрузка", "загружа", "Загрузка", "Загружа", "подождите",
			"Подождите", "завантаж", "Завантаж", "φόρτωση", "Φόρτωση", "読み込み",
			"ロード中", "加载", "正在加载", "載入", "请稍候", "로딩", "불러오는", "جار",
			"טוען", "กำลังโหลด", "đang tải", "Đang tải"},
	};
	static const char *const WITH_DOTS[LETTERS][TEXTS_MAX] = {
		AT('a') = {"a moment"},
		AT('c') = {"connecting", "checking"},
		AT('d') = {"daten"},
		AT('e') = {"einen moment", "espere"},
		AT('f') = {"fetching"},
		AT('g') = {"getting"},
		AT('h') = {"hold on", "henter"},
		AT('i') = {"initiali"},
		AT('j') = {"just a moment"},
		AT('l') = {"lade", "laden", "laster"},
		AT('o') = {"one moment"},
		AT('p') = {"preparing"},
		AT('r') = {"retrieving"},
		AT('s') = {"starting", "still loading"},
		AT('u') = {"un momento", "un instant", "updating"},
		AT('w') = {"wait"},
	};
	bool dots = slice_ends_with(text, SLICE("...")) || slice_ends_with(text, SLICE("…"));

	if (text.len == 0)
		return false;
	if (starts_with_one(text, SURE))
		return dots || text.len <= SHELL_WAIT_MAX;
	if (word_starts(text, SLICE("loading")) && !dots)
		return count_words(text) <= 2; /* "Loading posts", not "Loading dock rules" */
	return dots && (starts_with_one(text, WITH_DOTS) || contains(text, "loading") ||
			       contains(text, "Loading"));
}

/* What a page says until its service worker is there. */
static bool is_installing(slice text)
{
	static const char *const STARTS[] = {"installing", "setting up", "activating",
		"registering", "booting", "launching", "opening", "first start"};

	if (!slice_ends_with(text, SLICE("...")) && !slice_ends_with(text, SLICE("…")))
		return false;
	for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; i++)
		if (word_starts(text, slice_str(STARTS[i])))
			return true;
	return false;
}

/* "Please enable JavaScript to run this app": said of the page, not of its search or comments. */
static bool is_wish_for_scripts(slice text)
{
	static const char *const SCRIPTS[] = {
		"javascript", "JavaScript", "Javascript", "JAVASCRIPT"};
	static const char *const BESIDE[] = {"comment", "search", "Search", "Disqus", "map"};

	return CONTAINS_ANY(text, SCRIPTS) && !CONTAINS_ANY(text, BESIDE);
}

static void fill(struct shell *s)
{
	s->root.filled = s->block.filled = true;
}

/* The text between two tags has ended. */
static void end_run(struct shell *s)
{
	bool whole = s->run_len < SHELL_RUN_MAX;
	uint32_t chars = s->run_chars, len = s->run_len;
	slice run;

	s->run_len = s->run_chars = 0;
	if (chars == 0)
		return;
	run = word_trim((slice){s->run, len});
	if (whole && is_loading(run)) {
		s->waits = s->waits || s->beside.depth == 0;
		return;
	}
	if (whole && run.len >= WISH_MIN && is_wish_for_scripts(run) &&
		(contains(run, "enable") || contains(run, "require") || contains(run, "need"))) {
		s->wants_script = true;
		return;
	}
	if (whole && contains(run, "{{") && contains(run, "}}")) {
		s->waits = true;
		return;
	}
	if (s->edge.depth) {
		s->edge_text += chars;
		return;
	}
	s->installs = s->installs || (whole && s->beside.depth == 0 && is_installing(run));
	s->text += chars;
	if (s->root.depth)
		s->main_text += chars;
	fill(s);
}

/*
 * What a byte adds to the characters of a text: letters and digits, the first byte of others. A
 * character of East Asia says as much as two letters; signs alone are no text ("…", "--").
 */
__extension__ static const unsigned char CHARACTERS[256] = {
	['0' ... '9'] = 1,
	['A' ... 'Z'] = 1,
	['a' ... 'z'] = 1,
	[0xc3 ... 0xe1] = 1,
	[0xe3 ... 0xff] = 2,
};

static bool is_ascii(const char block[WORD_SCAN_BLOCK])
{
	uint64_t words[WORD_SCAN_BLOCK / sizeof(uint64_t)], all = 0;

	memcpy(words, block, sizeof words);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		all |= words[i];
	return !(all & UINT64_C(0x8080808080808080));
}

/* A block at a time where that is ASCII: every byte of a word is a character there. */
static uint32_t count_characters(slice text)
{
	uint32_t sum = 0;
	size_t i = 0;

	while (i < text.len) {
		size_t end = i + WORD_SCAN_BLOCK;

		if (end <= text.len && is_ascii(text.ptr + i)) {
			uint64_t mask = word_scan_mask(text.ptr + i, true);

			sum += (uint32_t)__builtin_popcountll(mask);
			i = end;
			continue;
		}
		for (; i < end && i < text.len; i++)
			sum += CHARACTERS[(unsigned char)text.ptr[i]];
	}
	return sum;
}

static void take_text(struct shell *s, slice text)
{
	size_t kept = text.len < SHELL_RUN_MAX - s->run_len ? text.len : SHELL_RUN_MAX - s->run_len;

	if (s->hidden.depth || text.len == 0)
		return;
	memcpy(s->run + s->run_len, text.ptr, kept);
	s->run_len += (uint32_t)kept;
	s->run_chars += count_characters(text);
}

/* ---- tags ---- */

static void count_link(struct shell *s, const struct html_token *token)
{
	slice href = word_trim(html_attr_value(token, SLICE("href")));

	if (href.len == 0 || href.ptr[0] == '#' || word_starts(href, SLICE("javascript:")))
		return;
	*(s->edge.depth ? &s->edge_links : &s->links) += 1;
}

/* A picture that tells visitors from others shows nothing. */
static bool is_pixel(const struct html_token *token)
{
	slice width = html_attr_value(token, SLICE("width"));
	slice height = html_attr_value(token, SLICE("height"));

	return (slice_eq(width, SLICE("1")) || slice_eq(width, SLICE("0"))) &&
	       (slice_eq(height, SLICE("1")) || slice_eq(height, SLICE("0")));
}

/* What is seen without text; a picture of something that turns is not. */
static bool shows(const struct html_token *token)
{
	slice src;

	switch (token->tag) {
	case HTML_TAG_IMG:
		src = html_attr_value(token, SLICE("src"));
		return !is_pixel(token) && !contains(src, "load") && !contains(src, "spin") &&
		       !contains(src, "wait");
	case HTML_TAG_VIDEO:
	case HTML_TAG_AUDIO:
	case HTML_TAG_EMBED:
	case HTML_TAG_FORM:
		return true;
	default:
		return false;
	}
}

/* A frame without an address waits for a script; one with its own text is part of the page. */
static void count_frame(struct shell *s, const struct html_token *token)
{
	slice text = html_attr_value(token, SLICE("srcdoc"));
	slice source = html_attr_value(token, SLICE("src"));
	bool is_blank = source.len == 0 || word_starts(source, SLICE("about:"));

	if (s->in_noscript) /* trackers stand there */
		return;
	if (text.len)
		shell_script_read(&s->script, text, false);
	s->frame_waits = s->frame_waits || (!text.len && is_blank && s->hidden.depth == 0);
	if (text.len || is_blank)
		s->hole = true;
	else
		s->frames++;
}

static void count(struct shell *s, const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_A:
	case HTML_TAG_AREA:
		count_link(s, token);
		break;
	case HTML_TAG_IMG:
	case HTML_TAG_VIDEO:
	case HTML_TAG_AUDIO:
	case HTML_TAG_OBJECT:
	case HTML_TAG_EMBED:
		if (s->edge.depth == 0 && !s->in_noscript &&
			(shows(token) || token->tag == HTML_TAG_OBJECT))
			s->pictures++;
		break;
	case HTML_TAG_IFRAME:
	case HTML_TAG_FRAME:
		count_frame(s, token);
		break;
	case HTML_TAG_FORM:
		s->forms++;
		break;
	default:
		break;
	}
}

bool shell_runs(const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));

	return type.len == 0 || word_is(type, SLICE("module")) ||
	       word_ends(type, SLICE("javascript")) || word_ends(type, SLICE("ecmascript")) ||
	       word_is(type, SLICE("text/babel")) || word_is(type, SLICE("text/jsx")) ||
	       word_is(type, SLICE("text/typescript"));
}

static void take_script_tag(struct shell *s, const struct html_token *token)
{
	slice src = html_attr_value(token, SLICE("src"));

	if (src.len && shell_runs(token) && !shell_script_is_widget(src))
		s->sources++;
}

/* Attributes by which libraries load content or fill it in (htmx, Alpine, Angular, Vue, Turbo). */
static void take_attributes(struct shell *s, const struct html_token *token)
{
	static const char *const FETCHES[] = {"w3-include-html", "data-include", "ng-include",
		"ng-app", "ng-view", "ui-view", "ng-repeat", "v-for", "v-html", "x-html",
		"data-ng-app", "data-bind", "data-reactroot-src"};
	bool is_fragment = token->tag == HTML_TAG_OTHER &&
			   (word_ends(token->name, SLICE("-fragment")) ||
				   slice_eq(token->name, SLICE("turbo-frame")));

	for (size_t i = 0; i < token->attr_count; i++) {
		slice name = token->attrs[i].name, value = token->attrs[i].value;

		/* Those of nearly all attributes mean nothing here. */
		if (slice_eq(name, SLICE("href")) || slice_eq(name, SLICE("class")) ||
			slice_eq(name, SLICE("id")))
			continue;
		if (word_starts(name, SLICE("on")) || slice_eq(name, SLICE("x-init")) ||
			slice_eq(name, SLICE("x-data")))
			shell_script_read(&s->script, value, false);
		if ((is_fragment && slice_eq(name, SLICE("src"))) || IS_AMONG(name, FETCHES))
			s->fetches = true;
		if ((slice_eq(name, SLICE("hx-trigger")) ||
			    slice_eq(name, SLICE("data-hx-trigger"))) &&
			(contains(value, "load") || contains(value, "revealed")))
			s->fetches = true;
	}
}

static void take_meta(struct shell *s, const struct html_token *token)
{
	if (!word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("refresh")))
		return;
	if (s->in_noscript)
		s->wants_script = true; /* browsers without scripts are sent away */
	else if (contains(html_attr_value(token, SLICE("content")), "="))
		s->refresh = true;
}

/* Elements that mean nothing here unless they have attributes. */
static const bool PLAIN[HTML_TAG_COUNT] = {
	[HTML_TAG_B] = true,
	[HTML_TAG_BR] = true,
	[HTML_TAG_EM] = true,
	[HTML_TAG_H1] = true,
	[HTML_TAG_H2] = true,
	[HTML_TAG_H3] = true,
	[HTML_TAG_I] = true,
	[HTML_TAG_LI] = true,
	[HTML_TAG_P] = true,
	[HTML_TAG_SPAN] = true,
	[HTML_TAG_STRONG] = true,
	[HTML_TAG_TD] = true,
	[HTML_TAG_TR] = true,
};

/* A link as most are: it is counted, and means nothing else. */
static bool is_plain_link(const struct html_token *token)
{
	return token->tag == HTML_TAG_A && token->attr_count == 1 &&
	       slice_eq(token->attrs[0].name, SLICE("href"));
}

/* Whether an element is open whose end is waited for. */
static bool is_inside(const struct shell *s)
{
	return s->edge.depth || s->beside.depth || s->root.depth || s->block.depth;
}

static void enter_all(struct shell *s, const struct html_token *token)
{
	(void)element_enters(&s->edge, token);
	(void)element_enters(&s->beside, token);
	(void)element_enters(&s->root, token);
	(void)element_enters(&s->block, token);
}

static void open_elements(struct shell *s, const struct html_token *token)
{
	bool framework = is_framework_root(token), main = framework || is_main(token);

	if (!element_enters(&s->edge, token) && s->edge.depth == 0 && is_edge(token))
		element_open(&s->edge, token);
	if (!element_enters(&s->beside, token) && token->attr_count && s->beside.depth == 0 &&
		(token->tag == HTML_TAG_DIV || token->tag == HTML_TAG_SECTION) &&
		is_beside(name_of_block(token)))
		element_open(&s->beside, token);
	s->has_root = s->has_root || framework;
	(void)element_enters(&s->root, token);
	if (main && (s->root.depth == 0 || s->root.filled) && can_hold(token)) {
		element_open(&s->root, token);
	} else if (!main && s->edge.depth == 0 && is_block(token) && can_hold(token)) {
		slice id = slice_sub(html_attr_value(token, SLICE("id")), 0, SHELL_NAME_MAX - 1);

		element_open(&s->block, token);
		memset(s->block_id, 0, sizeof s->block_id);
		if (id.len)
			memcpy(s->block_id, id.ptr, id.len);
	} else {
		(void)element_enters(&s->block, token);
	}
}

static void start_tag(struct shell *s, const struct html_token *token)
{
	end_run(s);
	if (token->tag == HTML_TAG_META)
		take_meta(s, token);
	if (token->tag == HTML_TAG_SCRIPT)
		take_script_tag(s, token);
	if (s->hidden.depth) {
		(void)element_enters(&s->hidden, token);
		return;
	}
	if ((token->attr_count == 0 && PLAIN[token->tag]) || is_plain_link(token)) {
		if (token->tag == HTML_TAG_A)
			count_link(s, token);
		if (is_inside(s))
			enter_all(s, token);
		return;
	}
	if (token->attr_count)
		take_attributes(s, token);
	count(s, token);
	if (is_hidden(token) && can_hold(token)) {
		element_open(&s->hidden, token);
		s->in_noscript = token->tag == HTML_TAG_NOSCRIPT;
		return;
	}
	open_elements(s, token);
	if (shows(token))
		fill(s);
}

static void end_tag(struct shell *s, const struct html_token *token)
{
	end_run(s);
	if (s->hidden.depth) {
		if (element_leaves(&s->hidden, token))
			s->in_noscript = false;
		return;
	}
	if (!is_inside(s))
		return;
	(void)element_leaves(&s->edge, token);
	(void)element_leaves(&s->beside, token);
	if (element_leaves(&s->root, token) && !s->root.filled)
		s->root_empty = true;
	if (element_leaves(&s->block, token) && !s->block.filled) {
		s->hole = true;
		s->main_hole = s->main_hole || s->root.depth > 0;
		if (s->block_id[0] && s->beside.depth == 0 && s->hole_count < SHELL_HOLES_MAX)
			memcpy(s->holes[s->hole_count++], s->block_id, sizeof s->block_id);
	}
}

void shell_token(struct shell *s, const struct html_token *token)
{
	switch (token->kind) {
	case HTML_START_TAG:
		start_tag(s, token);
		break;
	case HTML_END_TAG:
		end_tag(s, token);
		break;
	case HTML_TEXT:
		take_text(s, token->text);
		break;
	default:
		break;
	}
}

/* Whether a script has the id as a word of its own. */
static bool names(slice text, slice id)
{
	const char *at;

	for (size_t from = 0; from < text.len && (at = memmem(text.ptr + from, text.len - from,
							  id.ptr, id.len)) != NULL;) {
		size_t to = (size_t)(at - text.ptr) + id.len;

		if ((at == text.ptr || !word_is_alnum(at[-1])) &&
			(to == text.len || !word_is_alnum(text.ptr[to])))
			return true;
		from = to;
	}
	return false;
}

/* Whether the script fills one of the empty elements: it loads, writes, and names the element. */
static bool fills_hole(const struct shell *s, slice text)
{
	struct shell_script script = {0};

	if (s->hole_count == 0)
		return false;
	shell_script_read(&script, text, false);
	for (uint32_t i = 0; script.loads && script.writes && i < s->hole_count; i++)
		if (names(text, slice_str(s->holes[i])))
			return true;
	return false;
}

void shell_take_script(struct shell *s, slice text, bool cut)
{
	shell_script_read(&s->script, text, cut);
	s->hole_filled = s->hole_filled || fills_hole(s, text);
}

void shell_take_noscript(struct shell *s, slice text)
{
	s->wants_script = s->wants_script || is_wish_for_scripts(text);
}

/* ---- the judgement ---- */

bool shell_is_over(const struct shell *s)
{
	return s->text > SHELL_SURE_MAX || s->edge_text > SHELL_EDGE_MAX ||
	       s->links > SHELL_SURE_LINKS;
}

/* The content is where it belongs. What scripts load beside it is not the page. */
static bool has_main(const struct shell *s)
{
	return s->main_text >= SHELL_MAIN_MIN && !s->root_empty && !s->main_hole && !s->waits;
}

/* Scripts of the page load data and write elements, or attributes ask for that. */
static bool is_filled(const struct shell *s)
{
	bool writes = s->script.loads && s->script.writes;
	bool has_place = s->root_empty || s->hole || s->waits || s->script.writes_blocks;

	if (s->fetches || (s->frame_waits && s->script.sets_source && s->frames == 0))
		return true;
	if (has_main(s))
		return false;
	if (writes && has_place)
		return s->links <= SHELL_FEW_LINKS * 2 || s->root_empty || s->waits || s->hole;
	return writes && s->text <= SHELL_SMALL_MAX && s->links <= SHELL_FEW_LINKS;
}

/* Without calls that can be seen: elements wait, and there are scripts that may fill them. */
static bool is_waiting(const struct shell *s)
{
	bool scripts = s->sources > 0 || s->script.runs;
	bool sure = s->root_empty || s->waits;

	if (!scripts || s->frames > 0 || s->refresh)
		return false;
	if (sure)
		return true;
	if (s->links > SHELL_FEW_LINKS || s->forms > 0 || has_main(s))
		return false;
	if (s->wants_script && s->text <= SHELL_HINT_MAX)
		return true;
	if (s->has_root && s->text <= SHELL_SMALL_MAX)
		return true;
	if (s->sources > 0 && s->script.writes_blocks && s->text <= SHELL_SMALL_MAX)
		return true;
	return s->sources > 0 && s->hole && s->pictures == 0 && s->text <= SHELL_GUESS_MAX;
}

/* Nothing but scripts. */
static bool is_empty(const struct shell *s)
{
	return (s->sources > 0 || s->script.runs) && s->frames == 0 && s->forms == 0 &&
	       !s->refresh && !(s->script.leaves && !s->script.loads) && s->pictures == 0 &&
	       s->links + s->edge_links == 0 && s->text + s->edge_text <= SHELL_EMPTY_MAX;
}

/*
 * A service worker answers for the page as soon as it is there, and what is shown until then is a
 * word about that, or nothing. A page that has content of its own registers one for later.
 */
static bool is_before_worker(const struct shell *s)
{
	bool is_bare = s->text + s->edge_text <= SHELL_EMPTY_MAX &&
		       s->links + s->edge_links + s->pictures == 0;

	return s->script.registers && s->frames == 0 && s->forms == 0 && !s->refresh &&
	       s->text <= SHELL_SMALL_MAX && s->links <= SHELL_FEW_LINKS && !has_main(s) &&
	       (s->waits || s->installs || s->root_empty || is_bare);
}

bool shell_is(const struct shell *s)
{
	struct shell all = *s;

	end_run(&all);
	all.root_empty = all.root_empty || (all.root.depth && !all.root.filled);
	if (shell_is_over(&all))
		return false;
	if (all.text > SHELL_TEXT_MAX || all.links > SHELL_LINKS_MAX ||
		all.pictures > SHELL_PICTURES_MAX)
		return all.script.loads && all.script.writes && !has_main(&all) &&
		       (all.root_empty || all.waits || all.hole_filled);
	return is_filled(&all) || is_waiting(&all) || is_empty(&all) || is_before_worker(&all);
}
