/*
 * Noise of known programs, drawn anew many times, and edits that stand in the same places. Each row
 * of noise_kinds.tsv is a page as its program writes it, with a sign for what it draws; a seeded
 * generator makes both looks of it. Rows of noise must be explained in nearly all draws, rows of
 * edits be found in all.
 *
 * STILLPOINT_TEST_SCALE=20 draws more often, STILLPOINT_TEST_SEED=7 others; STILLPOINT_TEST_KIND
 * draws only the rows whose label has that in it, and shows each miss.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/rng.h"
#include "proof/proof.h"
#include "tap.h"

enum {
	LOOK = 1794947376, /* 2026-11-17T20:29:36Z */
	DRAWS = 60,
	PAGE_MAX = 1 << 16,
	NAMES = 26,
};

static const char DIGITS[] = "0123456789", HEX[] = "0123456789abcdef",
		  LOWER[] = "abcdefghijklmnopqrstuvwxyz0123456789",
		  UPPER[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
		  ALL[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_";

static const struct {
	const char *name, *letters;
	size_t count;
} ALPHABETS[] = {
	{"dig", DIGITS, 10}, {"hex", HEX, 16}, {"HEX", UPPER, 0}, /* hex in capitals */
	{"low", LOWER, 26}, {"l36", LOWER, 36}, {"up", UPPER, 26}, {"u36", UPPER, 36},
	{"let", ALL, 52}, {"aln", ALL, 62}, {"b64", ALL, 64},
	{"url", ALL, 0}, /* letters, digits, - and _ */
};

/* One look of a page that is being written. */
struct look {
	struct rng own, same; /* what each look draws, and what both have in common */
	int64_t time, other;  /* of the look and of the first one, seconds */
	int64_t nanos;
	bool is_second;
	size_t from;        /* where base64 begins */
	slice drawn[NAMES]; /* by the letter that names it */
	char texts[NAMES][512];
	struct buf *out;
};

static void write_drawn(struct look *l, struct rng *rng, slice alphabet, size_t len)
{
	bool is_known = false;

	for (size_t i = 0; i < sizeof ALPHABETS / sizeof *ALPHABETS; i++) {
		const char *letters = ALPHABETS[i].letters;
		size_t count = ALPHABETS[i].count;

		if (!slice_eq(alphabet, slice_str(ALPHABETS[i].name)))
			continue;
		is_known = true;
		for (size_t n = 0; n < len; n++) {
			char c;

			if (count) {
				c = letters[rng_below(rng, count)];
			} else if (letters == UPPER) {
				c = "0123456789ABCDEF"[rng_below(rng, 16)];
			} else {
				size_t at = rng_below(rng, 64);

				c = (char)(at < 62 ? ALL[at] : "-_"[at - 62]);
			}
			CHECK_INT(buf_add_char(l->out, c), 0);
		}
	}
	if (!is_known)
		tap_note("no alphabet %.*s", (int)alphabet.len, alphabet.ptr);
	CHECK(is_known);
}

static void write_uuid(struct look *l, struct rng *rng)
{
	uint64_t a = rng_u64(rng), b = rng_u64(rng);

	CHECK_INT(buf_printf(l->out, "%08x-%04x-4%03x-%c%03x-%012llx", (unsigned)(a >> 32),
			  (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xfff), "89ab"[b >> 60 & 3],
			  (unsigned)(b >> 48 & 0xfff), (unsigned long long)(b & 0xffffffffffffULL)),
		0);
}

/* As strftime does. */
static void write_date(struct look *l, slice format, int64_t at)
{
	time_t seconds = (time_t)at;
	struct tm tm;

	(void)gmtime_r(&seconds, &tm);
	for (size_t i = 0; i < format.len; i++) {
		char text[32] = "", c = format.ptr[i];

		if (c != '%' || i + 1 == format.len) {
			CHECK_INT(buf_add_char(l->out, c), 0);
			continue;
		}
		switch (format.ptr[++i]) {
		case 'Y':
			(void)strftime(text, sizeof text, "%Y", &tm);
			break;
		case 'y':
			(void)snprintf(text, sizeof text, "%02d", tm.tm_year % 100);
			break;
		case 'm':
			(void)strftime(text, sizeof text, "%m", &tm);
			break;
		case 'd':
			(void)strftime(text, sizeof text, "%d", &tm);
			break;
		case 'H':
			(void)strftime(text, sizeof text, "%H", &tm);
			break;
		case 'M':
			(void)strftime(text, sizeof text, "%M", &tm);
			break;
		case 'S':
			(void)strftime(text, sizeof text, "%S", &tm);
			break;
		case 'a':
			(void)strftime(text, sizeof text, "%a", &tm);
			break;
		case 'b':
			(void)strftime(text, sizeof text, "%b", &tm);
			break;
		case 'B':
			(void)strftime(text, sizeof text, "%B", &tm);
			break;
		default:
			break;
		}
		CHECK(text[0]);
		CHECK_INT(buf_add_str(l->out, text), 0);
	}
}

/* s, ms, us, f, ticks: counts; else as strftime does. */
static void write_time(struct look *l, slice format, int64_t at)
{
	long long seconds = (long long)at;

	if (slice_eq(format, SLICE("s")))
		CHECK_INT(buf_printf(l->out, "%lld", seconds), 0);
	else if (slice_eq(format, SLICE("ms")))
		CHECK_INT(buf_printf(l->out, "%lld%03d", seconds, (int)(l->nanos / 1000000)), 0);
	else if (slice_eq(format, SLICE("us")))
		CHECK_INT(buf_printf(l->out, "%lld%06d", seconds, (int)(l->nanos / 1000)), 0);
	else if (slice_eq(format, SLICE("f")))
		CHECK_INT(buf_printf(l->out, "%lld.%04d", seconds, (int)(l->nanos / 100000)), 0);
	else if (slice_eq(format, SLICE("ticks")))
		CHECK_INT(buf_printf(l->out, "%lld%07d", seconds + 62135596800LL,
				  (int)(l->nanos / 100)),
			0);
	else if (slice_eq(format, SLICE("uniqid"))) /* of PHP */
		CHECK_INT(buf_printf(l->out, "%08llx%05x", (unsigned long long)at,
				  (unsigned)(l->nanos / 1000)),
			0);
	else
		write_date(l, format, at);
}

static int64_t number(slice s)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%.*s", (int)s.len, s.ptr);
	return strtoll(text, NULL, 10);
}

/* Encodes what was written since the last «b(». */
static void write_base64(struct look *l)
{
	static const char CODES[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = l->out->len - l->from;
	unsigned char in[1024] = {0};

	CHECK(len + 3 < sizeof in);
	memcpy(in, l->out->ptr + l->from, len);
	buf_truncate(l->out, l->from);
	for (size_t i = 0; i < len; i += 3) {
		unsigned bits = (unsigned)in[i] << 16 | (unsigned)in[i + 1] << 8 | in[i + 2];

		for (size_t k = 0; k < 4; k++)
			CHECK_INT(buf_add_char(l->out,
					  i + k > len ? '=' : CODES[bits >> (18 - 6 * k) & 63]),
				0);
	}
}

/*
 * A sign: WHAT or N=WHAT, which N repeats.
 *	hex:32, aln:40 …  so many characters      uuid        a UUID
 *	int:5-99          a number                flt:3:5-99  one with three places
 *	t:s, t+60:%H      the time of the look     ~a|b        a at one look, b at the other
 *	age:60:60-600     seconds / 60 that have gone by since 60 to 600 s before the first look
 *	b( b)             what stands between them in base64
 * With ! before it both looks have the same.
 */
static void write_sign(struct look *l, slice sign)
{
	struct rng *rng = &l->own;
	slice what, low, high;
	size_t from = l->out->len, name = NAMES;

	if (slice_eq(sign, SLICE("b("))) {
		l->from = l->out->len;
		return;
	}
	if (slice_eq(sign, SLICE("b)"))) {
		write_base64(l);
		return;
	}
	if (sign.len == 1 && sign.ptr[0] >= 'A' && sign.ptr[0] <= 'Z') {
		CHECK_INT(buf_add(l->out, l->drawn[sign.ptr[0] - 'A']), 0);
		return;
	}
	if (slice_starts_with(sign, SLICE("~"))) {
		slice b = slice_sub(sign, 1, sign.len), a = slice_take(&b, '|');

		CHECK_INT(buf_add(l->out, l->is_second ? b : a), 0);
		return;
	}
	if (sign.len > 2 && sign.ptr[1] == '=') {
		name = (size_t)(sign.ptr[0] - 'A');
		sign = slice_sub(sign, 2, sign.len);
	}
	if (slice_starts_with(sign, SLICE("!"))) {
		rng = &l->same;
		sign = slice_sub(sign, 1, sign.len);
	}
	what = slice_take(&sign, ':');
	if (what.ptr[0] == 't') {
		write_time(l, sign, l->time + number(slice_sub(what, 1, what.len)));
	} else if (slice_eq(what, SLICE("uuid"))) {
		write_uuid(l, rng);
	} else if (slice_eq(what, SLICE("int"))) {
		low = slice_take(&sign, '-');
		CHECK_INT(buf_printf(l->out, "%lld",
				  (long long)(number(low) +
					      (int64_t)rng_below(rng,
						      (uint64_t)(number(sign) - number(low) + 1)))),
			0);
	} else if (slice_eq(what, SLICE("flt"))) {
		slice places = slice_take(&sign, ':');

		low = slice_take(&sign, '-');
		CHECK_INT(buf_printf(l->out, "%.*f", (int)number(places),
				  (double)number(low) +
					  rng_double(rng) * (double)(number(sign) - number(low))),
			0);
	} else if (slice_eq(what, SLICE("age"))) {
		slice unit = slice_take(&sign, ':');
		int64_t age;

		low = slice_take(&sign, '-');
		high = sign;
		age = number(low) +
		      (int64_t)rng_below(&l->same, (uint64_t)(number(high) - number(low) + 1));
		age += l->time - l->other;
		CHECK_INT(buf_printf(l->out, "%lld", (long long)(age / number(unit))), 0);
	} else {
		write_drawn(l, rng, what, (size_t)number(sign));
	}
	if (name < NAMES) {
		size_t len = l->out->len - from;

		CHECK(len < sizeof l->texts[name]);
		memcpy(l->texts[name], l->out->ptr + from, len);
		l->drawn[name] = (slice){l->texts[name], len};
	}
}

static void write_look(struct look *l, slice page, bool is_html)
{
	static const slice OPEN = SLICE_INIT("«"), CLOSE = SLICE_INIT("»"), LINE = SLICE_INIT("␤"),
			   PROSE = SLICE_INIT("¶");

	if (is_html)
		CHECK_INT(buf_add_str(l->out, "<!DOCTYPE html><html><head><title>T</title></head>"
					      "<body><h1>Heading</h1>"),
			0);
	while (page.len) {
		if (slice_starts_with(page, OPEN)) {
			size_t to = OPEN.len;

			while (to < page.len &&
				!slice_starts_with(slice_sub(page, to, page.len), CLOSE))
				to++;
			write_sign(l, slice_sub(page, OPEN.len, to));
			page = slice_sub(page, to + CLOSE.len, page.len);
		} else if (slice_starts_with(page, LINE)) {
			CHECK_INT(buf_add_char(l->out, '\n'), 0);
			page = slice_sub(page, LINE.len, page.len);
		} else if (slice_starts_with(page, PROSE)) {
			for (int i = 0; i < 40; i++)
				CHECK_INT(buf_add_str(l->out, "More prose follows here. "), 0);
			page = slice_sub(page, PROSE.len, page.len);
		} else {
			CHECK_INT(buf_add_char(l->out, page.ptr[0]), 0);
			page = slice_sub(page, 1, page.len);
		}
	}
	if (is_html)
		CHECK_INT(buf_add_str(l->out, "</body></html>"), 0);
}

static slice type_of(slice type)
{
	static const char *const TYPES[][2] = {{"html", "text/html"}, {"xml", "application/xml"},
		{"js", "text/javascript"}, {"json", "application/json"}, {"css", "text/css"},
		{"txt", "text/plain"}};

	for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
		if (slice_eq(type, slice_str(TYPES[i][0])))
			return slice_str(TYPES[i][1]);
	CHECK(false);
	return SLICE("");
}

static void show(const struct proof *c)
{
	for (size_t i = 0; i < c->places.len; i++)
		tap_note("  %s [%s] %.150s -> %.150s", c->places.ptr[i].where.ptr,
			c->places.ptr[i].rule.ptr ? c->places.ptr[i].rule.ptr : "",
			c->places.ptr[i].a.ptr ? c->places.ptr[i].a.ptr : "(none)",
			c->places.ptr[i].b.ptr ? c->places.ptr[i].b.ptr : "(none)");
}

/* One draw: what it is judged. */
static enum proof_same draw(
	slice type, slice page, struct rng *rng, enum proof_same wanted, bool shows)
{
	static const int64_t GAPS[] = {5, 60, 600, 3600};
	struct proof_params params = {
		.url = SLICE("https://www.example.org/dir/page"), .all = true};
	struct buf bodies[2];
	struct look looks[2] = {0};
	struct rng same;
	enum proof_same got;
	struct proof c;
	int64_t gap = GAPS[rng_below(rng, 4)];

	rng_split(rng, &same);
	for (int i = 0; i < 2; i++) {
		struct look *l = &looks[i];

		buf_init(&bodies[i], PAGE_MAX);
		rng_split(rng, &l->own);
		l->same = same;
		l->other = LOOK + 17;
		l->time = l->other + i * gap;
		l->nanos = (int64_t)rng_below(&l->own, 1000000000);
		l->is_second = i;
		l->out = &bodies[i];
		write_look(l, page, slice_eq(type, SLICE("html")));
	}
	params.a = (struct proof_look){
		buf_slice(&bodies[0]), type_of(type), looks[0].time * 1000000000};
	params.b = (struct proof_look){
		buf_slice(&bodies[1]), type_of(type), looks[1].time * 1000000000};
	CHECK_INT(proof_compare(&params, &c), 0);
	got = c.same;
	if (shows && (got == PROOF_DIFFERENT) != (wanted == PROOF_DIFFERENT))
		show(&c);
	proof_release(&c);
	buf_release(&bodies[0]);
	buf_release(&bodies[1]);
	return got;
}

/* Another character of the same kind. */
static char other(struct rng *rng, char c)
{
	static const char *const KINDS[] = {
		DIGITS, "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"};

	for (size_t i = 0; i < ARRAY_LEN(KINDS); i++)
		if (c && strchr(KINDS[i], c)) {
			char d;

			do
				d = KINDS[i][rng_below(rng, strlen(KINDS[i]))];
			while (d == c);
			return d;
		}
	return c;
}

static bool is_in_comment(slice page, size_t at)
{
	for (size_t i = at; i > 3; i--) {
		slice before = slice_sub(page, i - 4, i);

		if (slice_eq(before, SLICE("<!--")) || slice_starts_with(before, SLICE("/*")))
			return true;
		if (slice_ends_with(before, SLICE("-->")))
			return false;
	}
	return false;
}

/* One letter or digit of a page of noise is another one at the second look: whether it is hidden.
 */
static bool is_edit_hidden(slice type, slice page, struct rng *rng)
{
	struct proof_params params = {
		.url = SLICE("https://www.example.org/dir/page"), .all = true};
	struct look look = {.time = LOOK + 17, .other = LOOK + 17};
	struct buf a, b;
	struct proof c;
	bool hidden;
	size_t at;

	buf_init(&a, PAGE_MAX);
	buf_init(&b, PAGE_MAX);
	rng_split(rng, &look.own);
	rng_split(rng, &look.same);
	look.out = &a;
	write_look(&look, page, slice_eq(type, SLICE("html")));
	CHECK_INT(buf_add(&b, buf_slice(&a)), 0);
	do
		at = rng_below(rng, b.len);
	while (other(rng, b.ptr[at]) == b.ptr[at]);
	b.ptr[at] = other(rng, b.ptr[at]);
	params.a = (struct proof_look){buf_slice(&a), type_of(type), (LOOK + 17) * 1000000000LL};
	params.b = (struct proof_look){buf_slice(&b), type_of(type), (LOOK + 77) * 1000000000LL};
	CHECK_INT(proof_compare(&params, &c), 0);
	hidden = c.same != PROOF_DIFFERENT && !c.duties.len && !is_in_comment(buf_slice(&a), at);
	if (hidden) {
		tap_note("one character is hidden:");
		show(&c);
	}
	proof_release(&c);
	buf_release(&a);
	buf_release(&b);
	return hidden;
}

struct exam {
	unsigned kinds, missed_kinds, known_missed; /* of noise */
	unsigned draws, missed;
	unsigned edits, hidden;
	unsigned characters, hidden_characters; /* single ones, of pages of noise */
};

static unsigned scale(void)
{
	const char *given = getenv("STILLPOINT_TEST_SCALE");
	long n = given ? strtol(given, NULL, 10) : 1;

	return n > 0 ? (unsigned)n : 1;
}

/*
 * "noise": at most one draw in twenty is missed. "missed": noise that stays a change, for what its
 * place could hide. "edit": found in each draw.
 */
static void try_row(slice row, struct rng *rng, struct exam *x)
{
	slice want = slice_take(&row, '\t'), type = slice_take(&row, '\t');
	slice label = slice_take(&row, '\t');
	const char *only = getenv("STILLPOINT_TEST_KIND");
	bool is_edit = slice_eq(want, SLICE("edit")), is_missed = slice_eq(want, SLICE("missed"));
	unsigned count = DRAWS * scale(), different = 0;
	enum proof_same wanted = is_edit || is_missed ? PROOF_DIFFERENT : PROOF_NORMALISED;

	if (only && !memmem(label.ptr, label.len, only, strlen(only)))
		return;
	tap_case("%.*s: %.*s", (int)want.len, want.ptr, (int)label.len, label.ptr);
	CHECK(is_edit || is_missed || slice_eq(want, SLICE("noise")));
	for (unsigned i = 0; i < count; i++) {
		enum proof_same got =
			draw(type, row, rng, wanted, only || different == 0 || is_edit);

		/* by chance both looks of an edit are the same page */
		different += is_edit ? got != PROOF_NORMALISED : got == PROOF_DIFFERENT;
	}
	if (is_edit) {
		x->edits += count;
		x->hidden += count - different;
		CHECK_INT(different, count);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		x->hidden_characters += is_edit_hidden(type, row, rng);
	x->characters += count;
	x->draws += count;
	x->missed += different;
	x->kinds++;
	x->missed_kinds += different * 20 > count;
	x->known_missed += is_missed;
	if (!is_missed && !CHECK(different * 20 <= count))
		tap_note("missed in %u of %u draws", different, count);
	if (is_missed && different == 0)
		tap_note("is explained by now");
}

int main(int argc, char **argv)
{
	const char *seed = getenv("STILLPOINT_TEST_SEED");
	char path[1024], *line = NULL;
	struct exam x = {0};
	size_t room = 0;
	struct rng rng;
	ssize_t len;
	FILE *file;

	tap_init(argc, argv);
	tap_case("the rows are there");
	rng_init(&rng, seed ? strtoull(seed, NULL, 10) : 33);
	(void)snprintf(path, sizeof path, "%s/tests/proof/noise_kinds.tsv", tap_srcdir());
	file = fopen(path, "r");
	while (CHECK(file != NULL) && (len = getline(&line, &room, file)) > 0)
		if (line[0] != '#' && line[0] != '\n')
			try_row((slice){line, (size_t)len - 1}, &rng, &x);
	free(line);
	if (file)
		(void)fclose(file);
	tap_case("at most one kind in twenty is missed, and no edit");
	tap_note("%u kinds, %u missed (%.1f %%); %u draws, %u missed (%.1f %%); %u draws of edits, "
		 "%u hidden",
		x.kinds, x.missed_kinds, 100.0 * x.missed_kinds / (x.kinds ? x.kinds : 1), x.draws,
		x.missed, 100.0 * x.missed / (x.draws ? x.draws : 1), x.edits, x.hidden);
	tap_note("%u single characters, %u hidden", x.characters, x.hidden_characters);
	CHECK(x.known_missed * 20 <= x.kinds || getenv("STILLPOINT_TEST_KIND"));
	CHECK_INT(x.hidden, 0);
	return tap_done();
}
