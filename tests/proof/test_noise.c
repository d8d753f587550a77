/*
 * Noise of known platforms, each pair with the rule that must explain it, and what else a
 * comparison promises: duties, rules that are off, the user's rules, learned places, limits,
 * hostile input.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "proof/learned.h"
#include "proof/noise_rules.h"
#include "proof/proof.h"
#include "tap.h"

enum { LOOK_A = 1794947376, LOOK_B = LOOK_A + 600 }; /* 2026-11-17T20:29:36Z, and ten minutes on */

static struct proof_params params_of(slice a, slice b, slice type)
{
	return (struct proof_params){.a = {a, type, (int64_t)LOOK_A * 1000000000},
		.b = {b, type, (int64_t)LOOK_B * 1000000000},
		.url = SLICE("https://www.example.org/dir/page"),
		.all = true};
}

static struct proof_params swapped(struct proof_params p)
{
	struct proof_look a = p.a;

	p.a = p.b;
	p.b = a;
	return p;
}

static bool has_rule(const struct proof *c, const char *name)
{
	for (size_t i = 0; i < c->rules.len; i++)
		if (slice_eq(c->rules.ptr[i].name, slice_str(name)))
			return true;
	return false;
}

static void show(const struct proof *c)
{
	if (c->limit)
		tap_note("limit: %s", c->limit);
	for (size_t i = 0; i < c->places.len && i < 12; i++)
		tap_note("%s [%.*s] %.80s -> %.80s", c->places.ptr[i].where.ptr,
			(int)c->places.ptr[i].rule.len,
			c->places.ptr[i].rule.ptr ? c->places.ptr[i].rule.ptr : "",
			c->places.ptr[i].a.ptr ? c->places.ptr[i].a.ptr : "(none)",
			c->places.ptr[i].b.ptr ? c->places.ptr[i].b.ptr : "(none)");
}

static const struct {
	const char *rule, *label, *a, *b;
} PAGES[] = {
	{"attribute-order", "order", "<p id=a class=b>x</p>", "<p class=b id=a>x</p>"},
	{"class-order", "order of classes", "<p class=\"b a\">x</p>", "<p class=\"a b b\">x</p>"},
	{"spelling", "quotes", "<p title='a'>x</p>", "<p title=\"a\">x</p>"},
	{"spelling", "references", "<p>a &amp; b&eacute;</p>", "<p>a &#38; b\xc3\xa9</p>"},
	{"spelling", "case of a tag", "<P>x</P>", "<p>x</p>"},
	{"spelling", "a slash", "<br/>x", "<br>x"},
	{"spelling", "an empty element of SVG", "<svg><path d='M0'/></svg>",
		"<svg><path d='M0'></path></svg>"},
	{"spelling", "a flag", "<input disabled>", "<input disabled=\"disabled\">"},
	{"white-space", "between blocks", "<div>a</div>\n<div>b</div>",
		"<div>a</div>\n\n  <div>b</div>"},
	{"white-space", "runs in text", "<p>a  b\n c</p>", "<p>a b c</p>"},
	{"white-space", "ends of lines", "<p> a </p>", "<p>a</p>"},
	{"white-space", "indentation below a style sheet",
		"<link rel=stylesheet href=/s.css><div class=a>\n  <p>x</p>\n</div>",
		"<link rel=stylesheet href=/s.css><div class=a>\n\t\t<p>x</p>\n\n</div>"},
	{"white-space", "in a script", "<script>a = 1;\nb = 2;</script>",
		"<script>a=1;  b=2;</script>"},
	{"white-space", "in a style", "<style>a { top: 0; }</style>", "<style>a{top:0;}</style>"},
	{"comment", "a comment", "<p>a</p><!-- 1 -->", "<p>a</p><!-- 2 -->"},
	{"comment", "a comment in a text", "<p>a<!-- 1 -->b</p>", "<p>ab</p>"},
	{"comment", "MediaWiki's report",
		"<p>x</p><!-- \nNewPP limit report\nCPU time usage: 0.012 seconds\n-->",
		"<p>x</p><!-- \nNewPP limit report\nCPU time usage: 0.019 seconds\n-->"},
	{"comment", "a cache's line", "<p>x</p><!-- Cached at 20:29:36 -->",
		"<p>x</p><!-- Cached at 20:39:36 -->"},
	{"script-comment", "line", "<script>a();// 1\nb();</script>",
		"<script>a();// 2\nb();</script>"},
	{"script-comment", "block", "<script>/* build 1 */a();</script>",
		"<script>/* build 2 */a();</script>"},
	{"css-comment", "comment", "<style>/* 1 */a{top:0}</style>",
		"<style>/* 2 */a{top:0}</style>"},
	/* tokens of forms */
	{"token", "Rails", "<meta name=\"csrf-token\" content=\"k9Xq2LmZ8pVb3RtY7wNc\">",
		"<meta name=\"csrf-token\" content=\"Qe4TzB1hYs6JfKd0UaGo\">"},
	{"token", "Django",
		"<input type=hidden name=csrfmiddlewaretoken value=k9Xq2LmZ8pVb3RtY7wNc5>",
		"<input type=hidden name=csrfmiddlewaretoken value=Qe4TzB1hYs6JfKd0UaGoP>"},
	{"token", "Laravel", "<input type=hidden name=_csrf_token value=k9Xq2LmZ8pVb3RtY7wNc>",
		"<input type=hidden name=_csrf_token value=Qe4TzB1hYs6JfKd0UaGo>"},
	{"request-id", "Laravel's short name",
		"<input type=hidden name=_token value=k9Xq2LmZ8pVb3RtY7wNc>",
		"<input type=hidden name=_token value=Qe4TzB1hYs6JfKd0UaGo>"},
	{"token", "Drupal",
		"<input type=hidden name=form_build_id value=form-k9Xq2LmZ8pVb3RtY7wNc>",
		"<input type=hidden name=form_build_id value=form-Qe4TzB1hYs6JfKd0UaGo>"},
	{"token", "Drupal, hex digits",
		"<input type=hidden name=form_build_id value=form-8563929577d3373a>",
		"<input type=hidden name=form_build_id value=form-0bba5f11c25c2ec8>"},
	{"token", "WordPress", "<script>var wp={\"ajax_nonce\":\"3f9a1c7e52\"};</script>",
		"<script>var wp={\"ajax_nonce\":\"b80d46f1a9\"};</script>"},
	{"token", "WordPress, four of ten digits alike",
		"<script>var wp={\"ajax_nonce\":\"5b389aef8a\"};</script>",
		"<script>var wp={\"ajax_nonce\":\"c51891ef93\"};</script>"},
	{"token", "WordPress field", "<input type=hidden name=_wpnonce value=3f9a1c7e52>",
		"<input type=hidden name=_wpnonce value=b80d46f1a9>"},
	{"token", "Moodle", "<script>M.cfg={\"sesskey\":\"aB3dE5gH7j\"};</script>",
		"<script>M.cfg={\"sesskey\":\"Zk9mX2vC4q\"};</script>"},
	{"token", "Moodle link", "<a href=\"/login/logout.php?sesskey=aB3dE5gH7j\">x</a>",
		"<a href=\"/login/logout.php?sesskey=Zk9mX2vC4q\">x</a>"},
	{"token", "DokuWiki", "<input type=hidden name=sectok value=3f9a1c7e523f9a1c7e52aa01>",
		"<input type=hidden name=sectok value=b80d46f1a9b80d46f1a9cc93>"},
	{"token", "MediaWiki", "<input type=hidden name=wpEditToken value=\"3f9a1c7e523f9a1c+\">",
		"<input type=hidden name=wpEditToken value=\"b80d46f1a9b80d46+\">"},
	{"token", "MyBB", "<input type=hidden name=my_post_key value=3f9a1c7e523f9a1c>",
		"<input type=hidden name=my_post_key value=b80d46f1a9b80d46>"},
	{"token", "vBulletin", "<script>var SECURITYTOKEN = \"1794947376-3f9a1c7e52d1\";</script>",
		"<script>var SECURITYTOKEN = \"1794947976-b80d46f1a9b8\";</script>"},
	{"token", "phpBB", "<input type=hidden name=form_token value=3f9a1c7e523f9a1c>",
		"<input type=hidden name=form_token value=b80d46f1a9b80d46>"},
	{"generated-time", "phpBB's time",
		"<input type=hidden name=creation_time value=1794947376>",
		"<input type=hidden name=creation_time value=1794947976>"},
	{"token", "ASP.NET",
		"<input type=hidden name=__RequestVerificationToken value=k9Xq2LmZ8pVb3RtY7wNc>",
		"<input type=hidden name=__RequestVerificationToken value=Qe4TzB1hYs6JfKd0UaGo>"},
	{"page-state", "ASP.NET's state",
		"<input type=hidden name=__VIEWSTATE value=\"/wEPDwUKMTY0k9Xq2LmZ8pVb3RtY7wNc\">",
		"<input type=hidden name=__VIEWSTATE value=\"/wEPDwUKMTY0Qe4TzB1hYs6JfKd0UaGo\">"},
	{"token", "Discourse", "<meta name=csrf-token content=\"k9Xq2LmZ8pVb3RtY7wNc==\">",
		"<meta name=csrf-token content=\"Qe4TzB1hYs6JfKd0UaGo==\">"},
	{"rename", "Joomla", "<input type=hidden name=3f9a1c7e523f9a1c7e523f9a1c7e5201 value=1>",
		"<input type=hidden name=b80d46f1a9b80d46f1a9b80d46f1a993 value=1>"},
	{"generated-time", "MediaWiki's start time",
		"<input type=hidden value=20261117202936 name=wpStarttime>",
		"<input type=hidden value=20261117203936 name=wpStarttime>"},
	{"generated-time", "MediaWiki's new page",
		"<input type=hidden value=20261117202936 name=wpEdittime>",
		"<input type=hidden value=20261117203936 name=wpEdittime>"},
	{"token", "MediaWiki's login",
		"<input name=wpLoginToken type=hidden "
		"value='78485c8060d8115af9d06d1a124764fd6afd20e0+\\'>",
		"<input name=wpLoginToken type=hidden "
		"value='0517589313bc466f7464fd18d69af0126afd20f8+\\'>"},
	{"request-id", "MediaWiki's request",
		"<script>RLCONF={\"wgRequestId\":\"a3c1f0b2-7d44-4e0f-9b11-2f6d1c5e8a90\"};</"
		"script>",
		"<script>RLCONF={\"wgRequestId\":\"0d9e8f71-63a2-4c5b-8e77-b1a4c2d3e6f5\"};</"
		"script>"},
	{"timing", "MediaWiki's time",
		"<script>mw.config.set({\"wgBackendResponseTime\":123});</script>",
		"<script>mw.config.set({\"wgBackendResponseTime\":98});</script>"},
	{"generated-time", "MediaWiki's cache",
		"<script>RLCONF={\"cachereport\":{\"timestamp\":\"20261117190036\",\"ttl\":86400}"
		"};</script>",
		"<script>RLCONF={\"cachereport\":{\"timestamp\":\"20261117203436\",\"ttl\":86400}"
		"};</script>"},
	{"generated-at", "MediaWiki's recent changes",
		"<a href=\"/x?from=20261117202936&amp;fromFormatted=20%3A29%2C+17+November+2026\">"
		"Show new changes starting from 20:29, 17 November 2026</a>",
		"<a href=\"/x?from=20261117203936&amp;fromFormatted=20%3A39%2C+17+November+2026\">"
		"Show new changes starting from 20:39, 17 November 2026</a>"},
	{"timing", "New Relic",
		"<script>NREUM.info={\"queueTime\":0,\"applicationTime\":1329};</script>",
		"<script>NREUM.info={\"queueTime\":1,\"applicationTime\":1401};</script>"},
	{"tracking-pixel", "DokuWiki's pixel",
		"<img src=\"/lib/exe/taskrunner.php?id=start&amp;1794947376\" width=2 height=1 "
		"alt=\"\">",
		"<img src=\"/lib/exe/taskrunner.php?id=start&amp;1794947976\" width=2 height=1 "
		"alt=\"\">"},
	{"rename", "Drupal views",
		"<div class=\"view js-view-dom-id-3f9a1c7e523f9a1c7e52\">x</div>",
		"<div class=\"view js-view-dom-id-b80d46f1a9b80d46f1a9\">x</div>"},
	/* nonces, hashes */
	{"nonce", "nonce", "<script nonce=k9Xq2LmZ8pVb3RtY>a()</script>",
		"<script nonce=Qe4TzB1hYs6JfKd0>a()</script>"},
	/* networks */
	{"cdn-challenge", "Cloudflare",
		"<script>window.__CF$cv$params={r:'8e3f9a1c7e52d1b0',t:'MTc5NDk0NzM3Ni4wMDAwMDA='};"
		"</script>",
		"<script>window.__CF$cv$params={r:'b80d46f1a9c3e7f2',t:'MTc5NDk0Nzk3Ni4wMDAwMDA='};"
		"</script>"},
	{"cdn-loader", "Cloudflare's loader",
		"<script type=\"3f9a1c7e523f9a1c7e523f9a-text/javascript\">a()</script>",
		"<script type=\"b80d46f1a9b80d46f1a9b80d-text/javascript\">a()</script>"},
	{"cdn-beacon", "Cloudflare's beacon",
		"<script src=\"https://static.cloudflareinsights.com/beacon.min.js\" "
		"data-cf-beacon='{\"rayId\":\"8e3f9a1c7e52d1b0\"}'></script>",
		"<script src=\"https://static.cloudflareinsights.com/beacon.min.js\" "
		"data-cf-beacon='{\"rayId\":\"b80d46f1a9c3e7f2\"}'></script>"},
	{"email-encoding", "the same address",
		"<a href=\"/cdn-cgi/l/email-protection#422302206c2d3025\">x</a>",
		"<a href=\"/cdn-cgi/l/email-protection#1776577539786570\">x</a>"},
	{"visible-id", "a shown id", "<p>Ray ID: <code>8e3f9a1c7e52d1b0</code></p>",
		"<p>Ray ID: <code>b80d46f1a9c3e7f2</code></p>"},
	/* footers */
	{"generated-at", "cgit",
		"<div class='footer'>generated by <a href='/about/'>cgit v1.2.3</a> (<a "
		"href='/g'>git 2.39.2</a>) at 2026-11-17 20:29:36 +0000</div>",
		"<div class='footer'>generated by <a href='/about/'>cgit v1.2.3</a> (<a "
		"href='/g'>git 2.39.2</a>) at 2026-11-17 20:39:36 +0000</div>"},
	{"relative-time", "cgit's ages",
		"<td><span class='age-mins' title='2026-11-17'>3 min.</span></td>",
		"<td><span class='age-mins' title='2026-11-17'>13 min.</span></td>"},
	{"relative-time", "cgit's ages, other unit",
		"<td><span class='age-mins'>117 min.</span></td>",
		"<td><span class='age-hours'>2 hours</span></td>"},
	{"relative-time", "gitweb's ages", "<td class=age1><i>20 min ago</i></td>",
		"<td class=age1><i>30 min ago</i></td>"},
	{"relative-time", "an age", "<p>Posted 5 minutes ago by X</p>",
		"<p>Posted 15 minutes ago by X</p>"},
	{"generated-in", "gitweb",
		"<div>This page took <span id=generating_time>0.64</span> seconds and <span "
		"id=generating_cmd>7</span> git commands to generate.</div>",
		"<div>This page took <span id=generating_time>0.59</span> seconds and <span "
		"id=generating_cmd>7</span> git commands to generate.</div>"},
	{"generated-in", "Fossil",
		"<div>This page was generated in about 0.005s by Fossil 2.24</div>",
		"<div>This page was generated in about 0.011s by Fossil 2.24</div>"},
	{"generated-in", "SMF", "<p>Page created in 0.051 seconds with 20 queries.</p>",
		"<p>Page created in 0.049 seconds with 21 queries.</p>"},
	{"generated-in", "Discuz", "<p>Processed in 0.023455 second(s), 8 queries .</p>",
		"<p>Processed in 0.031002 second(s), 8 queries .</p>"},
	{"generated-in", "MyBB", "<p>Page generated in 0.0123 seconds</p>",
		"<p>Page generated in 0.0200 seconds</p>"},
	{"generated-in", "phpBB", "<p>Time: 0.045s | Peak Memory Usage: 9.9 MiB</p>",
		"<p>Time: 0.051s | Peak Memory Usage: 9.8 MiB</p>"},
	{"generated-in", "WordPress themes", "<p>25 queries in 0.345 seconds.</p>",
		"<p>25 queries in 0.401 seconds.</p>"},
	{"generated-at", "phpBB's clock", "<p>It is currently Tue Nov 17, 2026 8:29 pm</p>",
		"<p>It is currently Tue Nov 17, 2026 8:39 pm</p>"},
	{"generated-at", "vBulletin's clock", "<p>The time now is 08:29 PM.</p>",
		"<p>The time now is 08:39 PM.</p>"},
	/* names that programs make */
	{"rename", "ids and what refers to them",
		"<label for=f8f3a9c1b77aa>x</label><input id=f8f3a9c1b77aa>",
		"<label for=f19bd77e02c41>x</label><input id=f19bd77e02c41>"},
	{"rename", "short ids, three of six digits alike", "<div id=panel-51ed2f>x</div>",
		"<div id=panel-500b2f>x</div>"},
	{"rename", "short ids, one of letters alone", "<div id=panel-93b337>x</div>",
		"<div id=panel-becbde>x</div>"},
	{"rename", "ids in scripts",
		"<div id=\"wrap-8f3a9c1b77aa\"></div><script>go('#wrap-8f3a9c1b77aa')</script>",
		"<div id=\"wrap-19bd77e02c41\"></div><script>go('#wrap-19bd77e02c41')</script>"},
	{"rename", "ids in styles", "<style>#u8f3a9c1b77aa{top:0}</style><p id=u8f3a9c1b77aa>x</p>",
		"<style>#u19bd77e02c41{top:0}</style><p id=u19bd77e02c41>x</p>"},
	{"rename", "emotion", "<style>.css-1x2y3z4{top:0}</style><p class=css-1x2y3z4>x</p>",
		"<style>.css-9k8w7v6{top:0}</style><p class=css-9k8w7v6>x</p>"},
	{"rename", "references of SVG",
		"<svg><clipPath id=c8f3a9c1b77aa /><path clip-path=\"url(#c8f3a9c1b77aa)\"/></svg>",
		"<svg><clipPath id=c19bd77e02c41 /><path "
		"clip-path=\"url(#c19bd77e02c41)\"/></svg>"},
	{"generated-time", "a script's clock", "<script>var serverTime=1794947376123;</script>",
		"<script>var serverTime=1794947976321;</script>"},
	{"generated-time", "cookie", "<script>document.cookie='now=1794947376; path=/'</script>",
		"<script>document.cookie='now=1794947976; path=/'</script>"},
	{"build-id", "a build", "<script>var buildId='k9Xq2LmZ8pVb3RtY7wNc';</script>",
		"<script>var buildId='Qe4TzB1hYs6JfKd0UaGo';</script>"},
	{"token", "JSON in an attribute",
		"<div data-x='{\"csrfToken\":\"3f9a1c7e52d1\",\"a\":1}'></div>",
		"<div data-x='{\"csrfToken\":\"b80d46f1a9c3\",\"a\":1}'></div>"},
	{"token", "HTML in JSON",
		"<script>x={\"form\":\"<input type=\\\"hidden\\\" name=\\\"csrf\\\" "
		"value=\\\"3f9a1c7e52d1\\\">\"}</script>",
		"<script>x={\"form\":\"<input type=\\\"hidden\\\" name=\\\"csrf\\\" "
		"value=\\\"b80d46f1a9c3\\\">\"}</script>"},
	{"session-url", "Java", "<a href=\"/x;jsessionid=3F9A1C7E523F9A1C7E52\">x</a>",
		"<a href=\"/x;jsessionid=B80D46F1A9B80D46F1A9\">x</a>"},
	{"token", "PHP", "<a href=\"/x?a=1&amp;PHPSESSID=3f9a1c7e523f9a1c7e52\">x</a>",
		"<a href=\"/x?a=1&amp;PHPSESSID=b80d46f1a9b80d46f1a9\">x</a>"},
	{"same-address", "host", "<a href=\"https://www.example.org/a\">x</a>",
		"<a href=\"/a\">x</a>"},
	{"relative-time", "German", "<p><time>vor 5 Minuten</time></p>",
		"<p><time>vor 15 Minuten</time></p>"},
	{"relative-time", "German, one", "<p><time>vor 55 Minuten</time></p>",
		"<p><time>vor einer Stunde</time></p>"},
	{"relative-time", "French", "<p><time>il y a 5 minutes</time></p>",
		"<p><time>il y a 15 minutes</time></p>"},
	{"relative-time", "Spanish", "<p><time>hace 5 minutos</time></p>",
		"<p><time>hace 15 minutos</time></p>"},
	{"relative-time", "Italian", "<p><time>5 minuti fa</time></p>",
		"<p><time>15 minuti fa</time></p>"},
	{"relative-time", "Dutch", "<p><time>5 minuten geleden</time></p>",
		"<p><time>15 minuten geleden</time></p>"},
	{"relative-time", "Polish", "<p><time>5 minut temu</time></p>",
		"<p><time>15 minut temu</time></p>"},
	{"relative-time", "Russian", "<p><time>5 минут назад</time></p>",
		"<p><time>15 минут назад</time></p>"},
	{"relative-time", "Japanese", "<p><time>5分前</time></p>", "<p><time>15分前</time></p>"},
	{"relative-time", "Chinese", "<p><time>5 分钟前</time></p>",
		"<p><time>15 分钟前</time></p>"},
	{"relative-time", "Swedish", "<p><time>för 5 minuter sedan</time></p>",
		"<p><time>för 15 minuter sedan</time></p>"},
	{"relative-time", "led by a word", "<p><time>Updated 5 minutes ago</time></p>",
		"<p><time>Updated 15 minutes ago</time></p>"},
	{"relative-time", "to another unit", "<p><time>59 minutes ago</time></p>",
		"<p><time>an hour ago</time></p>"},
	{"relative-time", "just now", "<p><time>just now</time></p>",
		"<p><time>10 minutes ago</time></p>"},
	{"generated-in", "SMF in German",
		"<p>Seite erstellt in 0.051 Sekunden mit 20 Abfragen.</p>",
		"<p>Seite erstellt in 0.049 Sekunden mit 21 Abfragen.</p>"},
	{"generated-in", "SMF in French", "<p>Page générée en 0.051 secondes avec 20 requêtes.</p>",
		"<p>Page générée en 0.049 secondes avec 21 requêtes.</p>"},
	{"generated-in", "in Russian", "<p>Страница сгенерирована за 0.051 секунд</p>",
		"<p>Страница сгенерирована за 0.049 секунд</p>"},
	{"generated-at", "phpBB in German", "<p>Aktuelle Zeit: Di 17. Nov 2026, 20:29</p>",
		"<p>Aktuelle Zeit: Di 17. Nov 2026, 20:39</p>"},
	{"generated-at", "phpBB in French", "<p>Nous sommes le mar. 17 nov. 2026 20:29</p>",
		"<p>Nous sommes le mar. 17 nov. 2026 20:39</p>"},
	{"generated-at", "another time zone", "<p>The time now is 03:29 PM.</p>",
		"<p>The time now is 03:39 PM.</p>"},
	{"nonce", "a policy",
		"<meta http-equiv=Content-Security-Policy content=\"script-src "
		"'nonce-k9Xq2LmZ8pVb3RtY' a.example\">",
		"<meta http-equiv=Content-Security-Policy content=\"script-src "
		"'nonce-Qe4TzB1hYs6JfKd0' a.example\">"},
	{"request-id", "React Router",
		"<script>x={\"location\":{\"pathname\":\"/\",\"search\":\"\",\"hash\":\"\","
		"\"key\":\"56e40pmx\"}}</script>",
		"<script>x={\"location\":{\"pathname\":\"/\",\"search\":\"\",\"hash\":\"\","
		"\"key\":\"krvewsnr\"}}</script>"},
	{"rename", "Liferay", "<input id=_com_liferay_a_SearchBarPortlet_kmnd>",
		"<input id=_com_liferay_a_SearchBarPortlet_rxka>"},
	{"request-id", "one session in all links",
		"<a href=\"/a?sid=3f9a1c7e523f9a1c\">x</a><a "
		"href=\"/b?sid=3f9a1c7e523f9a1c\">y</a>",
		"<a href=\"/a?sid=b80d46f1a9b80d46\">x</a><a "
		"href=\"/b?sid=b80d46f1a9b80d46\">y</a>"},
	{"generated-time", "a session's end",
		"<script>x={expires:\"Tue, 17 Nov 2026 20:49:36 GMT\"}</script>",
		"<script>x={expires:\"Tue, 17 Nov 2026 20:59:36 GMT\"}</script>"},
	{"amp-version", "AMP", "<p i-amphtml-version=012411081820001>x</p>",
		"<p i-amphtml-version=012411200003000>x</p>"},
};

static void wrap(char *out, size_t size, const char *middle)
{
	(void)snprintf(out, size,
		"<!DOCTYPE html><html><head><title>A</title></head><body>"
		"<p>Some words before it.</p>%s<p>Some words behind it.</p></body></html>",
		middle);
}

static void check_noise(const char *rule, slice a, slice b, slice type)
{
	struct proof_params p = params_of(a, b, type), q = swapped(p);
	struct proof c, d;

	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK_INT(proof_compare(&q, &d), 0);
	CHECK_INT(c.same, d.same);
	if (!CHECK_INT(c.same, PROOF_NORMALISED) || !CHECK(has_rule(&c, rule)))
		show(&c);
	for (size_t i = 0; i < c.places.len && c.same == PROOF_NORMALISED; i++)
		CHECK(c.places.ptr[i].rule.ptr != NULL);
	proof_release(&c);
	proof_release(&d);
}

static void test_pages(void)
{
	char a[2048], b[2048];

	for (size_t i = 0; i < ARRAY_LEN(PAGES); i++) {
		tap_case("%s: %s", PAGES[i].rule, PAGES[i].label);
		wrap(a, sizeof a, PAGES[i].a);
		wrap(b, sizeof b, PAGES[i].b);
		check_noise(PAGES[i].rule, slice_str(a), slice_str(b), SLICE("text/html"));
	}
}

static const struct {
	const char *rule, *type, *a, *b;
} OTHERS[] = {
	{"white-space", "application/json", "{\"a\": 1}", "{\"a\":1}"},
	{"token", "application/json", "{\"csrf_token\":\"3f9a1c7e52d1\"}",
		"{\"csrf_token\":\"b80d46f1a9c3\"}"},
	{"generated-time", "application/json", "{\"timestamp\":1794947376}",
		"{\"timestamp\":1794947976}"},
	{"generated-time", "application/json", "{\"generated_at\":\"2026-11-17T20:29:36Z\"}",
		"{\"generated_at\":\"2026-11-17T20:39:36Z\"}"},
	{"token", "application/json", /* oEmbed of WordPress */
		"{\"html\":\"<blockquote data-secret=\\\"aB3dE5gH7j\\\">x</blockquote>"
		"<iframe src=\\\"https://a.org/embed/#?secret=aB3dE5gH7j\\\" "
		"data-secret=\\\"aB3dE5gH7j\\\"></iframe>\"}",
		"{\"html\":\"<blockquote data-secret=\\\"Zk9mX2vC4q\\\">x</blockquote>"
		"<iframe src=\\\"https://a.org/embed/#?secret=Zk9mX2vC4q\\\" "
		"data-secret=\\\"Zk9mX2vC4q\\\"></iframe>\"}"},
	{"token", "text/xml",
		"<oembed><html>&lt;blockquote "
		"data-secret=&quot;aB3dE5gH7j&quot;&gt;x&lt;/blockquote&gt;</html></oembed>",
		"<oembed><html>&lt;blockquote "
		"data-secret=&quot;Zk9mX2vC4q&quot;&gt;x&lt;/blockquote&gt;</html></oembed>"},
	{"generated-time", "application/rss+xml",
		"<rss><channel><lastBuildDate>Tue, 17 Nov 2026 20:29:36 "
		"+0000</lastBuildDate></channel></rss>",
		"<rss><channel><lastBuildDate>Tue, 17 Nov 2026 20:39:36 "
		"+0000</lastBuildDate></channel></rss>"},
	{"comment", "application/atom+xml", "<feed><!-- 1 --><title>a</title></feed>",
		"<feed><!-- 2 --><title>a</title></feed>"},
	{"white-space", "application/xml", "<a>\n<b>x</b></a>", "<a>\n  <b>x</b></a>"},
	{"script-comment", "application/javascript", "/* 1 */a()", "/* 2 */a()"},
	{"css-comment", "text/css", "/* 1 */a{top:0}", "/* 2 */a{top:0}"},
	{"white-space", "text/css", "a { top : 0 }", "a{top : 0}"},
	{"generated-at", "text/plain", "Report\nGenerated at 2026-11-17 20:29:36\nx\n",
		"Report\nGenerated at 2026-11-17 20:39:36\nx\n"},
	{"rename", "image/svg+xml", "<svg><g id=\"g8f3a9c1b77aa\"/></svg>",
		"<svg><g id=\"g19bd77e02c41\"/></svg>"},
};

static void test_other_types(void)
{
	for (size_t i = 0; i < ARRAY_LEN(OTHERS); i++) {
		tap_case("%s in %s: %.40s", OTHERS[i].rule, OTHERS[i].type, OTHERS[i].a);
		check_noise(OTHERS[i].rule, slice_str(OTHERS[i].a), slice_str(OTHERS[i].b),
			slice_str(OTHERS[i].type));
	}
}

/* --- duties --- */

static const struct {
	const char *rule, *a, *b, *duty_a, *duty_b;
} DUTIES[] = {
	{"asset-query", "<script src=\"/a.js?ver=6.1\"></script>",
		"<script src=\"/a.js?ver=6.2\"></script>", "https://www.example.org/a.js?ver=6.1",
		"https://www.example.org/a.js?ver=6.2"},
	{"asset-query", "<link rel=stylesheet href=\"a.css?tch2nc\">",
		"<link rel=stylesheet href=\"a.css?tch9k1\">",
		"https://www.example.org/dir/a.css?tch2nc",
		"https://www.example.org/dir/a.css?tch9k1"},
	{"asset-hash", "<script src=\"/app-8f3a9c1b.js\"></script>",
		"<script src=\"/app-19bd77e0.js\"></script>",
		"https://www.example.org/app-8f3a9c1b.js",
		"https://www.example.org/app-19bd77e0.js"},
	{"integrity", "<script src=/a.js integrity=sha384-k9Xq2LmZ8pVb3RtY7wNc></script>",
		"<script src=/a.js integrity=sha384-Qe4TzB1hYs6JfKd0UaGo></script>",
		"https://www.example.org/a.js", "https://www.example.org/a.js"},
	{"image-query", "<img src=\"/a.png?t=1794947376\">", "<img src=\"/a.png?t=1794947976\">",
		"https://www.example.org/a.png?t=1794947376",
		"https://www.example.org/a.png?t=1794947976"},
	{"asset-query", "<style>@font-face{src:url(/f.woff2?8f3a9c)}</style>",
		"<style>@font-face{src:url(/f.woff2?19bd77)}</style>",
		"https://www.example.org/f.woff2?8f3a9c", "https://www.example.org/f.woff2?19bd77"},
};

static void test_duties(void)
{
	char a[1024], b[1024];

	for (size_t i = 0; i < ARRAY_LEN(DUTIES); i++) {
		struct proof_params p;
		struct proof c;

		tap_case("a duty comes with %s: %s", DUTIES[i].rule, DUTIES[i].a);
		wrap(a, sizeof a, DUTIES[i].a);
		wrap(b, sizeof b, DUTIES[i].b);
		p = params_of(slice_str(a), slice_str(b), SLICE("text/html"));
		CHECK_INT(proof_compare(&p, &c), 0);
		if (!CHECK_INT(c.same, PROOF_NORMALISED))
			show(&c);
		CHECK(has_rule(&c, DUTIES[i].rule));
		if (CHECK_INT(c.duties.len, 1)) {
			CHECK_STR(c.duties.ptr[0].a.ptr, DUTIES[i].duty_a);
			CHECK_STR(c.duties.ptr[0].b.ptr, DUTIES[i].duty_b);
		}
		proof_release(&c);
	}
}

/* --- what parameters do --- */

static enum proof_same compare(struct proof_params p)
{
	enum proof_same same;
	struct proof c;

	CHECK_INT(proof_compare(&p, &c), 0);
	same = c.same;
	proof_release(&c);
	return same;
}

static void test_parameters(void)
{
	struct proof_params p = params_of(
		SLICE("<p>a</p><!-- 1 -->"), SLICE("<p>a</p><!-- 2 -->"), SLICE("text/html"));

	CHECK_INT(compare(p), PROOF_NORMALISED);
	p.off = (proof_rule_set)1 << RULE_COMMENT;
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p = params_of(SLICE("<p>a</p>"), SLICE("<p>a</p>"), SLICE("text/html"));
	CHECK_INT(compare(p), PROOF_BYTES);
	p.b.media_type = SLICE("text/html; charset=latin1");
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p.b.media_type = SLICE("text/plain");
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p.b.media_type = SLICE("TEXT/html");
	CHECK_INT(compare(p), PROOF_BYTES);
	p = params_of(SLICE("<p>3 minutes ago"), SLICE("<p>13 minutes ago"), SLICE("text/html"));
	CHECK_INT(compare(p), PROOF_NORMALISED);
	p.a.time = 0;
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p = params_of(SLICE("<script>now=1794947376"), SLICE("<script>now=1794947976"), SLICE(""));
	CHECK_INT(compare(p), PROOF_NORMALISED);
	p.a.time = p.b.time = 0;
	CHECK_INT(compare(p), PROOF_DIFFERENT);
}

static void test_user_rules(void)
{
	static const char FILE_TEXT[] = "select:ads .ad, #visitors\ntext:clock Clock [0-9:]+\n";
	static const struct {
		const char *label, *a, *b, *rule;
	} ROWS[] = {
		{"another one", "<p>a</p><div class=ad>1</div><p>b</p>",
			"<p>a</p><div class=ad>2</div><p>b</p>", "ignore:ads"},
		{"on one side", "<p>a</p><div class=ad>1</div><p>b</p>", "<p>a</p><p>b</p>",
			"ignore:ads"},
		{"with elements", "<p>a</p><div class=ad><i>1</i></div><p>b</p>",
			"<p>a</p><div class=ad><b>2</b><p>x</div><p>b</p>", "ignore:ads"},
		{"in a text", "<p>a <span class=ad>1</span> b</p>",
			"<p>a <span class=ad>2 3</span> b</p>", "ignore:ads"},
		{"text", "<p>Clock 10:11 x</p>", "<p>Clock 11:12 x</p>", "ignore:clock"},
		{"text across elements", "<p>Clock <b>10:11</b> x</p>",
			"<p>Clock <b>11:12</b> x</p>", "ignore:clock"},
		{"text beside it", "<p>Clock 10:11 x</p>", "<p>Clock 11:12 y</p>", NULL},
		{"element beside it", "<p>a</p><div class=ad>1</div>",
			"<p>b</p><div class=ad>2</div>", NULL},
	};
	struct ignore ig;
	struct err err = {0};

	ignore_init(&ig);
	CHECK_INT(ignore_parse(&ig, slice_str(FILE_TEXT), "rules", &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct proof_params p =
			params_of(slice_str(ROWS[i].a), slice_str(ROWS[i].b), SLICE("text/html"));
		struct proof c;

		tap_case("rules of the user: %s", ROWS[i].label);
		p.ignore = &ig;
		CHECK_INT(proof_compare(&p, &c), 0);
		if (!CHECK_INT(c.same, ROWS[i].rule ? PROOF_NORMALISED : PROOF_DIFFERENT))
			show(&c);
		CHECK(!ROWS[i].rule || has_rule(&c, ROWS[i].rule));
		CHECK(c.masked == 0);
		proof_release(&c);
	}
	ignore_release(&ig);
}

static void test_learned(void)
{
	struct proof_params p = params_of(
		SLICE("<script>zq={\"rt\":\"8f3a9c1b77aa19bd\"}</script><p>x"),
		SLICE("<script>zq={\"rt\":\"55aa66bb77cc88dd\"}</script><p>x"), SLICE("text/html"));
	struct proof_learned learned;
	struct proof c;

	proof_learned_init(&learned);
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK_INT(c.same, PROOF_DIFFERENT);
	if (CHECK_INT(c.places.len, 1)) {
		CHECK(c.places.ptr[0].can_learn);
		CHECK_INT(proof_learned_add(&learned, c.places.ptr[0].key), 0);
		CHECK_INT(proof_learned_add(&learned, c.places.ptr[0].key), 0);
	}
	proof_release(&c);
	p.learned = &learned;
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK_INT(c.same, PROOF_NORMALISED);
	CHECK(has_rule(&c, "learned"));
	proof_release(&c);
	/* short values are, by what the probes have shown */
	p.b.body = SLICE("<script>zq={\"rt\":\"k4711\"}</script><p>x");
	CHECK_INT(compare(p), PROOF_NORMALISED);
	/* another difference at the same place, words, and text are not explained by it */
	p.a.body = SLICE("<script>zq={\"rt\":\"8f3a9c1b77aa19bd\",\"rt\":1}</script><p>x");
	p.b.body = SLICE("<script>zq={\"rt\":\"55aa66bb77cc88dd\",\"rt\":2}</script><p>x");
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p.a.body = SLICE("<script>zq={\"rt\":\"8f3a9c1b77aa19bd\"}</script><p>x");
	p.b.body = SLICE("<script>zq={\"rt\":\"words\"}</script><p>x");
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p = params_of(
		SLICE("<p>8f3a9c1b77aa19bd"), SLICE("<p>55aa66bb77cc88dd"), SLICE("text/html"));
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK(c.places.len == 1 && !c.places.ptr[0].can_learn);
	CHECK_INT(proof_learned_add(&learned, c.places.ptr[0].key), 0);
	proof_release(&c);
	p.learned = &learned;
	CHECK_INT(compare(p), PROOF_DIFFERENT);
	p = params_of(SLICE("<img src=/8f3a9c1b77aa19bd>"), SLICE("<img src=/55aa66bb77cc88dd>"),
		SLICE("text/html"));
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK(c.places.len == 1 && !c.places.ptr[0].can_learn);
	proof_release(&c);
	proof_learned_release(&learned);
}

static void test_changed_in(void)
{
	static const struct {
		const char *a, *b;
		unsigned in;
	} ROWS[] = {
		{"<p>a</p>", "<p>b</p>", PROOF_IN_TEXT},
		{"<img alt=a>", "<img alt=b>", PROOF_IN_TEXT},
		{"<a href=/a>x</a>", "<a href=/b>x</a>", PROOF_IN_LINKS},
		{"<p>a</p>", "<div>a</div>", PROOF_IN_STRUCTURE},
		{"<p lang=de>a</p>", "<p lang=en>a</p>", PROOF_IN_ATTRIBUTES},
		{"<script>a(1)</script>", "<script>a(2)</script>", PROOF_IN_CODE},
		{"<p onclick=a()>x</p>", "<p onclick=b()>x</p>", PROOF_IN_CODE},
		{"<style>a{top:0}</style>", "<style>a{top:1px}</style>", PROOF_IN_STYLE},
		{"<p style=top:0>x</p>", "<p style=top:1px>x</p>", PROOF_IN_STYLE},
		{"<p class=a>x</p>", "<p class=b>x</p>", PROOF_IN_STYLE},
		{"<p data-a=1>x</p>", "<p data-a=2>x</p>", PROOF_IN_DATA},
		{"<script type=application/json>[1]</script>",
			"<script type=application/json>[2]</script>", PROOF_IN_DATA},
		{"<p>a</p><p lang=de>x</p>", "<p>b</p><p lang=en>x</p>",
			PROOF_IN_TEXT | PROOF_IN_ATTRIBUTES},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct proof_params p =
			params_of(slice_str(ROWS[i].a), slice_str(ROWS[i].b), SLICE("text/html"));
		struct proof c;

		tap_case("changed in: %s -> %s", ROWS[i].a, ROWS[i].b);
		CHECK_INT(proof_compare(&p, &c), 0);
		CHECK_INT(c.same, PROOF_DIFFERENT);
		if (!CHECK_INT(c.changed_in, ROWS[i].in))
			show(&c);
		proof_release(&c);
	}
}

/* --- input that is meant to hurt --- */

static void fill(struct buf *b, const char *piece, size_t size)
{
	buf_reset(b);
	while (b->len + strlen(piece) <= size)
		CHECK(buf_add_str(b, piece) == 0);
}

static void test_hostile(void)
{
	static const char *const PIECES[] = {"<", "\"", "[", "{", "(", "<b>", "<b a=1>", "</b>",
		"<!--", "<script>", "`${", "/*", "//", "&amp;", "a ", "<p>x", "<svg>", "1,", "url(",
		"\\", "'", "/", "<a b c d e f g h i j>", "\xff", "\r", "{\"a\":", "ago 1 ",
		"white-space:pre{"};
	static const char *const TYPES[] = {"text/html", "application/xml", "text/javascript",
		"application/json", "text/css", "text/plain"};
	size_t size = tap_rounds(128 << 10);
	struct buf a, b;

	buf_init(&a, PROOF_BODY_MAX);
	buf_init(&b, PROOF_BODY_MAX);
	for (size_t t = 0; t < ARRAY_LEN(TYPES); t++)
		for (size_t i = 0; i < ARRAY_LEN(PIECES); i++) {
			tap_case("many of %s as %s", PIECES[i], TYPES[t]);
			fill(&a, PIECES[i], size);
			fill(&b, PIECES[(i + 1) % ARRAY_LEN(PIECES)], size / 2);
			(void)compare(params_of(buf_slice(&a), buf_slice(&b), slice_str(TYPES[t])));
			fill(&b, PIECES[i], size / 2);
			CHECK_INT(buf_add_str(&b, "<x>1</x>"), 0);
			(void)compare(params_of(buf_slice(&a), buf_slice(&b), slice_str(TYPES[t])));
		}
	buf_release(&a);
	buf_release(&b);
}

static void test_limits(void)
{
	struct proof_params p;
	struct buf a, b;
	struct proof c;

	buf_init(&a, PROOF_BODY_MAX + 10);
	buf_init(&b, PROOF_BODY_MAX + 10);
	fill(&a, "<p>a</p>", PROOF_BODY_MAX);
	CHECK_INT(buf_add_str(&a, "<p>a</p>"), 0);
	p = params_of(buf_slice(&a), SLICE("<p>a</p>"), SLICE("text/html"));
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK(c.same == PROOF_DIFFERENT && c.limit);
	proof_release(&c);
	/* tokens of which none is there once, in other orders */
	buf_reset(&a);
	for (unsigned i = 0; i < 40000; i++) {
		CHECK_INT(buf_add_str(&a, i * i % 7 < 3 ? "<b>" : "<i>"), 0);
		CHECK_INT(buf_add_str(&b, i * i * i % 11 < 4 ? "<b>" : "<i>"), 0);
	}
	p = params_of(buf_slice(&a), buf_slice(&b), SLICE("text/html"));
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK(c.same == PROOF_DIFFERENT && c.limit);
	proof_release(&c);
	/* more places than are kept */
	buf_reset(&a);
	buf_reset(&b);
	for (unsigned i = 0; i < PROOF_PLACES_MAX + 10; i++) {
		CHECK_INT(buf_printf(&a, "<p title=a>%u</p>", i), 0);
		CHECK_INT(buf_printf(&b, "<p title='a'>%u</p>", i), 0);
	}
	p = params_of(buf_slice(&a), buf_slice(&b), SLICE("text/html"));
	CHECK_INT(proof_compare(&p, &c), 0);
	CHECK(c.same == PROOF_DIFFERENT && c.limit);
	proof_release(&c);
	buf_release(&a);
	buf_release(&b);
}

static void test_rules(void)
{
	enum proof_rule_id id;

	for (size_t i = 0; i < RULE_COUNT; i++) {
		const char *name = proof_rule_name((enum proof_rule_id)i);

		CHECK(proof_rule_find(slice_str(name), &id) && id == i);
		CHECK(strlen(proof_rule_summary((enum proof_rule_id)i)) > 10);
	}
	CHECK(RULE_COUNT <= 64);
	CHECK(!proof_rule_find(SLICE("no such rule"), &id));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_pages();
	test_other_types();
	test_duties();
	TAP_RUN(test_parameters);
	test_user_rules();
	TAP_RUN(test_learned);
	test_changed_in();
	TAP_RUN(test_limits);
	TAP_RUN(test_rules);
	test_hostile();
	return tap_done();
}
