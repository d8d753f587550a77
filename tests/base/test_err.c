#include "base/err.h"

#include <string.h>

#include "tap.h"

static void test_names(void)
{
	CHECK_STR(err_name(ERR_OK), "ok");
	CHECK_STR(err_name(ERR_LIMIT), "limit exceeded");
	CHECK_STR(err_name(12345), "unknown error");
}

static void test_set(void)
{
	struct err err = {0};

	CHECK_INT(err_set(&err, ERR_RANGE, "rate %d", 7), ERR_RANGE);
	CHECK_INT(err.code, ERR_RANGE);
	CHECK_STR(err.text, "rate 7");
	CHECK_INT(err_set(NULL, ERR_IO, "nobody listens"), ERR_IO);
}

static void test_code(void)
{
	struct err err = {0};

	CHECK_INT(err_code(&err, 0), 0);
	CHECK_INT(err.code, 0);
	CHECK_INT(err_code(&err, ERR_NOMEM), ERR_NOMEM);
	CHECK_STR(err.text, "out of memory");
	(void)err_set(&err, ERR_RANGE, "rate 7");
	CHECK_INT(err_code(&err, ERR_RANGE), ERR_RANGE);
	CHECK_STR(err.text, "rate 7");
	CHECK_INT(err_code(&err, ERR_LIMIT), ERR_LIMIT); /* another failure than the one before */
	CHECK_STR(err.text, "limit exceeded");
	CHECK_INT(err_code(NULL, ERR_IO), ERR_IO);
}

static void test_long_text_is_cut(void)
{
	char text[2 * ERR_TEXT_MAX];
	struct err err = {0};

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	(void)err_set(&err, ERR_IO, "%s", text);
	CHECK_INT((int64_t)strlen(err.text), ERR_TEXT_MAX - 1);
	err_prefix(&err, "%s", text);
	CHECK_INT((int64_t)strlen(err.text), ERR_TEXT_MAX - 1);
}

static void test_prefix(void)
{
	struct err err = {0};

	(void)err_set(&err, ERR_SYNTAX, "line 3: quote");
	err_prefix(&err, "%s", "pages.csv");
	CHECK_STR(err.text, "pages.csv: line 3: quote");
	CHECK_INT(err.code, ERR_SYNTAX);
	err_prefix(NULL, "nobody");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_names);
	TAP_RUN(test_set);
	TAP_RUN(test_code);
	TAP_RUN(test_long_text_is_cut);
	TAP_RUN(test_prefix);
	return tap_done();
}
