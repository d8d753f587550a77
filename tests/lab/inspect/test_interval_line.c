#include "inspect/interval_line.h"

#include "tap.h"

static void test_lines(void)
{
	static const struct {
		const char *line;
		int rc;
		int n, m;         /* intervals, and those with a change */
		const char *says; /* in the message */
	} ROWS[] = {
		{"{\"intervals\":[[5,true],[3.5e0,false]]}", 0, 2, 1, ""},
		{" { \"intervals\" : [ [ 1 , 1 ] , [ -2 , 0 ] , [3,2] ] } \r", 0, 3, 2, ""},
		{"{\"intervals\":[]}", 0, 0, 0, ""},
		{"{\"a\":\"\\\"}\",\"intervals\":[[1,true]],\"b\":[{},[],{\"c\":-1.5e3}]}", 0, 1, 1,
			""},
		{"{\"intervals\":[[1,true]],\"intervals\":[]}", 0, 0, 0, ""},
		{"", ERR_SYNTAX, 0, 0, "byte 1: an object expected"},
		{"{}", ERR_SYNTAX, 0, 0, "\"intervals\" is missing"},
		{"{\"intervals\":[[1,true]]", ERR_SYNTAX, 0, 0,
			"byte 24: a comma or the end of the object expected"},
		{"{\"intervals\":[[1,maybe]]}", ERR_SYNTAX, 0, 0,
			"byte 18: true or false expected"},
		{"{\"intervals\":[[\"1\",true]]}", ERR_SYNTAX, 0, 0, "byte 16: a number expected"},
		{"{\"intervals\":[[1]]}", ERR_SYNTAX, 0, 0, "byte 17: a comma expected"},
		{"{\"intervals\":[1]}", ERR_SYNTAX, 0, 0, "byte 15: [length, changed] expected"},
		{"{\"intervals\":[[1e999,true]]}", ERR_RANGE, 0, 0,
			"byte 16: the number is too large"},
		{"{\"intervals\":[]}x", ERR_SYNTAX, 0, 0, "byte 17: the end of the line expected"},
		{"{\"a", ERR_SYNTAX, 0, 0, "byte 4: the end of the string expected"},
	};
	struct rate_intervals seen = {0};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};
		int rc = rate_interval_line(slice_str(ROWS[i].line), &seen, &err);

		tap_case("lines: %s", ROWS[i].line);
		CHECK_INT(rc, ROWS[i].rc);
		CHECK_STR(err.text, ROWS[i].says);
		if (rc == 0) {
			int changed = 0;

			for (size_t k = 0; k < seen.len; k++)
				changed += seen.ptr[k].changed;
			CHECK_INT((int64_t)seen.len, ROWS[i].n);
			CHECK_INT(changed, ROWS[i].m);
		}
	}
	rate_intervals_release(&seen);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_lines();
	return tap_done();
}
