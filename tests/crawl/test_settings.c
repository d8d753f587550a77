/* Settings as text: every field comes back, lines of other versions are no trouble. */
#include <string.h>

#include "crawl/settings.h"
#include "tap.h"

enum { TEXT_MAX = 1 << 20 };

static void push(struct text_list *list, const char *text)
{
	CHECK_INT(text_list_push(list, text), 0);
}

/* No field has its default. */
static void fill(struct crawl_settings *s)
{
	crawl_settings_init(s);
	push(&s->seeds, "http://example.org/");
	push(&s->seeds, "http://example.org/a b");
	push(&s->surts, "org,example,");
	push(&s->includes, "a|b  c");
	push(&s->excludes, "^x");
	push(&s->excludes, "\\.jpg$");
	s->strategy = "bfs-lifo";
	s->rates = "rates-1.csv";
	s->user_agent = "Robot (mailto:a@example.org)";
	s->delay = 0.1;
	s->time_limit = 1.0 / 3;
	s->aim = 2;
	s->timeout = 123456789.125;
	s->max_body = UINT64_MAX;
	s->warc_size = 1;
	s->warc_coding = 2;
	s->max_bytes = 3;
	s->ca_file = "cacert-1.pem";
	s->proxy = "socks5h://127.0.0.1:1080";
	push(&s->headers, "Accept-Language: la, de;q=0.5");
	push(&s->withheld, "auth");
	push(&s->withheld, "header X-Key");
	s->http2 = s->insecure = s->no_cookies = s->keep_secrets = true;
	s->scope = SCOPE_DOMAIN;
	s->max_pages = UINT32_MAX;
	s->max_depth = 0;
	s->max_outside = 0;
	s->trap_budget = 17;
	s->no_traps = true;
	s->all_views = true;
	s->size = 7;
	s->jobs = 64;
	s->attempts = 9;
	s->single = s->plan_apart = s->no_requisites = s->no_sitemaps = true;
}

static void check_texts(const struct text_list *got, const struct text_list *want)
{
	CHECK_INT((int64_t)got->len, (int64_t)want->len);
	for (size_t i = 0; i < got->len && i < want->len; i++)
		CHECK_STR(got->ptr[i], want->ptr[i]);
}

static void check_numbers(const struct crawl_settings *got, const struct crawl_settings *want)
{
	CHECK(got->delay == want->delay);
	CHECK(got->time_limit == want->time_limit);
	CHECK_INT(got->aim, want->aim);
	CHECK(got->timeout == want->timeout);
	CHECK(got->max_body == want->max_body);
	CHECK(got->warc_size == want->warc_size);
	CHECK_INT(got->warc_coding, want->warc_coding);
	CHECK(got->max_bytes == want->max_bytes);
	CHECK_INT(got->http2, want->http2);
	CHECK_INT(got->insecure, want->insecure);
	CHECK_INT(got->no_cookies, want->no_cookies);
	CHECK_INT(got->keep_secrets, want->keep_secrets);
	CHECK_INT(got->scope, want->scope);
	CHECK_INT(got->max_pages, want->max_pages);
	CHECK_INT(got->max_depth, want->max_depth);
	CHECK_INT(got->max_outside, want->max_outside);
	CHECK_INT(got->trap_budget, want->trap_budget);
	CHECK_INT(got->no_traps, want->no_traps);
	CHECK_INT(got->all_views, want->all_views);
	CHECK_INT(got->size, want->size);
	CHECK_INT(got->jobs, want->jobs);
	CHECK_INT(got->attempts, want->attempts);
	CHECK_INT(got->single, want->single);
	CHECK_INT(got->no_requisites, want->no_requisites);
	CHECK_INT(got->plan_apart, want->plan_apart);
	CHECK_INT(got->no_sitemaps, want->no_sitemaps);
}

static void check_same(const struct crawl_settings *got, const struct crawl_settings *want)
{
	check_texts(&got->seeds, &want->seeds);
	check_texts(&got->surts, &want->surts);
	check_texts(&got->includes, &want->includes);
	check_texts(&got->excludes, &want->excludes);
	check_texts(&got->headers, &want->headers);
	check_texts(&got->withheld, &want->withheld);
	CHECK_STR(got->ca_file, want->ca_file);
	CHECK_STR(got->proxy, want->proxy);
	CHECK_STR(got->strategy, want->strategy);
	CHECK(!got->rates == !want->rates);
	if (got->rates && want->rates)
		CHECK_STR(got->rates, want->rates);
	CHECK(!got->user_agent == !want->user_agent);
	if (got->user_agent && want->user_agent)
		CHECK_STR(got->user_agent, want->user_agent);
	check_numbers(got, want);
}

static void check_round_trip(struct crawl_settings *s)
{
	struct crawl_settings again;
	struct err err = {0};
	struct arena arena;
	struct buf text;

	buf_init(&text, TEXT_MAX);
	arena_init(&arena, TEXT_MAX);
	CHECK_INT(crawl_settings_write(s, &text), 0);
	if (CHECK_INT(crawl_settings_read(&again, buf_slice(&text), &arena, &err), 0))
		check_same(&again, s);
	crawl_settings_release(&again);
	crawl_settings_release(s);
	arena_release(&arena);
	buf_release(&text);
}

static void test_every_field(void)
{
	struct crawl_settings s;

	fill(&s);
	check_round_trip(&s);
}

static void test_defaults(void)
{
	struct crawl_settings s;

	crawl_settings_init(&s);
	push(&s.seeds, "http://example.org/");
	check_round_trip(&s);
}

static void test_line_break(void)
{
	struct crawl_settings s;
	struct buf text;

	crawl_settings_init(&s);
	push(&s.seeds, "http://example.org/");
	push(&s.includes, "a\nb");
	buf_init(&text, TEXT_MAX);
	CHECK_INT(crawl_settings_write(&s, &text), ERR_SYNTAX);
	buf_release(&text);
	crawl_settings_release(&s);
}

static void test_texts(void)
{
	static const struct {
		const char *label, *text;
		int want;
	} ROWS[] = {
		{"lines of another version", "seeds http://a/\nhue 7\nfuture\nfuture 1 2 3\n", 0},
		{"no line end at the end", "seeds http://a/\njobs 2", 0},
		{"an empty line", "seeds http://a/\n\njobs 2\n", 0},
		{"no seed", "jobs 2\n", ERR_SYNTAX},
		{"nothing", "", ERR_SYNTAX},
		{"no job", "seeds http://a/\njobs 0\n", ERR_SYNTAX},
		{"a number that is none", "seeds http://a/\njobs two\n", ERR_SYNTAX},
		{"a negative number", "seeds http://a/\nsize -1\n", ERR_SYNTAX},
		{"a number beyond its room", "seeds http://a/\nsize 4294967296\n", ERR_SYNTAX},
		{"a time that is none", "seeds http://a/\ndelay soon\n", ERR_SYNTAX},
		{"a scope of another version", "seeds http://a/\nscope 99\n", ERR_SYNTAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_settings s;
		struct err err = {0};
		struct arena arena;

		tap_case("reading: %s", ROWS[i].label);
		arena_init(&arena, TEXT_MAX);
		CHECK_INT(crawl_settings_read(&s, slice_str(ROWS[i].text), &arena, &err),
			ROWS[i].want);
		CHECK(!ROWS[i].want == !err.text[0]);
		crawl_settings_release(&s);
		arena_release(&arena);
	}
}

/* Lines as archives of earlier versions have them. */
static void test_old_delays(void)
{
	static const struct {
		const char *text;
		double want;
	} ROWS[] = {
		{"seeds http://a/\n", CRAWL_DELAY_AUTO},
		{"seeds http://a/\nautomatic_delay false\n", 0},
		{"seeds http://a/\nautomatic_delay false\ndelay 2.5\n", 2.5},
		{"seeds http://a/\ndelay 2\ntau 0.2\nmax_header 512\nconnect_timeout 3\n", 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_settings s;
		struct err err = {0};
		struct arena arena;

		arena_init(&arena, TEXT_MAX);
		CHECK_INT(crawl_settings_read(&s, slice_str(ROWS[i].text), &arena, &err), 0);
		CHECK_NEAR(s.delay, ROWS[i].want, 0);
		CHECK_NEAR(s.timeout, 3600, 0);
		crawl_settings_release(&s);
		arena_release(&arena);
	}
}

/* How long connecting and silence may last. */
static void test_timeouts(void)
{
	static const double ROWS[][3] = {
		{3600, 30, 60}, {10, 5, 5}, {90, 30, 45}, {36000, 300, 600}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_settings s;

		crawl_settings_init(&s);
		s.timeout = ROWS[i][0];
		CHECK_NEAR(crawl_connect_timeout(&s), ROWS[i][1], 1e-9);
		CHECK_NEAR(crawl_stall_timeout(&s), ROWS[i][2], 1e-9);
	}
}

/* What lanes and WARC files need is the same for all captures of a lane. */
static void test_own(void)
{
	CHECK(crawl_setting_is_own("seeds") && crawl_setting_is_own("excludes"));
	CHECK(!crawl_setting_is_own("delay") && !crawl_setting_is_own("warc_prefix"));
	CHECK(!crawl_setting_is_own("ignore") && !crawl_setting_is_own("bytes_only"));
	CHECK(!crawl_setting_is_own("unknown"));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_every_field);
	TAP_RUN(test_defaults);
	TAP_RUN(test_line_break);
	test_texts();
	TAP_RUN(test_old_delays);
	TAP_RUN(test_timeouts);
	TAP_RUN(test_own);
	return tap_done();
}
