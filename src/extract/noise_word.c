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

/* 8-4-4-4-12 hexadecimal digits. */
static bool noise_is_uuid(slice s)
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

/* What a name may be for, as bits. */
enum name_kind {
	TOKEN = 1,
	CONTENT = 2,
	THING = 4,
	CLOCK = 8,
	BUILD = 16,
	PERFORMANCE = 32,
};

struct name_word {
	slice word;
	unsigned kinds;
};

static const struct name_word WORDS_A[] = {
	{SLICE_INIT("accesstoken"), TOKEN},
	{SLICE_INIT("address"), CONTENT},
	{SLICE_INIT("akjs"), TOKEN},
	{SLICE_INIT("amount"), CONTENT},
	{SLICE_INIT("answer"), CONTENT},
	{SLICE_INIT("antiforgery"), TOKEN},
	{SLICE_INIT("applicationtime"), PERFORMANCE},
	{SLICE_INIT("appversion"), BUILD},
	{SLICE_INIT("article"), THING},
	{SLICE_INIT("assethash"), BUILD},
	{SLICE_INIT("assetversion"), BUILD},
	{SLICE_INIT("authenticity"), TOKEN},
	{SLICE_INIT("author"), CONTENT},
	{SLICE_INIT("availab"), CONTENT},
	{{0}, 0},
};

static const struct name_word WORDS_B[] = {
	{SLICE_INIT("backendtime"), PERFORMANCE},
	{SLICE_INIT("body"), CONTENT},
	{SLICE_INIT("builddate"), CLOCK},
	{SLICE_INIT("buildhash"), BUILD},
	{SLICE_INIT("buildid"), BUILD},
	{SLICE_INIT("buildnumber"), BUILD},
	{SLICE_INIT("buildtime"), CLOCK},
	{SLICE_INIT("buildversion"), BUILD},
	{SLICE_INIT("bundlehash"), BUILD},
	{{0}, 0},
};

static const struct name_word WORDS_C[] = {
	{SLICE_INIT("cachebust"), BUILD},
	{SLICE_INIT("cachedat"), CLOCK},
	{SLICE_INIT("cachekey"), BUILD},
	{SLICE_INIT("cachetime"), CLOCK},
	{SLICE_INIT("captcha"), TOKEN},
	{SLICE_INIT("caption"), CONTENT},
	{SLICE_INIT("cfray"), TOKEN},
	{SLICE_INIT("clientversion"), BUILD},
	{SLICE_INIT("commithash"), BUILD},
	{SLICE_INIT("commitsha"), BUILD},
	{SLICE_INIT("content"), CONTENT},
	{SLICE_INIT("correlationid"), TOKEN},
	{SLICE_INIT("created"), THING},
	{SLICE_INIT("csrf"), TOKEN},
	{SLICE_INIT("cssversion"), BUILD},
	{SLICE_INIT("currency"), CONTENT},
	{SLICE_INIT("currentdate"), CLOCK},
	{SLICE_INIT("currenttime"), CLOCK},
	{{0}, 0},
};

static const struct name_word WORDS_D[] = {
	{SLICE_INIT("dataupdatedat"), CLOCK},
	{SLICE_INIT("date"), THING},
	{SLICE_INIT("dbtime"), PERFORMANCE},
	{SLICE_INIT("deadline"), THING},
	{SLICE_INIT("deploymentid"), BUILD},
	{SLICE_INIT("description"), CONTENT},
	{SLICE_INIT("discount"), CONTENT},
	{SLICE_INIT("document"), THING},
	{{0}, 0},
};

static const struct name_word WORDS_E[] = {
	{SLICE_INIT("email"), CONTENT},
	{SLICE_INIT("entry"), THING},
	{SLICE_INIT("epoch"), CLOCK},
	{SLICE_INIT("event"), THING},
	{SLICE_INIT("eventvalidation"), TOKEN},
	{SLICE_INIT("expires"), CLOCK},
	{SLICE_INIT("expiry"), CLOCK},
	{{0}, 0},
};

static const struct name_word WORDS_F[] = {
	{SLICE_INIT("fetchedat"), CLOCK},
	{SLICE_INIT("formbuildid"), TOKEN},
	{SLICE_INIT("formkey"), TOKEN},
	{SLICE_INIT("formtoken"), TOKEN},
	{{0}, 0},
};

static const struct name_word WORDS_G[] = {
	{SLICE_INIT("generatedat"), CLOCK},
	{SLICE_INIT("generatedon"), CLOCK},
	{SLICE_INIT("gitsha"), BUILD},
	{{0}, 0},
};

static const struct name_word WORDS_H[] = {
	{SLICE_INIT("headline"), CONTENT},
	{SLICE_INIT("hmac"), TOKEN},
	{SLICE_INIT("honeypot"), TOKEN},
	{SLICE_INIT("hostname"), BUILD},
	{{0}, 0},
};

static const struct name_word WORDS_I[] = {
	{SLICE_INIT("impressionid"), TOKEN},
	{SLICE_INIT("initialnow"), CLOCK},
	{SLICE_INIT("instanceid"), BUILD},
	{SLICE_INIT("item"), THING},
	{{0}, 0},
};

static const struct name_word WORDS_J[] = {
	{SLICE_INIT("jsversion"), BUILD},
	{SLICE_INIT("jwt"), TOKEN},
	{{0}, 0},
};

static const struct name_word WORDS_L[] = {
	{SLICE_INIT("lastfetch"), CLOCK},
	{SLICE_INIT("listing"), THING},
	{SLICE_INIT("loadtime"), CLOCK | PERFORMANCE},
	{{0}, 0},
};

static const struct name_word WORDS_M[] = {
	{SLICE_INIT("memoryusage"), PERFORMANCE},
	{SLICE_INIT("modified"), CONTENT},
	{{0}, 0},
};

static const struct name_word WORDS_N[] = {
	{SLICE_INIT("nonce"), TOKEN},
	{SLICE_INIT("nowms"), CLOCK},
	{{0}, 0},
};

static const struct name_word WORDS_O[] = {
	{SLICE_INIT("offer"), THING},
	{SLICE_INIT("onetime"), TOKEN},
	{SLICE_INIT("order"), THING},
	{{0}, 0},
};

static const struct name_word WORDS_P[] = {
	{SLICE_INIT("pagetime"), CLOCK},
	{SLICE_INIT("pageviewid"), TOKEN},
	{SLICE_INIT("phone"), CONTENT},
	{SLICE_INIT("pluginversion"), BUILD},
	{SLICE_INIT("podname"), BUILD},
	{SLICE_INIT("price"), CONTENT},
	{SLICE_INIT("processingtime"), PERFORMANCE},
	{SLICE_INIT("product"), THING},
	{SLICE_INIT("publish"), CONTENT},
	{{0}, 0},
};

static const struct name_word WORDS_Q[] = {
	{SLICE_INIT("quantity"), CONTENT},
	{SLICE_INIT("querycount"), PERFORMANCE},
	{SLICE_INIT("question"), CONTENT},
	{SLICE_INIT("queuetime"), PERFORMANCE},
	{{0}, 0},
};

static const struct name_word WORDS_R[] = {
	{SLICE_INIT("rating"), CONTENT},
	{SLICE_INIT("releaseid"), BUILD},
	{SLICE_INIT("renderedat"), CLOCK},
	{SLICE_INIT("rendertime"), CLOCK | PERFORMANCE},
	{SLICE_INIT("requestdigest"), TOKEN},
	{SLICE_INIT("requestid"), TOKEN},
	{SLICE_INIT("requesttime"), CLOCK | PERFORMANCE},
	{SLICE_INIT("requestverification"), TOKEN},
	{SLICE_INIT("responsetime"), PERFORMANCE},
	{{0}, 0},
};

static const struct name_word WORDS_S[] = {
	{SLICE_INIT("salary"), CONTENT},
	{SLICE_INIT("score"), CONTENT},
	{SLICE_INIT("scriptversion"), BUILD},
	{SLICE_INIT("securitytoken"), TOKEN},
	{SLICE_INIT("sentryrelease"), BUILD},
	{SLICE_INIT("sentrytrace"), TOKEN},
	{SLICE_INIT("servedate"), CLOCK},
	{SLICE_INIT("serverip"), BUILD},
	{SLICE_INIT("servername"), BUILD},
	{SLICE_INIT("servertime"), CLOCK},
	{SLICE_INIT("servertiming"), PERFORMANCE},
	{SLICE_INIT("sessid"), TOKEN},
	{SLICE_INIT("sessionid"), TOKEN},
	{SLICE_INIT("sesskey"), TOKEN},
	{SLICE_INIT("sku"), CONTENT},
	{SLICE_INIT("start"), THING},
	{SLICE_INIT("staticversion"), BUILD},
	{SLICE_INIT("stock"), CONTENT},
	{SLICE_INIT("summary"), CONTENT},
	{{0}, 0},
};

static const struct name_word WORDS_T[] = {
	{SLICE_INIT("themeversion"), BUILD},
	{SLICE_INIT("timestamp"), CLOCK},
	{SLICE_INIT("timestampsecret"), TOKEN},
	{SLICE_INIT("title"), CONTENT},
	{SLICE_INIT("traceid"), TOKEN},
	{SLICE_INIT("traceparent"), TOKEN},
	{SLICE_INIT("tracestate"), TOKEN},
	{SLICE_INIT("trackingid"), TOKEN},
	{SLICE_INIT("trustedproperties"), TOKEN},
	{SLICE_INIT("ttfb"), PERFORMANCE},
	{{0}, 0},
};

static const struct name_word WORDS_U[] = {
	{SLICE_INIT("uniqueid"), TOKEN},
	{SLICE_INIT("updated"), THING},
	{{0}, 0},
};

static const struct name_word WORDS_V[] = {
	{SLICE_INIT("variant"), THING},
	{SLICE_INIT("version"), THING},
	{SLICE_INIT("viewstate"), TOKEN},
	{SLICE_INIT("visitorid"), TOKEN},
	{{0}, 0},
};

static const struct name_word WORDS_W[] = {
	{SLICE_INIT("webversion"), BUILD},
	{{0}, 0},
};

static const struct name_word WORDS_X[] = {
	{SLICE_INIT("xsrf"), TOKEN},
	{{0}, 0},
};

/* The words by their first letter; each list is sorted, and ends with an empty word. */
static const struct name_word *const WORDS[26] = {
	['a' - 'a'] = WORDS_A,
	['b' - 'a'] = WORDS_B,
	['c' - 'a'] = WORDS_C,
	['d' - 'a'] = WORDS_D,
	['e' - 'a'] = WORDS_E,
	['f' - 'a'] = WORDS_F,
	['g' - 'a'] = WORDS_G,
	['h' - 'a'] = WORDS_H,
	['i' - 'a'] = WORDS_I,
	['j' - 'a'] = WORDS_J,
	['l' - 'a'] = WORDS_L,
	['m' - 'a'] = WORDS_M,
	['n' - 'a'] = WORDS_N,
	['o' - 'a'] = WORDS_O,
	['p' - 'a'] = WORDS_P,
	['q' - 'a'] = WORDS_Q,
	['r' - 'a'] = WORDS_R,
	['s' - 'a'] = WORDS_S,
	['t' - 'a'] = WORDS_T,
	['u' - 'a'] = WORDS_U,
	['v' - 'a'] = WORDS_V,
	['w' - 'a'] = WORDS_W,
	['x' - 'a'] = WORDS_X,
};

/* All that the words in a name say of it: one look for all questions below. */
static unsigned kinds_of(slice name)
{
	char plain[NAME_MAX_SEEN + 1] = {0}; /* the letter behind the last one is looked at */
	size_t len = squeeze(name, plain);
	unsigned kinds = 0;

	for (size_t i = 0; i < len; i++) {
		const struct name_word *w = word_is_digit(plain[i]) ? NULL : WORDS[plain[i] - 'a'];

		/* The second letter decides nearly always: a call for each word would cost more. */
		for (; w && w->word.len && w->word.ptr[1] <= plain[i + 1]; w++)
			if (w->word.ptr[1] == plain[i + 1] && w->word.len <= len - i &&
				memcmp(plain + i, w->word.ptr, w->word.len) == 0)
				kinds |= w->kinds;
	}
	return kinds;
}

/* Short names that mean a clock only when they are all there is. */
static bool is_short_clock(slice name)
{
	static const slice NAMES[] = {SLICE_INIT("now"), SLICE_INIT("time"), SLICE_INIT("ts"),
		SLICE_INIT("t"), SLICE_INIT("iat"), SLICE_INIT("exp"), SLICE_INIT("clock")};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (word_is(name, NAMES[i]))
			return true;
	return false;
}

struct noise_name noise_name_of(slice name)
{
	unsigned kinds = kinds_of(name);

	return (struct noise_name){
		.token = kinds & TOKEN,
		.content = kinds & CONTENT,
		.thing = kinds & (CONTENT | THING),
		.clock = (kinds & CLOCK) || is_short_clock(name),
		.build = kinds & BUILD,
		.performance = kinds & PERFORMANCE,
	};
}
