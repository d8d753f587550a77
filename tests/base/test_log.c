#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* What is written after setup with this level; the caller frees it. */
static char *written(enum log_level level, void (*events)(void))
{
	struct clock_manual clock;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	clock_manual_init(&clock, INT64_C(1297416600125999999));
	log_setup(&(struct log_config){.file = file, .clock = &clock.clock, .level = level});
	events();
	log_setup(&(struct log_config){.file = NULL});
	(void)fclose(file);
	return text;
}

static void four_levels(void)
{
	log_error("net", "no %s", "route");
	log_warn("net", "slow");
	log_info("crawl", "began");
	log_debug("crawl", "page %d", 7);
}

static void strange_message(void)
{
	log_warn("fetch", "a\nb\x1b[31m\"\\\xff");
}

static void test_lines(void)
{
#define AT "2011-02-11T09:30:00.125Z "
	static const struct {
		const char *label;
		enum log_level level;
		void (*events)(void);
		const char *want;
	} rows[] = {
		{"errors only", LOG_LEVEL_ERROR, four_levels, AT "error net: no route\n"},
		{"down to info", LOG_LEVEL_INFO, four_levels,
			AT "error net: no route\n" AT "warn net: slow\n" AT "info crawl: began\n"},
		{"everything", LOG_LEVEL_DEBUG, four_levels,
			AT "error net: no route\n" AT "warn net: slow\n" AT "info crawl: began\n" AT
			   "debug crawl: page 7\n"},
		{"text cannot forge a line", LOG_LEVEL_WARN, strange_message,
			AT "warn fetch: a\\x0ab\\x1b[31m\"\\\\xff\n"},
	};
#undef AT

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text;

		tap_case("lines: %s", rows[i].label);
		text = written(rows[i].level, rows[i].events);
		CHECK_STR(text, rows[i].want);
		free(text);
	}
}

static void long_message(void)
{
	char text[10000];

	memset(text, '\n', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	log_error("net", "%s", text);
}

static void test_long_messages_are_cut(void)
{
	char *text = written(LOG_LEVEL_ERROR, long_message);

	CHECK(text && strlen(text) > 16000 && text[strlen(text) - 1] == '\n');
	free(text);
}

static void test_enabled(void)
{
	CHECK(!log_enabled(LOG_LEVEL_ERROR));
	log_setup(&(struct log_config){.file = stderr, .level = LOG_LEVEL_WARN});
	CHECK(log_enabled(LOG_LEVEL_WARN));
	CHECK(!log_enabled(LOG_LEVEL_INFO));
	log_setup(&(struct log_config){.file = NULL});
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_enabled);
	test_lines();
	TAP_RUN(test_long_messages_are_cut);
	return tap_done();
}
