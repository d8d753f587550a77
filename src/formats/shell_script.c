#include "formats/shell_script.h"

#include "base/word.h"

static bool contains(slice text, const char *part)
{
	return text.len && memmem(text.ptr, text.len, part, strlen(part));
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

void shell_script_read(struct shell_script *s, slice text, bool cut)
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

bool shell_script_is_widget(slice address)
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
