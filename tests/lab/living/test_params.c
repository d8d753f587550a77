#include "living/params.h"

#include <string.h>

#include "living/detail.h"
#include "living/noise.h"
#include "tap.h"

static void test_rates(void)
{
	static const struct {
		const char *text;
		int rc;
		enum living_rate_kind kind;
		double a, b;
	} ROWS[] = {
		{"zipf:1.3", 0, LIVING_ZIPF, 1.3, 0},
		{"lognormal:-5,2", 0, LIVING_LOGNORMAL, -5, 2},
		{"constant:0", 0, LIVING_CONSTANT, 0, 0},
		{"rates.csv", 0, LIVING_RATE_FILE, 0, 0},
		{"zipf:", ERR_SYNTAX, 0, 0, 0},
		{"zipf:1,2", ERR_SYNTAX, 0, 0, 0},
		{"zipf:-1", ERR_RANGE, 0, 0, 0},
		{"lognormal:1", ERR_SYNTAX, 0, 0, 0},
		{"lognormal:1,-1", ERR_RANGE, 0, 0, 0},
		{"constant:x", ERR_SYNTAX, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct living_rates r = {.mean = 0.25};
		struct err err = {0};

		tap_case("rates: %s", ROWS[i].text);
		CHECK_INT(living_rates_parse(ROWS[i].text, &r, &err), ROWS[i].rc);
		CHECK_INT(err.text[0] != 0, ROWS[i].rc != 0);
		CHECK_NEAR(r.mean, 0.25, 0);
		if (ROWS[i].rc)
			continue;
		CHECK_INT(r.kind, ROWS[i].kind);
		CHECK_NEAR(r.a, ROWS[i].a, 0);
		CHECK_NEAR(r.b, ROWS[i].b, 0);
	}
}

static void test_shares(void)
{
	static const struct {
		const char *text;
		double share;
		int rc;
		unsigned kinds;
	} ROWS[] = {
		{"0.5", 0.5, 0, LIVING_ERRORS},
		{"1:404", 1, 0, 1 << LIVING_NOT_FOUND},
		{"0:reset,reset-once", 0, 0, 1 << LIVING_RESET | 1 << LIVING_RESET_ONCE},
		{"1.1", 0, ERR_RANGE, 0},
		{"-0.1", 0, ERR_RANGE, 0},
		{"", 0, ERR_RANGE, 0},
		{"0.5:301", 0, ERR_SYNTAX, 0},
		{"0.5:,404", 0, ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct living_share s = {0};
		struct err err = {0};

		tap_case("share: '%s'", ROWS[i].text);
		CHECK_INT(living_share_parse(ROWS[i].text, LIVING_ERRORS, &s, &err), ROWS[i].rc);
		CHECK_NEAR(s.share, ROWS[i].share, 0);
		CHECK_INT(s.kinds, ROWS[i].kinds);
	}
}

static void test_lies_and_noise(void)
{
	struct living_share s = {0};
	struct err err = {0};
	unsigned noise = 0;

	CHECK_INT(living_lies_parse("0.25:now", &s, &err), 0);
	CHECK_INT(s.kinds, 1 << LIVING_NOW);
	CHECK_INT(living_lies_parse("0.25:honest", &s, &err), ERR_SYNTAX);
	CHECK_INT(living_noise_parse("csrf,ad", &noise, &err), 0);
	CHECK_INT(noise, LIVING_NOISE_CSRF | LIVING_NOISE_AD);
	CHECK_INT(living_noise_parse("csrf,hum", &noise, &err), ERR_SYNTAX);
	CHECK(strstr(err.text, "unknown kind 'hum' (nonce, csrf, clock, ad, comment, "));
	CHECK(strstr(err.text, ", x-literal)"));
	CHECK_INT(living_noise_parse("all", &noise, &err), 0);
	CHECK_INT(noise, (1U << NOISE_KINDS) - 1);
	CHECK_INT(living_noise_parse("none", &noise, &err), 0);
	CHECK_INT(noise, 0);
}

static void test_kinds(void)
{
	struct living_params p = {0};
	struct living_share s = {0};
	struct err err = {0};

	CHECK_INT(living_details_parse("price,alt", &p.details, &err), 0);
	CHECK_INT(p.details, 1 << LIVING_DETAIL_PRICE | 1 << LIVING_DETAIL_ALT);
	CHECK_INT(living_details_parse("prices", &p.details, &err), ERR_SYNTAX);
	CHECK_INT(living_variants_parse("0.5:language", &s, &err), 0);
	CHECK_INT(s.kinds, LIVING_VARIANT_LANGUAGE);
	CHECK_INT(living_shells_parse("1", &s, &err), 0);
	CHECK_INT(s.kinds, LIVING_SHELLS);
	CHECK_INT(living_requisites_parse("script,style,script", &p, &err), 0);
	CHECK_INT(p.requisite_kind_count, 3);
	CHECK_INT(p.requisite_kinds[2], LIVING_SCRIPT);
	CHECK_INT(living_requisites_parse("page", &p, &err), ERR_SYNTAX);
	CHECK_INT(living_requisites_parse("font,,font", &p, &err), ERR_SYNTAX);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rates();
	test_shares();
	TAP_RUN(test_lies_and_noise);
	TAP_RUN(test_kinds);
	return tap_done();
}
