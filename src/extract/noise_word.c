#include "extract/noise_word.h"

#include "base/word.h"

enum {
	RANDOM_HEX = 8,
	RANDOM_DIGITS = 10,
	RANDOM_BASE64 = 16,
	TOKEN_MIN = 16,
	NAME_MAX_SEEN = 64, /* bytes of a name that are looked at */
};

struct shape {
	size_t digits, upper, lower, hex_letters, other, turns;
};

static int class_of(char c)
{
	if (word_is_digit(c))
		return 0;
	if (c >= 'A' && c <= 'Z')
		return 1;
	if (c >= 'a' && c <= 'z')
		return 2;
	return 3;
}

static bool base64_sign(char c)
{
	return c == '+' || c == '/' || c == '=' || c == '_' || c == '-' || c == '.';
}

/* False when a character is in it that no encoding of random bytes has. */
static bool shape_of(slice s, struct shape *ret)
{
	struct shape shape = {0};
	int last = -1;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		int class = class_of(c);

		if (class == 3 && !base64_sign(c))
			return false;
		shape.digits += class == 0;
		shape.upper += class == 1;
		shape.lower += class == 2;
		shape.other += class == 3;
		shape.hex_letters += class != 0 && word_hex(c) >= 0;
		shape.turns += last >= 0 && class != last;
		last = class;
	}
	*ret = shape;
	return true;
}

bool noise_is_uuid(slice s)
{
	if (s.len != 36)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.ptr[i] != '-' : word_hex(s.ptr[i]) < 0)
			return false;
	}
	return true;
}

bool noise_is_random(slice s)
{
	struct shape shape;

	if (s.len < RANDOM_HEX || s.len > 1 << 16)
		return false;
	if (noise_is_uuid(s))
		return true;
	if (!shape_of(s, &shape))
		return false;
	if (shape.digits == s.len)
		return s.len >= RANDOM_DIGITS;
	if (shape.digits + shape.hex_letters == s.len)
		return shape.digits >= 2 && shape.hex_letters >= 1;
	if (s.len < RANDOM_BASE64)
		return false;
	/* Padded base64 of few bytes may have no figures. */
	if (s.len % 4 == 0 && s.ptr[s.len - 1] == '=' && shape.upper && shape.lower)
		return shape.turns * 100 >= s.len * 36;
	/* Of random base64, 62 % of the neighbours differ in class; of "iPhone15ProMax" fewer. */
	return shape.digits && shape.upper && shape.lower && shape.other * 8 <= s.len &&
	       shape.turns * 100 >= s.len * (s.len < 24 ? 50 : 36);
}

bool noise_is_token(slice s)
{
	return s.len >= TOKEN_MIN && noise_is_random(s);
}

static bool separates(char c)
{
	return c == '-' || c == '_' || c == ':' || c == '.' || c == '/';
}

bool noise_has_random(slice name)
{
	size_t from = 0;

	if (noise_is_random(name))
		return true;
	for (size_t i = 0; i <= name.len; i++) {
		if (i < name.len && !separates(name.ptr[i]))
			continue;
		if (noise_is_random(slice_sub(name, from, i)))
			return true;
		from = i + 1;
	}
	return false;
}

bool noise_is_epoch(slice s)
{
	size_t whole = s.len;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '.' && i == 10)
			whole = i;
		else if (!word_is_digit(s.ptr[i]))
			return false;
	}
	if (s.len == 18 && s.ptr[0] == '6') /* ticks of .NET, since the year 1 */
		return true;
	return (whole == 10 || whole == 13 || whole == 16) && s.ptr[0] >= '1' && s.ptr[0] <= '3' &&
	       (s.ptr[0] < '3' || whole > 10);
}

/* dd:dd:dd anywhere. */
static bool has_seconds(slice s)
{
	for (size_t i = 0; i + 8 <= s.len; i++) {
		const char *p = s.ptr + i;

		if (word_is_digit(p[0]) && word_is_digit(p[1]) && p[2] == ':' &&
			word_is_digit(p[3]) && word_is_digit(p[4]) && p[5] == ':' &&
			word_is_digit(p[6]) && word_is_digit(p[7]))
			return true;
	}
	return false;
}

bool noise_is_instant(slice s)
{
	size_t digits = 0;

	if (s.len < 15 || s.len > 48 || !has_seconds(s))
		return false;
	for (size_t i = 0; i < s.len; i++)
		digits += word_is_digit(s.ptr[i]);
	return digits >= 11;
}

/* Letters and figures in lower case; what stands between them is dropped. */
static size_t squeeze(slice name, char out[NAME_MAX_SEEN])
{
	size_t len = 0;

	for (size_t i = 0; i < name.len && len < NAME_MAX_SEEN; i++)
		if (word_is_alnum(name.ptr[i]))
			out[len++] = word_lower(name.ptr[i]);
	return len;
}

bool noise_names(slice name, const char *const *words)
{
	char plain[NAME_MAX_SEEN];
	size_t len = squeeze(name, plain);

	for (; *words; words++)
		if (memmem(plain, len, *words, strlen(*words)))
			return true;
	return false;
}

bool noise_names_token(slice name)
{
	static const char *const WORDS[] = {"csrf", "xsrf", "nonce", "viewstate", "eventvalidation",
		"requestverification", "authenticity", "formbuildid", "formkey", "formtoken",
		"sesskey", "sessionid", "sessid", "securitytoken", "antiforgery", "accesstoken",
		"onetime", "captcha", "honeypot", "requestid", "correlationid", "traceid",
		"traceparent", "rayid", "cfray", "visitorid", "pageviewid", "trackingid",
		"impressionid", "jwt", "uniqueid", "requestdigest", "akjs", NULL};

	return noise_names(name, WORDS);
}

bool noise_names_content(slice name)
{
	static const char *const WORDS[] = {"price", "amount", "title", "headline", "description",
		"caption", "sku", "availab", "stock", "quantity", "rating", "publish", "modified",
		"author", "currency", "discount", "salary", "score", "address", "phone", "email",
		"body", "summary", "question", "answer", "content", NULL};

	return noise_names(name, WORDS);
}

bool noise_names_thing(slice name)
{
	static const char *const WORDS[] = {"created", "updated", "start", "deadline", "date",
		"product", "item", "variant", "article", "offer", "listing", "order", "entry",
		"document", "version", "event", NULL};

	return noise_names_content(name) || noise_names(name, WORDS);
}

bool noise_names_clock(slice name)
{
	static const char *const WORDS[] = {"timestamp", "generatedat", "renderedat", "servertime",
		"requesttime", "fetchedat", "currenttime", "currentdate", "pagetime", "loadtime",
		"expires", "expiry", "cachetime", "cachedat", "dataupdatedat", "initialnow",
		"lastfetch", "epoch", "generatedon", "rendertime", "buildtime", "builddate",
		"servedate", "nowms", NULL};
	static const char *const WHOLE[] = {"now", "time", "ts", "t", "iat", "exp", "clock", NULL};
	char plain[NAME_MAX_SEEN];
	size_t len = squeeze(name, plain);

	for (const char *const *w = WHOLE; *w; w++)
		if (slice_eq((slice){plain, len}, slice_str(*w)))
			return true;
	return noise_names(name, WORDS);
}

bool noise_names_build(slice name)
{
	static const char *const WORDS[] = {"buildid", "buildhash", "buildversion", "buildnumber",
		"hostname", "servername", "podname", "instanceid", "serverip", "staticversion",
		"scriptversion", "themeversion", "pluginversion", "commithash", "commitsha",
		"gitsha", "assetversion", "assethash", "releaseid", "deploymentid", "bundlehash",
		"cachebust", "cachekey", "cssversion", "jsversion", "appversion", "clientversion",
		"sentryrelease", "webversion", NULL};

	return noise_names(name, WORDS);
}

bool noise_names_performance(slice name)
{
	static const char *const WORDS[] = {"applicationtime", "queuetime", "ttfb", "responsetime",
		"servertiming", "querycount", "memoryusage", "rendertime", "loadtime",
		"requesttime", "dbtime", "processingtime", "backendtime", NULL};

	return noise_names(name, WORDS);
}
