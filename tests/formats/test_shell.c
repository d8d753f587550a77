/*
 * Pages that scripts fill, in the many forms they have, and pages that only use scripts. Written by
 * hand after what frameworks, libraries and tutorials produce.
 */
#include "formats/shell.h"

#include "base/buf.h"
#include "formats/blocked.h"
#include "tap.h"

enum { MAX = 1 << 20 };

/* @ stands for a paragraph of 300 characters, ~ for a link. */
struct row {
	const char *label;
	const char *html;
};

static const struct row SHELLS[] = {
	{"waits for its service worker", "<title>App</title><p>Loading…</"
					 "p><script>navigator.serviceWorker.register('/sw.js')"
					 ".then(()=>location.reload())</script>"},
	{"waits for its service worker to take over",
		"<h1>Notes</h1><div class=splash>Loading</div><script>const w=navigator."
		"serviceWorker;w.oncontrollerchange=()=>location.reload();w.register('sw.js')"
		"</script>"},
	{"waits for its service worker, with a logo",
		"<img src=logo.png><p>Please wait…</p><script>navigator['serviceWorker'].register("
		"'/sw.js').then(r=>navigator.serviceWorker.ready).then(()=>location.href='/app')"
		"</script>"},
	{"nothing until the service worker is there",
		"<script>navigator.serviceWorker.register('/sw.js').then(()=>location.reload())"
		"</script>"},
	{"installs its service worker",
		"<h1>Mail</h1><p>Installing the app…</p><script type=module>"
		"await navigator.serviceWorker.register('/sw.js');location.reload()</script>"},
	{"Workbox, and a place that is empty",
		"<main></main><script>new Workbox('/sw.js').register()</script>"},
	{"waits for its service worker, and counts visitors",
		"<p>Loading…</p><script>gtag('js',1);navigator.serviceWorker.register('/sw.js')"
		"</script>"},
	{"waits for its service worker, in an attribute",
		"<body onload=\"navigator.serviceWorker.register('/sw.js')\"><p>Wird geladen</p>"},
	{"fetch into a placeholder",
		"<title>News</title><div id=app>Loading…</div><script>fetch('/news.json').then(r=>"
		"r.json()).then(d=>{document.getElementById('app').textContent=d.text})</script>"},
	{"fetch, awaited", "<h1>Prices</h1><p id=p>Loading...</p><script>(async()=>{let r=await "
			   "fetch('p.json');p.innerHTML=await r.text()})()</script>"},
	{"XHR", "<h1>Shop</h1><div id=out></div><script>var x=new XMLHttpRequest();x.open('GET',"
		"'/d');x.onload=function(){document.getElementById('out').innerHTML=x.responseText}"
		";x.send()</script>"},
	{"old XHR",
		"<div id=out>please wait</div><script>var x=new ActiveXObject('Microsoft.XMLHTTP');"
		"out.innerHTML=x.responseText</script>"},
	{"dynamic import",
		"<h1>Story</h1><article id=story></article><script type=module>const m=await "
		"import('/story.js');story.append(m.text)</script>"},
	{"static import", "<div class=box></div><script type=module>import {text} from './data.js';"
			  "document.querySelector('.box').textContent=text</script>"},
	{"document.write of a loaded script's data",
		"<h1>Rates</h1><script "
		"src=/rates.js></script><script>document.write('<p>'+rates.eur"
		"+'</p>')</script>"},
	{"JSONP", "<h1>Feed</h1><ul id=l></ul><script>function show(d){l.innerHTML=d.join('<li>')}"
		  "var s=document.createElement('script');s.src='/feed?cb=show';document.head"
		  ".appendChild(s)</script>"},
	{"jQuery load", "<div id=main>Loading</div><script src=jquery.js></script>"
			"<script>$('#main').load('/part.html')</script>"},
	{"jQuery getJSON", "<h2>Members</h2><table "
			   "id=t></table><script>$.getJSON('/m',function(d){$('#t').html"
			   "(d)})</script>"},
	{"axios and Vue", "<div id=app><h1>{{ title }}</h1><p>{{ text }}</p></div><script "
			  "src=vue.js></script>"
			  "<script>new Vue({el:'#app',created(){axios.get('/d')}})</script>"},
	{"AngularJS",
		"<body ng-app=shop><div ng-controller=c><h1>{{shop.name}}</h1><ul><li ng-repeat='i "
		"in items'>{{i.name}} costs {{i.price}}</ul></div><script "
		"src=angular.js></script>"},
	{"Alpine", "<div x-data='{items:[]}' x-init=\"items=await (await "
		   "fetch('/i')).json()\"><template"
		   " x-for='i in items'><p x-text=i></p></template></div><script "
		   "src=alpine.js></script>"
		   "<script>document.body.append('')</script>"},
	{"htmx", "<h1>Board</h1><div hx-get=/board hx-trigger=load></div><script src=htmx.js>"
		 "</script>"},
	{"a fragment", "<h1>Log</h1><include-fragment src=/log></include-fragment><script "
		       "src=f.js></script>"},
	{"Turbo", "<turbo-frame id=x src=/messages></turbo-frame><script type=module src=t.js>"
		  "</script>"},
	{"events from the server", "<h1>Ticker</h1><ol id=t></ol><script>new "
				   "EventSource('/e').onmessage=e=>{t.innerHTML"
				   "+='<li>'+e.data}</script>"},
	{"a socket",
		"<pre id=o></pre><script>new WebSocket('ws://x/').onmessage=e=>{o.textContent+="
		"e.data}</script>"},
	{"React", "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root>"
		  "</div><script src=/static/js/main.js></script>"},
	{"Vite",
		"<div id=\"app\"></div><script type=\"module\" src=\"/assets/index.js\"></script>"},
	{"Angular", "<app-root></app-root><script src=main.js type=module></script>"},
	{"Next without the server", "<div id=__next></div><script id=__NEXT_DATA__ "
				    "type=application/json>{\"page\":\"/\"}"
				    "</script><script src=/_next/static/main.js></script>"},
	{"Nuxt", "<div id=__nuxt><div class=spinner></div></div><script>window.__NUXT__={}</script>"
		 "<script src=/_nuxt/a.js></script>"},
	{"Blazor", "<div id=app>Loading...</div><div id=blazor-error-ui style='display:none'>An "
		   "unhandled error has occurred. <a href=''>Reload</a></div><script "
		   "src=_framework/blazor.webassembly.js></script>"},
	{"Flutter", "<body><script src=flutter_bootstrap.js async></script></body>"},
	{"Ember", "<title>App</title><body><script src=vendor.js></script><script src=app.js>"
		  "</script></body>"},
	{"an element of its own", "<my-app></my-app><script type=module src=/app.js></script>"},
	{"a shadow tree",
		"<x-page></x-page><script>customElements.define('x-page',class extends HTMLElement{"
		"connectedCallback(){fetch('/p').then(r=>r.text()).then(t=>this.attachShadow({mode:"
		"'open'}).innerHTML=t)}})</script>"},
	{"a menu and a footer around it",
		"<header><nav>~~~~~~~~~~~~~~~~~~~~</nav></header><main id=content>Loading…</main>"
		"<footer>@</footer><script>fetch('/"
		"c').then(r=>r.text()).then(t=>{content.innerHTML="
		"t})</script>"},
	{"the same without their elements", "<div class=navbar>~~~~~~~~~~~~</div><div "
					    "id=content></div><div class='site-footer'>"
					    "@</div><script src=/js/app.js></script>"},
	{"a form for searching beside it", "<form action=/s><input name=q></form><div "
					   "id=results>Loading results…</div><script "
					   "src=/js/app.js></script>"},
	{"an introduction", "<h1>Departures</h1><p>All departures of the next two hours. Times are "
			    "shown as the "
			    "station gives "
			    "them.</p><table><thead><tr><th>Time<th>Train<th>To</tr></thead><tbody "
			    "id=rows></tbody></table><script>fetch('/"
			    "departures').then(r=>r.json()).then(a=>rows"
			    ".innerHTML=a.map(x=>`<tr><td>${x.t}`).join(''))</script>"},
	{"scripts with onload", "<body onload=\"fetch('/d').then(r=>r.text()).then(t=>document.body"
				".innerHTML=t)\">Please wait"},
	{"in German", "<div class=x>Wird geladen …</div><script src=/a.js></script>"},
	{"in French", "<p>Chargement en cours...</p><script src=/a.js></script>"},
	{"in Russian", "<p>Загрузка…</p><script src=/a.js></script>"},
	{"in Japanese", "<p>読み込み中</p><script src=/a.js></script>"},
	{"in an unknown language", "<p>Bekleyin</p><script src=/a.js></script>"},
	{"a picture that turns", "<main><img src=/spinner.gif></main><script src=/a.js></script>"},
	{"skeletons", "<main><div class=skeleton></div><div class=skeleton></div></main><script "
		      "src=/a.js></script>"},
	{"no end tags", "<div id=app>Loading…<script>fetch('/x').then(r=>r.text()).then(t=>app."
			"innerHTML=t)</script>"},
	{"a wish in the page", "<p>This page requires JavaScript.</p><script src=a.js></script>"},
	{"browsers without scripts are sent away",
		"<noscript><meta http-equiv=refresh content='0; url=/plain'></noscript><script "
		"src=a.js></script>"},
	{"with a counter of visitors",
		"<script async "
		"src=https://www.googletagmanager.com/gtag/js></script><script>window."
		"dataLayer=[];function gtag(){dataLayer.push(arguments)}</script><div id=app></div>"
		"<script src=/app.js></script>"},
	{"counting and loading in one script",
		"<h1>News</h1><div "
		"id=n></div><script>gtag('config','x');fetch('/n').then(r=>r.text()"
		").then(t=>{n.innerHTML=t})</script>"},
	{"data in the page, drawn by a script",
		"<div id=root></div><script type=application/json>{\"a\":1}</script><script "
		"src=a.js>"
		"</script>"},
	{"markdown in the browser",
		"<div "
		"id=content></div><script>fetch('README.md').then(r=>r.text()).then(t=>content."
		"innerHTML=marked(t))</script>"},
	{"a chart",
		"<h1>Sales</h1><canvas id=c></canvas><script src=chart.js></script><script>d3.csv("
		"'s.csv').then(d=>draw(d));function draw(d){c.append(d)}</script>"},
	{"includes", "<div w3-include-html=body.html></div><script src=w3.js></script>"},
	{"a page that reloads itself", "<meta http-equiv=refresh content=60><h1>Live</h1><div id=s>"
				       "</div><script>fetch('/s').then(r=>r.text()).then(t=>{"
				       "s.innerHTML=t})</script>"},
	{"a large script of its own", "<div id=app></div><script>var a=1;document.body.append(a)"
				      "</script>"},
	{"hidden until it is filled",
		"<p>Loading</p><main style='display:none'><h1></h1></main><script "
		"src=a.js></script>"},
	{"Babel in the browser",
		"<div id=r></div><script type=text/babel>ReactDOM.createRoot(r).render(<App/>)"
		"</script><script src=babel.js></script>"},
	{"a long introduction and an empty main",
		"<h1>T</h1>@@<main "
		"id=c></main><script>fetch('/"
		"d.json').then(r=>r.json()).then(d=>{document.getElementById('c').innerHTML=d.html}"
		")</script>"},
	{"a long introduction and a place that waits",
		"<h1>T</h1>@@<div "
		"id=c>Loading…</div><script>fetch('/"
		"d.json').then(r=>r.json()).then(d=>{document.getElementById('c').innerHTML=d.html}"
		")</script>"},
	{"many links and a place that waits",
		"<table><tr><td>~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~<td><div "
		"id=c>Loading…</div></table><script>fetch('/"
		"d.json').then(r=>r.json()).then(d=>{document.getElementById('c').innerHTML=d.html}"
		")</script>"},
	{"pictures and a place that waits",
		"<img src=a><img src=b><img src=c><img src=d><img src=e><div "
		"id=c>Loading…</div><script>fetch('/"
		"d.json').then(r=>r.json()).then(d=>{document.getElementById('c').innerHTML=d.html}"
		")</script>"},
	{"a frame with its own script",
		"<iframe srcdoc='<div "
		"id=a></div><script>fetch(1).then(x=>a.innerHTML=x)</script>'></iframe>"},
	{"a frame that a script fills",
		"<iframe "
		"id=f></iframe><script>fetch('/x').then(r=>r.text()).then(t=>f.srcdoc=t)</script>"},
	{"an address in a variable", "<div id=c></div><script>var u='/x';$('#c').load(u)</script>"},
	{"packed code", "<div id=c></div><script>eval(atob('ZmV0Y2goJy94Jyk='))</script>"},
	{"a worker", "<div id=c></div><script>var w=new "
		     "Worker('/w.js');w.onmessage=e=>c.innerHTML=e.data</script>"},
	{"a picture that says it loads", "<div id=c><img src=/ajax-loader.gif "
					 "alt=Loading></div><script src=/a.js></script>"},
	{"text for browsers without scripts",
		"<noscript>@</noscript><script src=/app.js></script>"},
	{"a frame whose address a script sets",
		"<h1>News</h1><iframe id=f></iframe><script>document.getElementById('f').src="
		"'/content.html'</script>"},
	{"a frame that is blank at first",
		"<h1>News</h1><p>Of today</p><iframe id=f src=about:blank></iframe><script>var f="
		"document.querySelector('iframe');f.setAttribute('src', '/c.html')</script>"},
	{"a hole beside many words",
		"<h1>Prices</h1>@@@<div id=prices></div><script>fetch('/p.json').then(r=>r.json())"
		".then(d=>{document.getElementById('prices').innerHTML=d.html})</script>"},
	{"words with empty places", "<h1>Status</h1><p>Temperature: <b "
				    "id=t></b></p><script>fetch('/"
				    "w').then(r=>r.json()).then(d=>{t.textContent=d.t})</script>"},
};

static const struct row PAGES[] = {
	{"an article of an app that works offline",
		"<h1>Tides</h1>@~~<script>if('serviceWorker' in "
		"navigator)addEventListener('load',()=>"
		"navigator.serviceWorker.register('/sw.js'))</script>"},
	{"a short page that registers a worker",
		"<h1>Opening hours</h1><p>Monday to Friday, nine to five. Closed on holidays.</p>"
		"<script>navigator.serviceWorker.register('/sw.js')</script>"},
	{"a page of two lines that registers a worker",
		"<h1>Hello</h1><p>I am Anna, and this is my page.</p><script>"
		"navigator.serviceWorker.register('sw.js')</script>"},
	{"a menu of links that registers a worker",
		"<h1>Games</h1><ul><li>~<li>~<li>~<li>~<li>~<li>~<li>~</ul><script>"
		"navigator.serviceWorker.register('/sw.js')</script>"},
	{"a gallery that registers a worker",
		"<img src=a.jpg><img src=b.jpg><script>navigator.serviceWorker.register('/sw.js')"
		"</script>"},
	{"a form that registers a worker", "<form action=/find><input name=q></form><script>"
					   "navigator.serviceWorker.register('/sw.js')</script>"},
	{"comments that wait below an article with a worker",
		"<h1>Tides</h1>@@<p id=comments>Loading comments…</p><script>"
		"navigator.serviceWorker.register('/sw.js')</script>"},
	{"a login that is short", "<h1>Log in</h1><form action=/login><input "
				  "name=user></form><p>Installing…</p><script>"
				  "navigator.serviceWorker.register('/sw.js')</script>"},
	{"instructions that end in dots",
		"<h2>Installing…</h2>@@<script>navigator.serviceWorker.register('/sw.js')</"
		"script>"},
	{"a word about loading without any script", "<p>Loading…</p>"},
	{"workers are explained, none is registered",
		"<p>Loading…</p><script type=text/plain>navigator.serviceWorker.register('x')"
		"</script>"},
	{"a worker is thrown away",
		"<h1>Moved</h1><p>Loading… is what you saw here before.</p><script>"
		"navigator.serviceWorker.getRegistrations().then(a=>a.forEach(r=>r.unregister()))"
		"</script>"},
	{"a short post of WordPress",
		"<script>window._wpemojiSettings={};var s=document.createElement(\"script\");"
		"document.getElementsByTagName(\"head\")[0].appendChild(s);</script>"
		"<body><script>document.body.classList.remove('no-js');</script>"
		"<main><article><header><h1>Notice</h1></header><div class=entry-content>"
		"<p>Closed today.</p></div></article></main><form id=commentform action=/c><input "
		"name=author></form>"
		"<script src=/wp-includes/js/comment-reply.min.js></script>"
		"<script>a||document.write( '<script src=\"/polyfills.js\"></scr'+'ipt>' "
		");</script>"},
	{"a short page of a theme of blocks",
		"<a href=#wp--skip-link--target>Skip to content</a><main "
		"id=wp--skip-link--target><h1>Notice</h1><div class=entry-content><p>Closed.</p>"
		"</div></main><script src=/wp-includes/blocks/navigation/view.min.js></script>"
		"<script>( function() { var t = document.querySelector( 'main' ), l; l = "
		"document.createElement( 'a' ); l.classList.add( 'skip-link' ); "
		"t.parentElement.insertBefore( l, t ); }() );</script>"},
	{"an empty frame of an advertisement below an article",
		"<h1>A</h1>@@@@<iframe id=ad_frame></iframe><script>document.getElementById("
		"'ad_frame').src='//ads.example/a'</script>"},
	{"an empty element that no script names",
		"<h1>A</h1>@@@<div id=stage></div><script>fetch('/hits').then(r=>"
		"document.getElementById('n').innerHTML=r)</script>"},
	{"an article", "<h1>A</h1>@@@"},
	{"an article with a counter of visitors",
		"<script async src=https://www.googletagmanager.com/gtag/js?id=1></script><script>"
		"window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}"
		"gtag('js',new Date())</script><h1>A</h1>@@"},
	{"a short page", "<h1>It works!</h1>"},
	{"an empty page", ""},
	{"a short page with a counter",
		"<h1>Hello</h1><p>This is my page about "
		"gardening.</p><script>(function(i,s,o,g,r,a,m)"
		"{i['GoogleAnalyticsObject']=r;a=s.createElement(o),m=s.getElementsByTagName(o)[0];"
		"a.async=1;a.src=g;m.parentNode.insertBefore(a,m)})(window,document,'script','//"
		"www."
		"google-analytics.com/analytics.js','ga');ga('send','pageview')</script>"},
	{"a short page with Matomo",
		"<p>Opening hours: Monday to Friday, 9 to 17.</p><script>var "
		"_paq=[];(function(){var u"
		"='//m.example/';var "
		"d=document,g=d.createElement('script'),s=d.getElementsByTagName("
		"'script')[0];g.src=u+'matomo.js';s.parentNode.insertBefore(g,s)})()</script>"},
	{"a short page with jQuery", "<h1>Contact</h1><p>Call us: 555 1234, or come to 12 Main "
				     "Street.</p><script src=jquery.js></script>"},
	{"the year in the footer",
		"<h1>Hotel</h1><p>Rooms with a view of the lake.</p><footer>© "
		"<script>document.write("
		"new Date().getFullYear())</script> Hotel</footer><script src=/menu.js></script>"},
	{"the year by its element",
		"<h1>Hotel</h1><p>Rooms with a view of the lake, breakfast from seven to "
		"ten.</p><span"
		" id=y></span><script>document.getElementById('y').textContent=new "
		"Date().getFullYear"
		"()</script>"},
	{"a counter of visitors in a word",
		"<h1>My garden</h1><p>Roses and beans grow here, and in autumn the apples are "
		"picked. "
		"Visitors are welcome on Sundays, from two to five. Bring good shoes.</p><p>You "
		"are "
		"visitor <span id=n>0</span>.</p><script>fetch('/hits').then(r=>r.text()).then(t=>{"
		"document.getElementById('n').textContent=t})</script>"},
	{"comments below an article",
		"<article>@@</article><div id=comments>Loading comments…</div><script>fetch('/c')."
		"then(r=>r.text()).then(t=>comments.innerHTML=t)</script>"},
	{"Disqus below a note", "<p>A note about beans, which are sown in May.</p><div "
				"id=disqus_thread></div><script "
				"src=https://x.disqus.com/embed.js></script><noscript>Please "
				"enable JavaScript to view"
				" the comments powered by Disqus.</noscript>"},
	{"a map beside an address", "<p>12 Main Street, open daily from nine to six</p><div id=map>"
				    "</div><script src=https://maps.googleapis.com/maps/api/js>"
				    "</script>"},
	{"a tweet", "<p>What a day it was in the old town.</p><blockquote class=twitter-tweet>Words"
		    "</blockquote><script src=https://platform.twitter.com/widgets.js></script>"},
	{"a directory listing", "<h1>Index of /</h1><pre><a href=a.txt>a.txt</a> 2024-01-01 10:00 "
				"12K\n<a href=b.txt>"
				"b.txt</a> 2024-01-01 10:00 13K</pre>"},
	{"a listing that can be sorted",
		"<h1>Index of "
		"/pub</h1><table><tr><td>~<td>2024-01-01<td>12K</table><script>function "
		"sort(){var t=document.querySelector('tbody');t.appendChild(t.rows[0])}</script>"},
	{"a long listing with a script", "<ul>~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~</ul><script "
					 "src=sort.js></script>"},
	{"a list of links", "<h1>Links</h1>~~~~~~~~<script src=a.js></script>"},
	{"rendered on the server", "<div id=__next><h1>News</h1>@@</div><script id=__NEXT_DATA__ "
				   "type=application/json>"
				   "{}</script><script src=/_next/a.js></script>"},
	{"documentation with a search",
		"<noscript>Search needs JavaScript</noscript><main>@@</main>"
		"<script src=search.js></script><script>fetch('/index.json'"
		").then(r=>document.body.append(r))</script>"},
	{"a gallery", "<h1>Photos</h1><img src=a><img src=b><img src=c><img src=d><script "
		      "src=lightbox.js></script>"},
	{"a picture of the day", "<main><h1>Comic</h1><img src=/c.png></main><script src=nav.js>"
				 "</script>"},
	{"a search page", "<h1>Find</h1><form action=/s><input name=q><button>Go</button></form>"
			  "<script src=a.js></script>"},
	{"a login page", "<form method=post><input name=u><input type=password name=p></form>"
			 "<script src=a.js></script>"},
	{"a frame", "<div id=root></div><iframe src=b></iframe><script src=a.js></script>"},
	{"frames", "<frameset cols=20%,*><frame src=a><frame src=b></frameset>"},
	{"a redirect by markup",
		"<meta http-equiv=refresh content='0;url=b'><script src=a.js></script>"},
	{"a redirect by a script", "<script>location.href='/home'</script>"},
	{"another", "<p>Moved</p><script>window.location.replace('/home')</script>"},
	{"a root without scripts", "<div id=root></div>"},
	{"loading without scripts", "<p>Loading…</p>"},
	{"a page about loading", "<h1>Loading dock rules</h1><p>Trucks may be loaded from six in "
				 "the morning on. Keep "
				 "the gate closed.</p><script src=menu.js></script>"},
	{"a tutorial about fetch",
		"<h1>fetch()</h1>@@<pre>fetch('/x').then(r =&gt; body.innerHTML = r)</pre>"},
	{"JSON-LD", "<h1>Soup</h1><p>Boil the beans for two hours, add salt and serve it hot with "
		    "bread.</p><script type=application/ld+json>{\"@type\":\"Recipe\"}</script>"},
	{"data for a beacon", "<h1>Hello</h1><p>We are open on Sundays, and closed on Mondays and "
			      "on holidays.</p><script>navigator.sendBeacon('/hit');fetch('/hit',{"
			      "method:'POST'})</script>"},
	{"a cookie banner",
		"<h1>Bakery</h1><p>Bread is baked at four in the morning and sold from six o'clock "
		"on,"
		" every day but Monday.</p><div id=cookie-banner></div><script src=/cookies.js>"
		"</script>"},
	{"a theme switch", "<h1>Notes</h1><p>Some notes on birds that I saw.</p><theme-toggle>"
			   "</theme-toggle><script src=t.js></script>"},
	{"a video", "<h1>Film</h1><video src=a.mp4 controls></video><script src=p.js></script>"},
	{"a menu by a script",
		"<nav>~~~~</nav><p>Welcome to the school. The first term begins in September, and "
		"all "
		"parents are invited to the summer fair.</p><script src=menu.js></script>"},
	{"Chinese text with scripts",
		"<h1>新闻</"
		"h1><p>今天的天气很好,我们去公园散步,看到了很多花和树,还有很多人在跑步。</p>"
		"<script src=a.js></script>"},
	{"text in a table", "<table><tr><td>Monday<td>9 to 17<tr><td>Tuesday<td>9 to "
			    "17<tr><td>Friday<td>9 to 12"
			    "</table><script src=a.js></script>"},
	{"links and a text in the footer", "<p>Under construction since last spring.</p><footer>~~~"
					   "</footer><script src=a.js></script>"},
	{"templates that are not shown",
		"<template><p>{{name}}</p></template><p>A page with enough words to be read by "
		"anybody who comes here, about the history of the mill by the river.</p><script "
		"src=a.js></script>"},
	{"a page with widgets",
		"@<aside id=weather></aside>@<div class=fb-like></div><script src=https://connect."
		"facebook.net/sdk.js></script><script src=/js/site.js></script>"},
	{"plain text", "Just words, without any markup at all"},
	{"a hidden menu", "<div class=menu hidden>~~~</div><p>The library is closed today because "
			  "of the storm.</p><script src=menu.js></script>"},
	{"SVG", "<svg><text x=1>Growth of 12 percent in the third quarter</text></svg><script "
		"src=a.js></script>"},
	{"an imprint", "<h1>Imprint</h1><p>Example Ltd, 1 High Street, Oldtown. Registered in "
		       "England, number 123456.</p><script src=/main.js></script>"},
	{"a page for errors", "<h1>Sorry</h1><p>We could not find what you asked for.</p><a href=/>"
			      "Home</a><script src=/main.js></script>"},
	{"a form with a captcha",
		"<h1>Write to us</h1><form method=post><textarea name=t></textarea><div class="
		"g-recaptcha></div></form><script src=https://www.google.com/recaptcha/api.js>"
		"</script>"},
	{"comments that wait below an article",
		"<article><h1>T</h1>@@@</article><div id=comments>Loading "
		"comments…</div><script>fetch('/"
		"d.json').then(r=>r.json()).then(d=>{document.getElementById('c').innerHTML=d.html}"
		")</script>"},
	{"a widget that waits beside a text", "<h1>Town</h1>@@<div "
					      "id=weather>Loading…</div><script>fetch('/"
					      "d.json').then(r=>r.json()).then(d=>{document."
					      "getElementById('c').innerHTML=d.html})</script>"},
	{"a short page that was rendered on the server",
		"<div id=__next><main><h1>Hi</h1><p>We are a bakery in the old town. Open daily "
		"from six to six.</p></main></div><script src=/_next/a.js></script>"},
	{"an event of jQuery",
		"<h1>Notes</h1><p>Some notes on birds that I saw in the "
		"garden.</p><script>$(window).load(function(){$('p').html('')})</script>"},
};

static void write_page(struct buf *out, const char *html)
{
	for (; *html; html++) {
		if (*html == '@')
			for (unsigned i = 0; i < 60; i++)
				(void)buf_add_str(out, i ? " words" : "<p>Some ");
		else if (*html == '~')
			(void)buf_add_str(out, "<a href=/x>Name</a> ");
		else
			(void)buf_add_char(out, *html);
	}
}

/* The page in pieces of that size. */
static bool judge(slice page, size_t piece)
{
	struct html_tokenizer *t = malloc(sizeof *t);
	const struct html_token *token;
	struct blocked_body body;
	struct stand_in s;

	CHECK(t != NULL);
	if (!t)
		return false;
	stand_in_init(&s);
	html_init(t, 0);
	for (size_t at = 0; at <= page.len; at += piece) {
		html_feed(t, slice_sub(page, at, at + piece));
		while (html_next(t, &token) == 0)
			stand_in_token(&s, token);
	}
	html_finish(t);
	while (html_next(t, &token) == 0)
		stand_in_token(&s, token);
	body = stand_in_body(&s);
	stand_in_release(&s);
	html_release(t);
	free(t);
	return body.is_shell;
}

static void check_rows(const char *what, const struct row *rows, size_t count, bool want)
{
	static const size_t PIECES[] = {1 << 20, 1, 7};

	for (size_t i = 0; i < count; i++) {
		struct buf html;

		tap_case("%s: %s", what, rows[i].label);
		buf_init(&html, MAX);
		write_page(&html, rows[i].html);
		for (size_t k = 0; k < ARRAY_LEN(PIECES); k++)
			CHECK_INT(judge(buf_slice(&html), PIECES[k]), want);
		buf_release(&html);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	check_rows("shell", SHELLS, ARRAY_LEN(SHELLS), true);
	check_rows("page", PAGES, ARRAY_LEN(PAGES), false);
	return tap_done();
}
