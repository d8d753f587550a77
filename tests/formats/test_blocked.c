/*
 * Block, challenge and login pages and script shells, and pages that only look like them. The marks
 * are those of the products' own pages, cut down.
 */
#include "formats/blocked.h"

#include "base/buf.h"
#include "tap.h"

enum { MAX = 1 << 20 };

/* @ in a page stands for a paragraph of 400 bytes, & for a link. */
static const struct {
	const char *label;
	unsigned status;
	const char *head; /* fields; NULL for none */
	const char *url;  /* path; NULL for /page */
	const char *target;
	const char *html; /* NULL: no page */
	const char *want; /* kind: reason */
} rows[] = {
	{"an article", 200, NULL, NULL, NULL, "<title>News</title>@@@&&", ""},
	{"an article about captchas", 200, NULL, NULL, NULL,
		"<title>Captcha, access denied, robots</title>@@@@<pre>window._cf_chl_opt</pre>"
		"<code>&lt;div class=g-recaptcha&gt;</code>",
		""},
	{"a short note about captchas", 200, NULL, NULL, NULL,
		"<title>Access denied</title><p>Why does it say access denied, verify you are "
		"human?",
		""},
	{"a comment form with a captcha", 200, NULL, NULL, NULL,
		"<form><div class=g-recaptcha></div></form>@", ""},
	{"an empty page", 200, NULL, NULL, NULL, "", ""},
	{"no page", 200, NULL, NULL, NULL, NULL, ""},

	{"field of cloudflare", 403, "cf-mitigated: challenge", NULL, NULL, NULL,
		"challenge: cloudflare challenge"},
	{"another field of cloudflare", 200, "cf-ray: 1\r\nServer: cloudflare", NULL, NULL, "@",
		""},
	{"field of vercel", 429, "X-Vercel-Mitigated: challenge", NULL, NULL, NULL,
		"challenge: vercel challenge"},
	{"field of aws", 202, "x-amzn-waf-action: challenge", NULL, NULL, NULL,
		"challenge: aws waf challenge"},
	{"field of aws, allowed", 200, "x-amzn-waf-action: allow", NULL, NULL, "@", ""},

	{"cloudflare", 503, NULL, NULL, NULL,
		"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>",
		"challenge: cloudflare challenge"},
	{"cloudflare, answered 200", 200, NULL, NULL, NULL,
		"<title>Just a moment...</title><noscript>Enable JavaScript</noscript>",
		"challenge: title of a challenge page"},
	{"an article of that title", 200, NULL, NULL, NULL, "<title>Just a moment...</title>@@@@@",
		""},
	{"cloudflare's script in ordinary pages", 200, NULL, NULL, NULL,
		"<script>window.__CF$cv$params={}</script>"
		"<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script>@",
		""},
	{"cloudflare refuses", 403, NULL, NULL, NULL, "<div id=cf-error-details>@@@@@</div>",
		"refused: cloudflare error"},
	{"anubis", 200, NULL, NULL, NULL,
		"<title>Making sure</title><script id=anubis_challenge type=application/json>{}"
		"</script>",
		"challenge: anubis challenge"},
	{"imperva", 200, NULL, NULL, NULL,
		"<iframe id=main-iframe src='/_Incapsula_Resource?CWUDNSAI=9'>x</iframe>",
		"challenge: imperva challenge"},
	{"imperva's script in ordinary pages", 200, NULL, NULL, NULL,
		"<script src='/_Incapsula_Resource?SWJIYLWA=7'></script>@@", ""},
	{"datadome", 403, NULL, NULL, NULL,
		"<script src='https://ct.captcha-delivery.com/c.js'></script>",
		"challenge: datadome captcha"},
	{"f5", 200, NULL, NULL, NULL,
		"<script>window[\"bobcmn\"]='1';window[\"failureConfig\"]='5'</script>",
		"challenge: f5 challenge"},
	{"f5's script in ordinary pages", 200, NULL, NULL, NULL,
		"<script>window[\"bobcmn\"]='1'</script>@", ""},
	{"perimeterx", 403, NULL, NULL, NULL, "<div id=px-captcha></div>",
		"challenge: perimeterx captcha"},
	{"sucuri", 200, NULL, NULL, NULL, "<script>s='sucuri_cloudproxy_js='</script>",
		"challenge: sucuri challenge"},
	{"siteground", 202, NULL, NULL, NULL,
		"<meta http-equiv=refresh content='0;/.well-known/sgcaptcha/?r=1'>",
		"challenge: siteground captcha"},
	{"amazon", 200, NULL, NULL, NULL, "<form action='/errors/validateCaptcha'></form>",
		"challenge: amazon captcha"},
	{"a mark in a long page", 200, NULL, NULL, NULL, "<form id=captcha-form></form>@@@@@", ""},
	{"a captcha with a refusal", 403, NULL, NULL, NULL, "<div class='h-captcha x'></div>",
		"challenge: captcha"},
	{"a title with a refusal", 403, NULL, NULL, NULL, "<title>Access Denied</title>",
		"refused: title of a block page"},
	{"a refusal alone", 403, NULL, NULL, NULL, "<title>403 Forbidden</title>", ""},
	{"maintenance", 503, NULL, NULL, NULL, "<title>Back soon</title>@", ""},
	{"too many requests", 429, NULL, NULL, NULL, NULL, "refused: too many requests"},

	{"status 401", 401, NULL, NULL, NULL, NULL, "login: authentication required"},
	{"Basic", 401, "WWW-Authenticate: Basic realm=x", NULL, NULL, NULL,
		"login: authentication required"},
	{"Digest", 401, "WWW-Authenticate: Digest realm=x", NULL, NULL, NULL,
		"login: authentication by Digest, not supported"},
	{"a redirect to a login page", 302, NULL, NULL, "/login?next=/page", NULL,
		"login: redirect to a login page"},
	{"to that of WordPress", 302, NULL, NULL, "/wp-login.php?redirect_to=x", NULL,
		"login: redirect to a login page"},
	{"to another host", 303, NULL, NULL, "https://accounts.example.net/x", NULL,
		"login: redirect to a login page"},
	{"in German", 302, NULL, NULL, "/konto/anmelden", NULL, "login: redirect to a login page"},
	{"from a login page to another", 301, NULL, "/login", "/login/", NULL, ""},
	{"to an article about it", 301, NULL, NULL, "/blog/login-without-passwords", NULL, ""},
	{"to an article below it", 301, NULL, NULL, "/login/2024/how-we-did-it", NULL, ""},
	{"to another page", 301, NULL, NULL, "/page/", NULL, ""},
	{"a password form", 200, NULL, NULL, NULL, "<form><input type=password></form>",
		"login: password form"},
	{"one that was asked for", 200, NULL, "/login", NULL, "<form><input type=PASSWORD></form>",
		""},
	{"one of a new account", 200, NULL, "/register", NULL,
		"<form><input type=password><input type=password></form>", ""},
	{"with the links of login pages", 200, NULL, NULL, NULL,
		"<form><input name=u><input type=password></form><a href=/lost-password>Lost?</a>"
		"<a href=/register>New here?</a><a href=/>Home</a><a href=/privacy>Privacy</a>"
		"<a href='?lang=de'>Deutsch</a><a href=mailto:x@example.org>Write</a>"
		"<a href=https://wordpress.org/>Powered by WordPress</a>",
		"login: password form"},
	{"a login box on a home page", 200, NULL, "/", NULL,
		"<h1>Club</h1><form action=/s><input name=q></form><form><input name=u><input "
		"type=password></form>&&&&&&&&&&&&&&&&&&&&",
		"doubt: password form"},
	{"a login box and one way on", 200, NULL, "/", NULL,
		"<form><input type=password></form><a href=/news>News</a>", "doubt: password form"},
	{"a login box and a search", 200, NULL, "/", NULL,
		"<form><input type=password></form><form action=/s><input type=search "
		"name=q></form>",
		"doubt: password form"},
	{"a login box beside a text", 200, NULL, NULL, NULL,
		"<form><input type=password></form>@@@", ""},
	{"a login box beside a menu", 200, NULL, NULL, NULL,
		"<form><input type=password></form>&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&", ""},

	{"a shell of React", 200, NULL, NULL, NULL,
		"<title>App</title><noscript>You need to enable JavaScript</noscript>"
		"<div id=root></div><script src=/main.js></script>",
		"shell: filled by scripts"},
	{"with blanks in it", 200, NULL, NULL, NULL,
		"<div id=app>\n</div><script src=/main.js></script>", "shell: filled by scripts"},
	{"of Angular", 200, NULL, NULL, NULL, "<app-root></app-root><script src=a.js></script>",
		"shell: filled by scripts"},
	{"with a spinner", 200, NULL, NULL, NULL,
		"<div id=root><div class=spinner>Loading</div></div><script src=a.js></script>",
		"shell: filled by scripts"},
	{"of nothing but scripts", 200, NULL, NULL, NULL, "<body><script src=a.js></script></body>",
		"shell: filled by scripts"},
	{"rendered on the server", 200, NULL, NULL, NULL,
		"<div id=root>@</div><script src=/main.js></script>", ""},
	{"documentation with scripts", 200, NULL, NULL, NULL,
		"<noscript>Search needs JavaScript</noscript><main>@@&&&&&&</main>"
		"<script src=search.js></script>",
		""},
	{"a short page with scripts", 200, NULL, NULL, NULL,
		"<h1>Hello</h1><p>This is my page about gardening.<script src=count.js></script>",
		""},
	{"data in the page", 200, NULL, NULL, NULL,
		"<div id=root></div><script type=application/json>@@@@@@@@@@@</script>"
		"<script src=a.js></script>",
		"shell: filled by scripts"},
	{"a frame", 200, NULL, NULL, NULL,
		"<div id=root></div><iframe src=b></iframe><script src=a.js></script>", ""},
	{"a redirect by markup", 200, NULL, NULL, NULL,
		"<meta http-equiv=refresh content='0;url=b'><script src=a.js></script>", ""},
	{"a menu beside an empty root", 200, NULL, NULL, NULL,
		"<div id=root></div>&&&&&&<script src=a.js></script>", "shell: filled by scripts"},
	{"a list of links", 200, NULL, NULL, NULL, "&&&&&&<script src=a.js></script>", ""},
	{"pictures", 200, NULL, NULL, NULL, "<img src=a><script src=a.js></script>", ""},
	{"an absent page", 404, NULL, NULL, NULL, "<div id=root></div><script src=a.js></script>",
		""},
	{"without scripts", 200, NULL, NULL, NULL, "<div id=root></div>", ""},
};

static void write_page(struct buf *out, const char *html)
{
	for (; *html; html++) {
		if (*html == '@')
			(void)buf_printf(out, "<p>%0400d</p>", 7);
		else if (*html == '&' && html[1] != 'l' && html[1] != 'g')
			(void)buf_add_str(out, "<a href=/x>y</a>");
		else
			(void)buf_add_char(out, *html);
	}
}

static void read_page(slice html, struct page_signs *signs, struct page_text *text)
{
	const struct html_token *token;
	struct html_tokenizer t;

	html_init(&t, 0);
	html_feed(&t, html);
	html_finish(&t);
	while (html_next(&t, &token) == 0) {
		page_signs_token(signs, token);
		page_text_token(text, token);
	}
	html_release(&t);
}

static void check_row(size_t i)
{
	struct fields fields = {0};
	struct page_signs signs;
	struct page_text text;
	struct url base, asked, target;
	struct buf html, head, got;
	struct blocked_body body;
	struct blocked blocked;

	page_signs_init(&signs);
	page_text_init(&text);
	url_init(&base);
	url_init(&asked);
	url_init(&target);
	buf_init(&html, MAX);
	buf_init(&head, MAX);
	buf_init(&got, MAX);
	CHECK_INT(url_parse(&base, SLICE("https://example.org/"), NULL, NULL), 0);
	CHECK_INT(
		url_parse(&asked, slice_str(rows[i].url ? rows[i].url : "/page"), &base, NULL), 0);
	if (rows[i].target)
		CHECK_INT(url_parse(&target, slice_str(rows[i].target), &base, NULL), 0);
	if (rows[i].html) {
		write_page(&html, rows[i].html);
		read_page(buf_slice(&html), &signs, &text);
	}
	(void)buf_printf(&head, "HTTP/1.1 %u x\r\n%s\r\n\r\n", rows[i].status,
		rows[i].head ? rows[i].head : "A: b");
	CHECK_INT(fields_parse(&fields, head.ptr, head.len), 0);
	body = blocked_read(&signs, &text);
	blocked = blocked_judge(&(struct blocked_facts){.status = rows[i].status,
		.fields = &fields,
		.asked = &asked,
		.target = rows[i].target ? &target : NULL,
		.body = rows[i].html ? &body : NULL});
	if (blocked.kind)
		(void)buf_printf(&got, "%s: %s", blocked_kind_name(blocked.kind), blocked.reason);
	CHECK_STR(buf_str(&got), rows[i].want);
	buf_release(&got);
	buf_release(&head);
	buf_release(&html);
	fields_release(&fields);
	url_release(&target);
	url_release(&asked);
	url_release(&base);
	page_text_release(&text);
	page_signs_release(&signs);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("blocked: %s", rows[i].label);
		check_row(i);
	}
	return tap_done();
}
