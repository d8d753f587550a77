#include "proof/names.h"

#include "base/word.h"

enum { WORDS_MAX = 12, NAME_MAX = 96 };

/* A name as words in lower case, and all of them joined. */
struct words {
	char text[NAME_MAX + WORDS_MAX + 2]; /* " csrf token " */
	char joined[NAME_MAX + 1];
	size_t len;
};

/* A change of case or class begins a word: requestID, userIDToken, sha256. */
static bool begins_word(slice s, size_t i)
{
	char c = s.ptr[i], before = s.ptr[i - 1];

	if (word_is_digit(c) != word_is_digit(before))
		return true;
	if (c >= 'A' && c <= 'Z')
		return !(before >= 'A' && before <= 'Z') ||
		       (i + 1 < s.len && s.ptr[i + 1] >= 'a' && s.ptr[i + 1] <= 'z');
	return false;
}

static bool split(slice name, struct words *w)
{
	size_t joined = 0;

	w->len = 0;
	w->text[w->len++] = ' ';
	if (name.len > NAME_MAX)
		return false;
	for (size_t i = 0, words = 0; i < name.len; i++) {
		if (!word_is_alnum(name.ptr[i])) {
			if (w->text[w->len - 1] != ' ')
				w->text[w->len++] = ' ';
			continue;
		}
		if (w->text[w->len - 1] != ' ' && begins_word(name, i)) {
			if (++words == WORDS_MAX)
				return false;
			w->text[w->len++] = ' ';
		}
		if (w->len + 2 > sizeof w->text)
			return false;
		w->text[w->len++] = word_lower(name.ptr[i]);
		w->joined[joined++] = word_lower(name.ptr[i]);
	}
	if (w->text[w->len - 1] != ' ')
		w->text[w->len++] = ' ';
	w->text[w->len] = '\0';
	w->joined[joined] = '\0';
	return joined > 0;
}

/* What may follow the words that a name is about: session_id, traceHash, token2, took_ms. */
static bool ends_name(const char *rest)
{
	static const char TAILS[] = " id key hash token uuid guid value hmac ms seconds ";

	while (*rest) {
		size_t len = strcspn(rest, " ");
		char word[NAME_MAX + 2];

		memcpy(word + 1, rest, len);
		word[0] = word[len + 1] = ' ';
		word[len + 2] = '\0';
		if (!word_is_digit(*rest) && !strstr(TAILS, word))
			return false;
		rest += len + 1;
	}
	return true;
}

/*
 * Whether the name has the words one after the other, or is all of them joined. Rows are words
 * between bars: "|csrf|form key|". At the end of the name only, where at_end says so: session_id
 * is one, session_time is not.
 */
static bool has_words(const struct words *w, const char *table, bool at_end)
{
	char needle[64], joined[64];

	while (*++table) {
		size_t len = strcspn(table, "|"), n = 0;

		memcpy(needle + 1, table, len);
		needle[0] = needle[len + 1] = ' ';
		needle[len + 2] = '\0';
		for (const char *at = w->text; (at = strstr(at, needle)); at++)
			if (!at_end || ends_name(at + len + 2))
				return true;
		for (size_t i = 0; i < len; i++)
			if (table[i] != ' ')
				joined[n++] = table[i];
		joined[n] = '\0';
		if (strcmp(w->joined, joined) == 0)
			return true;
		table += len;
	}
	return false;
}

static bool has_any(const struct words *w, const char *table)
{
	return has_words(w, table, false);
}

/* Parts of joined words: "ajaxnonce", "_csrftoken2". */
static bool has_part(const struct words *w, const char *table)
{
	char part[32];

	while (*++table) {
		size_t len = strcspn(table, "|");

		memcpy(part, table, len);
		part[len] = '\0';
		if (strstr(w->joined, part))
			return true;
		table += len;
	}
	return false;
}

static const char SECRET_PARTS[] = "|csrf|xsrf|nonce|requestverification|antiforgery|authenticity|";
static const char SECRETS[] =
	"|captcha sid|phpsessid|jsessionid|cftoken|form key|form build id|crumb|stok|security "
	"token|"
	"sectok|sesskey|edit token|wp edit token|my post key|form token|zenid|oscsid|cfid|"
	"aspsessionid|auth token|session token|request token|theme token|view dom id|phx session|"
	"phx static|amz signature|amz credential|amz security token|goog signature|goog credential|"
	"oembed secret|secret|security hash|honeypot|honeypot time|authenticator|views dom id|xf "
	"token|login "
	"token|create "
	"account "
	"token|createaccount token|token fields|xtcsid|adf ctrl state|afr loop|validation "
	"key|vaadin security key|vaadin push id|";
static const char STATES[] =
	"|viewstate|osvstate|viewstategenerator|eventvalidation|previouspage|view state|"
	"event validation|";
static const char IDS[] =
	"|token|session|sess|sid|session id|request id|request uuid|req id|sessid|bitrix "
	"sessid|trace id|span id|trace|traceparent|"
	"correlation id|ray|ray id|cf ray|visitor id|visit id|pageview id|page view "
	"id|pvid|impression id|anonymous id|beacon|uniqid|rand|random|"
	"page instance|support id|incident id|cache key|request hash|render id|connection id|"
	"browser id|guest id|call tree id|wire id|atts|visitor hmac|event metadata id|"
	"monorail event id|jti|operation id|px uuid|px vid|tt guid|page load id|page request id|";
/* Only in the query of what a page loads: elsewhere a signature is of something. */
static const char SIGNATURES[] = "|sig|signature|hmac|";
/* The time of the answer. */
static const char TIMES[] =
	"|timestamp|ts|now|trace time|token time|current hour|server time|server date|current "
	"time|current "
	"date|current timestamp|"
	"generated|generated at|generated on|generation time|rendered|rendered at|rendered on|"
	"render time|served at|request time|request start|request start time|request timestamp|"
	"load time|unix time|epoch|fetched at|ticks|page time|time stamp|iat|nbf|"
	"server timestamp|page generated|data updated at|response time|begin time|"
	"request date|now utc|creation time|form time|amz date|goog date|wp starttime|"
	"wp edittime|page render time|date now|last build date|build time|build date|"
	"build timestamp|built at|cache time|cached at|response date|curtimestamp|cur timestamp|";
static const char TIME_PARTS[] =
	"|currentdatetime|currenttime|servertime|serverdate|currenttimestamp|";
/* Some time behind the answer. */
static const char ENDS[] = "|expires|expiry|expiration|exp|expires at|";
/* The answer may be from a cache, which was filled anew between the looks. */
static const char RENEWALS[] =
	"|generated|generated at|generated on|rendered|rendered at|rendered on|page generated|"
	"last build date|build time|build date|build timestamp|built at|cache time|cached at|"
	"ticks|now|server time|current time|current timestamp|";
static const char MEASURES[] =
	"|queue time|application time|backend response time|server timing|render time|"
	"generation time|query time|exec time|execution time|processing time|server duration|"
	"cputime|walltime|page render time|generationtime ms|request server time|sample rand|";
static const char BUILDS[] =
	"|build id|dpl id|build hash|build number|build sha|git sha|git hash|git commit|commit sha|"
	"commit hash|release id|deployment id|deploy id|asset hash|assets hash|cache buster|"
	"cache bust|manifest hash|bundle hash|sentry release|app build|asset version|build version|"
	"css js query string|webpack compilation hash|";
/* A token that has a price, a nonce that is a word: the name speaks of something else. */
static const char CONTENT[] =
	"|price|cost|amount|count|total|word|words|text|title|label|color|colour|size|width|height|"
	"supply|sale|symbol|address|balance|market|rank|score|description|message|number|quantity|"
	"limit|max|min|rate|percent|version|length|index|level|bread|";
/* Times of what a page is about. */
static const char EVENTS[] =
	"|updated|modified|start|end|event|publish|published|created|edited|posted|last|due|"
	"departure|arrival|";

static const char DATES[] = "|date|day|since|until|from|to|time of|changed|change|visit|seen|login|"
			    "release|released|sync|synced|refresh|refreshed|revision|rev|version|"
			    "lastmod|mtime|deadline|expire|";

unsigned name_kinds(slice name)
{
	struct words w;
	unsigned kinds = 0;

	if (!split(name, &w))
		return 0;
	if (has_words(&w, MEASURES, true))
		kinds |= NAME_MEASURE;
	if (has_any(&w, BUILDS))
		kinds |= NAME_BUILD;
	if (has_any(&w, TIMES) || has_part(&w, TIME_PARTS))
		kinds |= NAME_TIME;
	if (has_any(&w, ENDS))
		kinds |= NAME_END;
	if (has_any(&w, "|current date|server date|request date|date now|generated on|generated at|"
			"page generated|rendered on|now|"))
		kinds |= NAME_DAY;
	if (has_any(&w, RENEWALS))
		kinds |= NAME_RENEWAL;
	if (has_any(&w, EVENTS) &&
		!has_any(&w, "|data updated at|last build date|request start|request start time|"))
		kinds &= ~(unsigned)(NAME_TIME | NAME_DAY | NAME_END | NAME_RENEWAL);
	else if (!has_any(&w, CONTENT) && !has_any(&w, EVENTS) && !has_any(&w, DATES))
		kinds |= NAME_NEUTRAL;
	if (has_any(&w, STATES))
		kinds |= NAME_STATE;
	if (has_any(&w, "|app version|sentry release|release|"))
		kinds |= NAME_RELEASE;
	if (has_any(&w, CONTENT))
		return kinds;
	/* French: an advertisement, to pronounce */
	if ((has_part(&w, SECRET_PARTS) && !strstr(w.text, " annonc") &&
		    !strstr(w.text, "prononc")) ||
		has_words(&w, SECRETS, true))
		kinds |= NAME_SECRET;
	if (has_words(&w, SIGNATURES, true))
		kinds |= NAME_SIGNATURE;
	if (has_words(&w, IDS, true))
		kinds |= NAME_ID;
	if (has_any(&w, "|tracking id|device id|"))
		kinds |= NAME_LONG_ID;
	return kinds;
}

bool name_is_buster(slice name)
{
	static const char NAMES[] =
		"|v|ver|version|cb|cachebuster|cachebust|t|ts|time|timestamp|rev|r|hash|h|nocache|"
		"rnd|rand|random|bust|build|b|m|mtime|md5|sha|k|q|d|updated|date|dpl|itok|_|ck|"
		"cache|"
		"css_js_query_string|tseed|";
	char bare[40];

	if (name.len == 0 || name.len > 32)
		return false;
	bare[0] = '|';
	for (size_t i = 0; i < name.len; i++)
		bare[i + 1] = word_lower(name.ptr[i]);
	bare[name.len + 1] = '|';
	bare[name.len + 2] = '\0';
	return strstr(NAMES, bare) || (name_kinds(name) & NAME_BUILD);
}

bool name_is_content(slice name)
{
	static const char NAMES[] =
		"|post|comment|node|product|item|article|page|entry|topic|thread|message|msg|user|"
		"tweet|video|attachment|media|image|sku|order|event|chapter|answer|question|story|"
		"doc|photo|song|track|book|recipe|review|ticket|issue|bug|figure|table|section|"
		"note|status|state|isbn|ean|gtin|doi|iban|invoice|";
	struct words w;

	return split(name, &w) ? has_any(&w, NAMES) : name.len > NAME_MAX;
}
