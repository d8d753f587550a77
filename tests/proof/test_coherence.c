/* States of requisites by the table in the header, after Ainsworth, Nelson and Van de Sompel. */
#include "proof/coherence.h"

#include "tap.h"

static const struct {
	const char *label;
	struct coherence_facts facts; /* page, requisite, Last-Modified, other capture */
	const char *want;
} rows[] = {
	{"modified before, captured after",
		{.page = 100, .requisite = 110, .has_last_modified = true, .last_modified = 90},
		"prima-facie-coherent"},
	{"modified at the page's time",
		{.page = 100, .requisite = 110, .has_last_modified = true, .last_modified = 100},
		"prima-facie-coherent"},
	{"captured at the page's time", {.page = 100, .requisite = 100}, "prima-facie-coherent"},
	{"captured at that time, Last-Modified ahead",
		{.page = 100, .requisite = 100, .has_last_modified = true, .last_modified = 105},
		"prima-facie-coherent"},
	{"captured before", {.page = 100, .requisite = 90}, "possibly-coherent"},
	{"captured before, modified before",
		{.page = 100, .requisite = 90, .has_last_modified = true, .last_modified = 80},
		"possibly-coherent"},
	{"captured after, Last-Modified unknown", {.page = 100, .requisite = 110},
		"probably-violative"},
	{"captured after, Last-Modified later still",
		{.page = 100, .requisite = 110, .has_last_modified = true, .last_modified = 120},
		"probably-violative"},
	{"modified after, captured after",
		{.page = 100, .requisite = 110, .has_last_modified = true, .last_modified = 101},
		"prima-facie-violative"},
	{"modified when captured",
		{.page = 100, .requisite = 110, .has_last_modified = true, .last_modified = 110},
		"prima-facie-violative"},
	{"the same before and after",
		{.page = 100, .requisite = 110, .has_other = true, .other = 90},
		"prima-facie-coherent"},
	{"the same after and before",
		{.page = 100, .requisite = 90, .has_other = true, .other = 110},
		"prima-facie-coherent"},
	{"the same, touched in between",
		{.page = 100,
			.requisite = 110,
			.has_last_modified = true,
			.last_modified = 105,
			.has_other = true,
			.other = 90},
		"prima-facie-coherent"},
	{"the same, both before", {.page = 100, .requisite = 90, .has_other = true, .other = 95},
		"possibly-coherent"},
	{"the same, both after", {.page = 100, .requisite = 110, .has_other = true, .other = 120},
		"probably-violative"},
};

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("requisite: %s", rows[i].label);
		CHECK_STR(coherence_name(coherence_state(&rows[i].facts)), rows[i].want);
	}
	return tap_done();
}
