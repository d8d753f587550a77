#include "crawl/features.h"

#include "crawl/capture.h"

const struct crawl_feature CRAWL_FEATURES[CRAWL_FEATURES_COUNT + 1] = {
	{"canaries", .close = canaries_close},
	{"sessions", .visited = sessions_visited},
	{"cloaking", .wants = cloaking_wants, .visited = cloaking_visited},
	{"traps", .wants = traps_page_arrived},
	{"dust", .found = dust_note, .wants = dust_wants_text, .visited = dust_visited,
		.close = dust_close, .conclude = dust_conclude},
	{"mirrors", .found = mirrors_known, .conclude = mirrors_conclude},
	{"forms", .found = form_queries_found, .wants = form_queries_want,
		.close = form_queries_next},
	{"topic", .wants = steering_wants},
	{"views", .close = views_feed},
	{"learning", .conclude = learning_conclude},
	{0},
};
