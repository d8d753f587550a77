#include "inspect/graph_line.h"

#include "tap.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *line;
		int rc;
		int n, edges;
		const char *says; /* in the message */
	} ROWS[] = {
		{"{\"n\":2,\"edges\":[[0,1],[1,0]],\"seed\":1}", 0, 2, 2, ""},
		{" { \"edges\" : [ ] , \"x\" : [{\"y\":null}] , \"n\" : 0 } ", 0, 0, 0, ""},
		{"[]", ERR_SYNTAX, 0, 0, "byte 1: an object expected"},
		{"{\"edges\":[]}", ERR_SYNTAX, 0, 0, "\"n\" is missing"},
		{"{\"n\":1}", ERR_SYNTAX, 0, 0, "\"edges\" is missing"},
		{"{\"n\":1,\"edges\":[[0]]}", ERR_SYNTAX, 0, 0, "byte 19: a comma expected"},
		{"{\"n\":1,\"edges\":[[0,1]]}", ERR_RANGE, 0, 0,
			"edge [0,1] leaves the 1 pages; pages count from 0"},
		{"{\"n\":1,\"edges\":[],\"seed\":1}", ERR_RANGE, 0, 0,
			"seed 1 is none of the 1 pages"},
		{"{\"n\":1.5,\"edges\":[]}", ERR_RANGE, 0, 0,
			"byte 8: 1.5 is not a whole number from 0 to 10000000"},
		{"{\"n\":1e9,\"edges\":[]}", ERR_RANGE, 0, 0,
			"byte 8: 1e+09 is not a whole number from 0 to 10000000"},
		{"{\"n\":1,\"edges\":[]}}", ERR_SYNTAX, 0, 0,
			"byte 19: the end of the line expected"},
	};
	struct rank_graph_line line = {0};

	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};
		int rc = rank_graph_line(slice_str(ROWS[i].line), &line, &err);

		tap_case("lines: %s", ROWS[i].line);
		CHECK_INT(rc, ROWS[i].rc);
		CHECK_STR(err.text, ROWS[i].says);
		if (rc == 0) {
			CHECK_INT((int64_t)line.n, ROWS[i].n);
			CHECK_INT((int64_t)line.edges.len, ROWS[i].edges);
		}
	}
	rank_edges_release(&line.edges);
	return tap_done();
}
