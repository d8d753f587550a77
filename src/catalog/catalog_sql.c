#include <stddef.h>

#include "catalog/catalog_db.h"

/* ---- columns ---- */

#define AT(type, field) .member = offsetof(struct type, field)

static const struct catalog_column CAPTURE[] = {
	{"id", COLUMN_U32, AT(catalog_capture, id), .max = INT32_MAX},
	{"uuid", COLUMN_TEXT, AT(catalog_capture, uuid)},
	{"site", COLUMN_TEXT, AT(catalog_capture, site)},
	{"strategy", COLUMN_TEXT, AT(catalog_capture, strategy)},
	{"settings", COLUMN_TEXT, AT(catalog_capture, settings)},
	{"single", COLUMN_BOOL, AT(catalog_capture, single)},
	{"started", COLUMN_TIME, AT(catalog_capture, started)},
	{"state", COLUMN_U32, AT(catalog_capture, state), .max = CATALOG_CUT},
	{"finished", COLUMN_TIME, AT(catalog_capture, finished)},
	{"still_from", COLUMN_TIME, AT(catalog_capture, still_from)},
	{"still_to", COLUMN_TIME, AT(catalog_capture, still_to)},
	{"ended_by", COLUMN_U32, AT(catalog_capture, ended_by), .max = CATALOG_END_LAST},
	{"caveats", COLUMN_U32, AT(catalog_capture, caveats), .max = UINT32_MAX},
	{"addresses", COLUMN_I64, AT(catalog_capture, addresses)},
};

/* From here on they change. */
enum { CAPTURE_STATE = 7 };

#define PAGE_ID                                                                        \
	{                                                                              \
		"id", COLUMN_KEY, AT(catalog_page, number), .max = CATALOG_NO_PAGE - 1 \
	}
#define PAGE_LEFT_OUT                                                                              \
	{                                                                                          \
		"left_out", COLUMN_LEFT_OUT, AT(catalog_page, left_out), .max = LEFT_OUT_COUNT - 1 \
	}
#define PAGE_RULE                                           \
	{                                                   \
		"rule", COLUMN_WORD, AT(catalog_page, rule) \
	}
#define PAGE_WEIGHT                                              \
	{                                                        \
		"weight", COLUMN_FLOAT, AT(catalog_page, weight) \
	}
#define PAGE_CONTENT                                                                               \
	{                                                                                          \
		"content", COLUMN_U32, AT(catalog_page, content), .max = CATALOG_CONTENT_OFF_TOPIC \
	}
#define PAGE_LASTMOD                                             \
	{                                                        \
		"lastmod", COLUMN_I64, AT(catalog_page, lastmod) \
	}
#define PAGE_FREQUENCY                                                                             \
	{                                                                                          \
		"frequency", COLUMN_U32, AT(catalog_page, frequency), .max = CATALOG_FREQUENCY_MAX \
	}

static const struct catalog_column PAGE[] = {
	PAGE_ID,
	{"url", COLUMN_TEXT, AT(catalog_page, url)},
	{"kind", COLUMN_WORD, AT(catalog_page, kind)},
	{"via", COLUMN_VIA, AT(catalog_page, via), .max = CATALOG_NO_PAGE - 1},
	{"found", COLUMN_WORD, AT(catalog_page, found)},
	{"depth", COLUMN_U32, AT(catalog_page, depth), .max = UINT32_MAX},
	{"hops_out", COLUMN_U32, AT(catalog_page, hops_out), .max = UINT32_MAX},
	{"taken", COLUMN_BOOL, AT(catalog_page, taken)},
	PAGE_LEFT_OUT,
	PAGE_RULE,
	{"rate", COLUMN_DOUBLE, AT(catalog_page, rate)},
	{"shape", COLUMN_DOUBLE, AT(catalog_page, shape)},
	PAGE_WEIGHT,
	PAGE_LASTMOD,
	PAGE_FREQUENCY,
	PAGE_CONTENT,
};

/* What is known of a page when it is added. */
enum { PAGE_ADDED = 15 };

static const struct catalog_column REFUSAL[] = {PAGE_ID, PAGE_LEFT_OUT, PAGE_RULE};
static const struct catalog_column ADMISSION[] = {PAGE_ID, PAGE_RULE};
static const struct catalog_column MARK[] = {PAGE_ID, PAGE_CONTENT};
static const struct catalog_column WEIGHT[] = {PAGE_ID, PAGE_WEIGHT};
static const struct catalog_column LISTED[] = {PAGE_ID, PAGE_LASTMOD, PAGE_FREQUENCY};

static const struct catalog_column UNKEPT[] = {
	{"id", COLUMN_LEFT_OUT_KEY, AT(catalog_unkept, reason), .max = LEFT_OUT_COUNT - 1},
	{"links", COLUMN_U64, AT(catalog_unkept, links), .max = INT64_MAX},
};

static const struct catalog_column PLAN[] = {
	{"id", COLUMN_KEY, AT(catalog_plan, page), .max = CATALOG_NO_PAGE - 1},
	{"visit", COLUMN_POSITION, AT(catalog_plan, visit)},
	{"revisit", COLUMN_POSITION, AT(catalog_plan, revisit)},
	{"hopeless", COLUMN_BOOL, AT(catalog_plan, hopeless)},
};

#define DIGEST_AT(member) AT(attempt, member), .flag = offsetof(struct attempt, has_##member)

/* Besides capture, page and url. A new one also belongs into catalog_packed.c. */
static const struct catalog_column OBSERVATION[] = {
	{"is_revisit", COLUMN_BOOL, AT(attempt, is_revisit)},
	{"truncated", COLUMN_BOOL, AT(attempt, truncated)},
	{"payload", COLUMN_DIGEST, DIGEST_AT(payload)},
	{"coding", COLUMN_BITS, AT(attempt, coding)},
	{"warc", COLUMN_WORD, AT(attempt, warc)},
	{"place", COLUMN_U64, AT(attempt, offset), .max = INT64_MAX},
	{"length", COLUMN_U64, AT(attempt, length), .max = INT64_MAX},
	{"leg", COLUMN_U32, AT(attempt, leg), .max = CATALOG_LEG_MAX},
	{"sent", COLUMN_I64, AT(attempt, wall.sent)},
	{"first_byte", COLUMN_I64, AT(attempt, wall.first_byte)},
	{"last_byte", COLUMN_I64, AT(attempt, wall.last_byte)},
	{"attempt", COLUMN_U32, AT(attempt, number), .max = CATALOG_ATTEMPT_MAX},
	{"clock_sent", COLUMN_I64, AT(attempt, clock.sent)},
	{"clock_first_byte", COLUMN_I64, AT(attempt, clock.first_byte)},
	{"clock_last_byte", COLUMN_I64, AT(attempt, clock.last_byte)},
	{"status", COLUMN_U32, AT(attempt, status), .max = UINT32_MAX},
	{"failure", COLUMN_TEXT, AT(attempt, failure)},
	{"state", COLUMN_DIGEST, DIGEST_AT(state)},
	{"media_type", COLUMN_WORD, AT(attempt, media_type)},
	{"record_id", COLUMN_RECORD_ID, AT(attempt, record_id)},
	{"close_delimited", COLUMN_BOOL, AT(attempt, close_delimited)},
	{"rule_set", COLUMN_U32, AT(attempt, rule_set), .max = UINT32_MAX},
	{"rules", COLUMN_TEXT, AT(attempt, rules)},
	{"masked", COLUMN_U32, AT(attempt, masked), .max = UINT32_MAX},
	{"normal", COLUMN_DIGEST, DIGEST_AT(class)},
	{"purpose", COLUMN_WORD, AT(attempt, purpose)},
	{"stand_in", COLUMN_WORD, AT(attempt, stand_in)},
	{"modified", COLUMN_I64, AT(attempt, modified)},
	{"etag", COLUMN_TEXT, AT(attempt, etag)},
	{"age", COLUMN_AGE, AT(attempt, age), .max = UINT32_MAX},
	{"caches", COLUMN_WORD, AT(attempt, caches)},
	{"address", COLUMN_WORD, AT(attempt, address)},
	{"links", COLUMN_BLOB, AT(attempt, links)},
	{"is_compact", COLUMN_BOOL, AT(attempt, is_compact)},
	{"retired", COLUMN_I64, AT(attempt, retired)},
	{"deceit", COLUMN_TEXT, AT(attempt, deceit)},
};

/* The first of them say where a body is, and catalog_each_body needs no others. */
enum { BODY_COLUMNS = 7 };

_Static_assert(sizeof OBSERVATION / sizeof OBSERVATION[0] == CATALOG_OBSERVATION_COLUMNS,
	"a new column of observation has to be added to FIELDS of catalog_packed.c, at the end");

static const struct catalog_column REPLACED[] = {
	{"name", COLUMN_TEXT, AT(catalog_replaced, name)},
	{"new_name", COLUMN_TEXT, AT(catalog_replaced, new_name)},
	{"done", COLUMN_BOOL, AT(catalog_replaced, done)},
};

static const struct catalog_column LOOK[] = {
	{"batch", COLUMN_U64, AT(catalog_look, batch), .max = CATALOG_LOOKS_MAX},
	{"number", COLUMN_U32, AT(catalog_look, number), .max = CATALOG_LOOK_NUMBER_MAX},
	{"rows", COLUMN_BLOB, AT(catalog_look, rows)},
};

static const struct catalog_column LOOKS[] = {
	{"id", COLUMN_U64, AT(catalog_looks, batch), .max = CATALOG_LOOKS_MAX},
	{"warc", COLUMN_WORD, AT(catalog_looks, warc)},
	{"place", COLUMN_U64, AT(catalog_looks, offset), .max = INT64_MAX},
	{"length", COLUMN_U64, AT(catalog_looks, length), .max = INT64_MAX},
};

static const struct catalog_column WARC[] = {
	{"name", COLUMN_TEXT, AT(catalog_warc, name)},
	{"size", COLUMN_U64, AT(catalog_warc, size), .max = INT64_MAX},
	{"complete", COLUMN_BOOL, AT(catalog_warc, complete)},
	{"digest", COLUMN_DIGEST, AT(catalog_warc, digest),
		.flag = offsetof(struct catalog_warc, has_digest)},
};

#define ROBOTS_CHECKED                                             \
	{                                                          \
		"checked", COLUMN_I64, AT(catalog_robots, checked) \
	}

static const struct catalog_column ROBOTS[] = {
	{.name = "capture", .kind = COLUMN_OWNER},
	{"origin", COLUMN_TEXT, AT(catalog_robots, origin)},
	{"policy", COLUMN_U8, AT(catalog_robots, policy), .max = UINT8_MAX},
	{"fetched", COLUMN_I64, AT(catalog_robots, fetched)},
	{"why", COLUMN_TEXT, AT(catalog_robots, why)},
	{"body", COLUMN_BLOB, AT(catalog_robots, body)},
	ROBOTS_CHECKED,
};

/* All but the last, which is the time when it was fetched then. */
enum { ROBOTS_ADDED = 6 };

static const struct catalog_column CONFIRMATION[] = {
	{.name = "capture", .kind = COLUMN_OWNER},
	{"origin", COLUMN_TEXT, AT(catalog_robots, origin)},
	ROBOTS_CHECKED,
};

static const struct catalog_column CLOCK[] = {
	{.name = "id", .kind = COLUMN_OWNER},
	{"moment", COLUMN_TEXT, AT(catalog_clock, moment)},
	{"wall", COLUMN_I64, AT(catalog_clock, wall)},
	{"monotonic", COLUMN_I64, AT(catalog_clock, monotonic)},
	{"estimated_error", COLUMN_I64, AT(catalog_clock, estimated_error)},
	{"maximum_error", COLUMN_I64, AT(catalog_clock, maximum_error)},
	{"synchronised", COLUMN_BOOL, AT(catalog_clock, synchronised)},
	{"capture_time", COLUMN_I64, AT(catalog_clock, capture_time)},
	{"boot", COLUMN_TEXT, AT(catalog_clock, boot)},
};

static const struct catalog_column REQUISITE[] = {
	{.name = "capture", .kind = COLUMN_OWNER},
	{"page", COLUMN_U32, AT(catalog_requisite, page), .max = CATALOG_NO_PAGE - 1},
	{"requisite", COLUMN_PAGE, AT(catalog_requisite, requisite), .max = CATALOG_NO_PAGE},
};

static const struct catalog_column DUST[] = {
	{"id", COLUMN_KEY, AT(catalog_dust, number), .max = UINT32_MAX},
	{"rule", COLUMN_TEXT, AT(catalog_dust, rule)},
	{"kind", COLUMN_U32, AT(catalog_dust, kind), .max = UINT8_MAX},
	{"site", COLUMN_TEXT, AT(catalog_dust, site)},
	{"detail", COLUMN_TEXT, AT(catalog_dust, detail)},
	{"state", COLUMN_U32, AT(catalog_dust, state), .max = UINT8_MAX},
	{"agreed", COLUMN_U32, AT(catalog_dust, agreed), .max = UINT32_MAX},
	{"disagreed", COLUMN_U32, AT(catalog_dust, disagreed), .max = UINT32_MAX},
	{"passed", COLUMN_U32, AT(catalog_dust, passed), .max = UINT32_MAX},
	{"urls", COLUMN_U64, AT(catalog_dust, urls), .max = INT64_MAX},
	{"applied", COLUMN_BOOL, AT(catalog_dust, applied)},
};

static const struct catalog_column LINKS[] = {
	{"id", COLUMN_KEY, AT(catalog_links, page), .max = CATALOG_NO_PAGE - 1},
	{"targets", COLUMN_BLOB, AT(catalog_links, targets)},
};

static const struct catalog_column LEARNED[] = {
	{.name = "id", .kind = COLUMN_OWNER},
	{"rule", COLUMN_TEXT, AT(catalog_learned, rule)},
};

static const struct catalog_column POLL[] = {
	{"id", COLUMN_KEY, AT(catalog_poll, number), .max = UINT32_MAX},
	{"url", COLUMN_TEXT, AT(catalog_poll, url)},
	{"is_feed", COLUMN_BOOL, AT(catalog_poll, is_feed)},
	{"source", COLUMN_U32, AT(catalog_poll, source), .max = UINT8_MAX},
	{"polls", COLUMN_U64, AT(catalog_poll, polls), .max = INT64_MAX},
	{"not_modified", COLUMN_U64, AT(catalog_poll, not_modified), .max = INT64_MAX},
	{"checked", COLUMN_U64, AT(catalog_poll, checked), .max = INT64_MAX},
	{"lies", COLUMN_U64, AT(catalog_poll, lies), .max = INT64_MAX},
	{"announced_changed", COLUMN_DOUBLE, AT(catalog_poll, announced_changed)},
	{"announced_same", COLUMN_DOUBLE, AT(catalog_poll, announced_same)},
	{"silent_changed", COLUMN_DOUBLE, AT(catalog_poll, silent_changed)},
};

static const struct catalog_column VERDICT[] = {
	{"id", COLUMN_KEY, AT(catalog_verdict, page), .max = UINT32_MAX},
	{"verdict", COLUMN_WORD, AT(catalog_verdict, verdict)},
	{"evidence", COLUMN_WORD, AT(catalog_verdict, evidence)},
	{"reason", COLUMN_TEXT, AT(catalog_verdict, reason)},
};

static const struct catalog_column SAVED[] = {
	{.name = "capture", .kind = COLUMN_OWNER},
	{"kind", COLUMN_U32, AT(catalog_saved, kind), .max = CATALOG_SAVED_BODIES},
	{"number", COLUMN_U32, AT(catalog_saved, number), .max = UINT32_MAX},
	{"bytes", COLUMN_BLOB, AT(catalog_saved, bytes)},
};

static const struct catalog_column IMPORTED[] = {
	{"imported_page.url", COLUMN_TEXT, AT(catalog_imported, url)},
	{"time", COLUMN_I64, AT(catalog_imported, time)},
	{"digest", COLUMN_BITS, AT(catalog_imported, digest)},
	{"source", COLUMN_U32, AT(catalog_imported, source), .max = UINT32_MAX},
};

/* ---- statements ---- */

/* Rows of one capture, by their packed number. */
#define OF_CAPTURE "WHERE id BETWEEN (?1 << 32) AND (?1 << 32) | 0xffffffff "

/* The same from one of them on. */
#define FROM_NUMBER "WHERE id BETWEEN (?1 << 32) | ?2 AND (?1 << 32) | 0xffffffff "

/* Of an observation: a number that goes up in the order of page, leg and attempt. */
#define OBSERVATION_KEY "(o.page << 30) | (leg << 26) | attempt"
#define OBSERVATIONS    " FROM observation AS o WHERE capture = ?1 ORDER BY page, leg, attempt"

/* The same of a row of packed looks: of its first one. */
#define PACKED_KEY "(k.page << 30) | (leg << 26) | first"
#define PACKED_ROWS                                                             \
	" FROM packed AS k LEFT JOIN page AS p ON p.id = ((?1 << 32) | k.page)" \
	" WHERE capture = ?1"

#define COUNT_OF(list) (sizeof(list) / sizeof(list)[0])
#define ALL(list)      .columns = list, .count = COUNT_OF(list)

/* clang-format off */
static const struct catalog_statement STATEMENTS[SQL_COUNT] = {
	[SQL_BEGIN] = {.text = "BEGIN IMMEDIATE"},
	[SQL_COMMIT] = {.text = "COMMIT"},
	[SQL_DATA_VERSION] = {.text = "PRAGMA data_version"},
	[SQL_ADD_WORD] = {.text = "INSERT INTO word(id, text) VALUES(?1, ?2)"},
	[SQL_EACH_WORD] = {.text = "SELECT id, text FROM word WHERE id > ?1 ORDER BY id"},
	[SQL_ADD_CAPTURE] = {
		.text = "INSERT INTO capture(@) VALUES(nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
		" ?10, ?11, ?12, ?13, ?14)", ALL(CAPTURE)},
	[SQL_UPDATE_CAPTURE] = {.text = "UPDATE capture SET state = ?2, finished = ?3, still_from = ?4,"
		" still_to = ?5, ended_by = ?6, caveats = ?7, addresses = ?8 WHERE id = ?1",
		CAPTURE + CAPTURE_STATE, COUNT_OF(CAPTURE) - CAPTURE_STATE},
	[SQL_SET_SETTINGS] = {.text = "UPDATE capture SET settings = ?2 WHERE id = ?1"},
	[SQL_GET_CAPTURE] = {.text = "SELECT @ FROM capture WHERE id = ?1", ALL(CAPTURE)},
	[SQL_LAST_CAPTURE] = {.text = "SELECT @ FROM capture ORDER BY id DESC LIMIT 1", ALL(CAPTURE)},
	[SQL_EACH_CAPTURE] = {.text = "SELECT @ FROM capture ORDER BY id", ALL(CAPTURE)},
	[SQL_ADD_PAGE] = {.text = "INSERT INTO page(@) VALUES(#)", PAGE, PAGE_ADDED},
	[SQL_REFUSE_PAGE] = {.text = "UPDATE page SET taken = 0, left_out = ?2, rule = ?3 WHERE id = ?1",
		ALL(REFUSAL)},
	[SQL_ADMIT_PAGE] = {.text = "UPDATE page SET taken = 1, left_out = 0, rule = ?2 WHERE id = ?1",
		ALL(ADMISSION)},
	[SQL_WEIGH_PAGE] = {.text = "UPDATE page SET weight = ?2 WHERE id = ?1", ALL(WEIGHT)},
	[SQL_MARK_PAGE] = {.text = "UPDATE page SET content = ?2 WHERE id = ?1", ALL(MARK)},
	[SQL_LIST_PAGE] = {.text = "UPDATE page SET lastmod = iif(?2, ?2, lastmod),"
		" frequency = iif(?3, ?3, frequency) WHERE id = ?1", ALL(LISTED)},
	[SQL_TAKE_PAGE] = {
		.text = "UPDATE page SET kind = ?3, via = ?4, found = ?5, depth = ?6, hops_out = ?7,"
		" taken = 1, left_out = 0, rule = ?10, lastmod = max(lastmod, ?14),"
		" frequency = max(frequency, ?15) WHERE id = ?1", PAGE, PAGE_ADDED},
	[SQL_EACH_PAGE] = {.text = "SELECT @ FROM page " OF_CAPTURE "ORDER BY id", ALL(PAGE)},
	[SQL_GET_PAGE] = {.text = "SELECT @ FROM page WHERE id = (?1 << 32) | ?2", ALL(PAGE)},
	[SQL_LAST_PAGE] = {.text = "SELECT max(id) FROM page " OF_CAPTURE},
	[SQL_EACH_URL] = {.text = "SELECT id, url FROM page " OF_CAPTURE "ORDER BY id"},
	[SQL_URLS_FROM] = {.text = "SELECT id, url FROM page " FROM_NUMBER "ORDER BY id"},
	[SQL_SET_UNKEPT] = {.text = "INSERT OR REPLACE INTO unkept(@) VALUES(#)", ALL(UNKEPT)},
	[SQL_EACH_UNKEPT] = {.text = "SELECT @ FROM unkept " OF_CAPTURE "ORDER BY id", ALL(UNKEPT)},
	[SQL_SET_PLAN] = {.text = "INSERT OR REPLACE INTO plan(@) VALUES(#)", ALL(PLAN)},
	[SQL_EACH_PLAN] = {.text = "SELECT @ FROM plan " OF_CAPTURE "ORDER BY id", ALL(PLAN)},
	[SQL_ADD_OBSERVATION] = {
		.text = "INSERT INTO observation(capture, page, url, @) VALUES(?1, ?2, ?3, #)",
		ALL(OBSERVATION)},
	[SQL_NEXT_SIDE] = {.text = "SELECT max(page) + 1 FROM observation WHERE capture = ?1"
		" AND page >= 0xffffffff"},
	[SQL_EACH_OBSERVATION] = {
		.text = "SELECT " OBSERVATION_KEY ", o.page, coalesce(o.url, p.url), @"
		" FROM observation AS o LEFT JOIN page AS p ON p.id = ((?1 << 32) | o.page)"
		" AND o.page < 0xffffffff"
		" WHERE capture = ?1 ORDER BY o.page, leg, attempt", ALL(OBSERVATION), .before = 3},
	[SQL_PAGE_OBSERVATIONS] = {
		.text = "SELECT " OBSERVATION_KEY ", o.page, coalesce(o.url, p.url), @"
		" FROM observation AS o LEFT JOIN page AS p ON p.id = ((?1 << 32) | o.page)"
		" WHERE capture = ?1 AND o.page = ?2 ORDER BY leg, attempt", ALL(OBSERVATION), .before = 3},
	[SQL_SIDE_OBSERVATIONS] = {
		.text = "SELECT " OBSERVATION_KEY ", page, url, @ FROM observation AS o"
		" WHERE capture = ?1 AND page >= ?2 ORDER BY page, leg, attempt",
		ALL(OBSERVATION), .before = 3},
	[SQL_GET_OBSERVATION] = {.text = "SELECT " OBSERVATION_KEY ", page, NULL, @ FROM observation AS o"
		" WHERE capture = ?1 AND page = ?2 AND leg = ?3 AND attempt = ?4",
		ALL(OBSERVATION), .before = 3},
	[SQL_FIND_BASE] = {.text = "SELECT " OBSERVATION_KEY ", page, NULL, @ FROM observation AS o"
		" WHERE capture = ?1 AND page = ?2 AND (leg, attempt) <= (?3, ?4)"
		" AND (payload IS NOT NULL OR (leg = ?3 AND attempt = ?4))"
		" ORDER BY leg DESC, attempt DESC LIMIT 1", ALL(OBSERVATION), .before = 3},
	[SQL_EACH_BODY] = {.text = "SELECT " OBSERVATION_KEY ", page, NULL, @" OBSERVATIONS,
		OBSERVATION, BODY_COLUMNS, 3},
	[SQL_ADD_PACKED] = {.text = "INSERT INTO packed(capture, page, leg, first, looks)"
		" VALUES(?1, ?2, ?3, ?4, ?5)"},
	[SQL_SET_PACKED] = {.text = "UPDATE packed SET looks = ?5 WHERE capture = ?1 AND page = ?2"
		" AND leg = ?3 AND first = ?4"},
	[SQL_LAST_PACKED] = {.text = "SELECT first, looks FROM packed WHERE capture = ?1 AND page = ?2"
		" AND leg = ?3 AND first <= ?4 ORDER BY first DESC LIMIT 1"},
	[SQL_EACH_PACKED] = {.text = "SELECT " PACKED_KEY ", k.page, p.url, leg, looks" PACKED_ROWS
		" ORDER BY k.page, leg, first"},
	[SQL_PAGE_PACKED] = {.text = "SELECT " PACKED_KEY ", k.page, p.url, leg, looks" PACKED_ROWS
		" AND k.page = ?2 ORDER BY leg, first"},
	[SQL_DROP_OBSERVATIONS] = {
		.text = "DELETE FROM observation WHERE capture = ?1 AND page = ?2 AND leg < ?3"},
	[SQL_DROP_PACKED] = {.text = "DELETE FROM packed WHERE capture = ?1 AND page = ?2 AND leg < ?3"},
	[SQL_CLEAR_MOVES] = {.text = "DELETE FROM temp.moved"},
	[SQL_ADD_MOVE] = {
		.text = "INSERT INTO temp.moved(place, new, length, whole) VALUES(?1, ?2, ?3, ?4)"},
	[SQL_MOVE_OBSERVATIONS] = {
		.text = "UPDATE observation SET warc = ?2, place = m.new, length = m.length,"
		" is_revisit = is_revisit AND NOT whole FROM temp.moved AS m"
		" WHERE warc = ?1 AND observation.place = m.place"},
	[SQL_MOVE_LOOKS] = {.text = "UPDATE looks SET warc = ?2, place = m.new, length = m.length"
		" FROM temp.moved AS m WHERE warc = ?1 AND looks.place = m.place"},
	[SQL_DROP_LOOKS] = {.text = "DELETE FROM looks WHERE warc = ?1"},
	[SQL_RENAME_WARC] = {.text = "UPDATE warc SET name = ?2, size = ?3, digest = ?4 WHERE name = ?1"},
	[SQL_ADD_REPLACED] = {.text = "INSERT INTO replaced(name, new_name, done) VALUES(?1, ?2, 0)"
		" ON CONFLICT(name) DO UPDATE SET new_name = ?2, done = 0"},
	[SQL_REPLACED_DONE] = {.text = "UPDATE replaced SET done = 1 WHERE name = ?1"},
	[SQL_DROP_REPLACED] = {.text = "DELETE FROM replaced WHERE name = ?1"},
	[SQL_EACH_REPLACED] = {.text = "SELECT @ FROM replaced ORDER BY name", ALL(REPLACED)},
	[SQL_ADD_EVENT] = {.text = "INSERT INTO event(id, kind, page, leg, attempt, outcome, hopeless,"
		" began, ended) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
	[SQL_NEXT_EVENT] = {.text = "SELECT max(id) + 1 FROM event " OF_CAPTURE},
	[SQL_EACH_EVENT] = {.text = "SELECT id, kind, page, leg, attempt, outcome, hopeless, began, ended"
		" FROM event " OF_CAPTURE "ORDER BY id"},
	[SQL_EVENTS_FROM] = {
		.text = "SELECT id, kind, page, leg, attempt, outcome, hopeless, began, ended"
		" FROM event " FROM_NUMBER "ORDER BY id"},
	[SQL_ADD_LOOK] = {.text = "INSERT INTO look(@) VALUES(#)", ALL(LOOK)},
	[SQL_SET_LOOKS] = {.text = "INSERT INTO looks(@) VALUES(#)", ALL(LOOKS)},
	[SQL_DROP_LOOK] = {.text = "DELETE FROM look WHERE batch = ?1"},
	[SQL_EACH_LOOK] = {.text = "SELECT (batch << 12) | number, @ FROM look ORDER BY batch, number",
		ALL(LOOK), .before = 1},
	[SQL_LOOKS_ROWS] = {.text = "SELECT number, @ FROM look WHERE batch = ?1 ORDER BY number",
		ALL(LOOK), .before = 1},
	[SQL_GET_LOOKS] = {.text = "SELECT @ FROM looks WHERE id = ?1", ALL(LOOKS)},
	[SQL_LAST_LOOKS] = {.text = "SELECT max(coalesce((SELECT max(id) FROM looks), 0),"
		" coalesce((SELECT max(batch) FROM look), 0))"},
	[SQL_SET_WARC] = {.text = "INSERT INTO warc(@) VALUES(#)"
		" ON CONFLICT(name) DO UPDATE SET size = ?2, complete = ?3, digest = ?4",
		ALL(WARC)},
	[SQL_EACH_WARC] = {.text = "SELECT id, @ FROM warc ORDER BY id", ALL(WARC), .before = 1},
	[SQL_ADD_ROBOTS] = {
		.text = "INSERT INTO robots(id, capture, origin, policy, fetched, checked, why, body)"
		" VALUES((SELECT coalesce(max(id) + 1, ?1 << 32) FROM robots " OF_CAPTURE "),"
		" ?1, ?2, ?3, ?4, ?4, ?5, ?6)", ROBOTS, ROBOTS_ADDED},
	[SQL_CONFIRM_ROBOTS] = {.text = "UPDATE robots SET checked = ?3 WHERE id ="
		" (SELECT max(id) FROM robots WHERE capture = ?1 AND origin = ?2)",
		ALL(CONFIRMATION)},
	[SQL_EACH_ROBOTS] = {.text = "SELECT id, @ FROM robots " OF_CAPTURE "ORDER BY id", ALL(ROBOTS), .before = 1},
	[SQL_EARLIER_ROBOTS] = {.text = "SELECT id, @ FROM robots WHERE id < (?1 << 32) ORDER BY id",
		ALL(ROBOTS), .before = 1},
	[SQL_ADD_CLOCK] = {.text = "INSERT INTO clock(@) VALUES((SELECT coalesce(max(id) + 1, ?1 << 32)"
		" FROM clock " OF_CAPTURE "), ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce(?9, ''))",
		ALL(CLOCK)},
	[SQL_EACH_CLOCK] = {.text = "SELECT @ FROM clock " OF_CAPTURE "ORDER BY id", ALL(CLOCK)},
	[SQL_ADD_REQUISITE] = {.text = "INSERT INTO requisite(@) VALUES(#) ON CONFLICT DO NOTHING",
		ALL(REQUISITE)},
	[SQL_EACH_REQUISITE] = {.text = "SELECT ((page - 0x80000000) << 32) | requisite, @ FROM requisite"
		" WHERE capture = ?1 ORDER BY page, requisite", ALL(REQUISITE), .before = 1},
	[SQL_PAGE_REQUISITES] = {
		.text = "SELECT requisite, @ FROM requisite WHERE capture = ?1 AND page = ?2"
		" ORDER BY requisite", ALL(REQUISITE), .before = 1},
	[SQL_SET_DUST] = {.text = "INSERT OR REPLACE INTO dust(@) VALUES(#)", ALL(DUST)},
	[SQL_EACH_DUST] = {.text = "SELECT @ FROM dust " OF_CAPTURE "ORDER BY id", ALL(DUST)},
	[SQL_SET_LINKS] = {.text = "INSERT OR REPLACE INTO links(@) VALUES(#)", ALL(LINKS)},
	[SQL_EACH_LINKS] = {.text = "SELECT @ FROM links " OF_CAPTURE "ORDER BY id", ALL(LINKS)},
	[SQL_ADD_LEARNED] = {
		.text = "INSERT INTO learned(@) VALUES((SELECT coalesce(max(id) + 1, ?1 << 32)"
		" FROM learned " OF_CAPTURE "), ?2)", ALL(LEARNED)},
	[SQL_EACH_LEARNED] = {.text = "SELECT @ FROM learned " OF_CAPTURE "ORDER BY id", ALL(LEARNED)},
	[SQL_SET_POLL] = {.text = "INSERT OR REPLACE INTO poll(@) VALUES(#)", ALL(POLL)},
	[SQL_EACH_POLL] = {.text = "SELECT @ FROM poll " OF_CAPTURE "ORDER BY id", ALL(POLL)},
	[SQL_SET_VERDICT] = {.text = "INSERT OR REPLACE INTO verdict(@) VALUES(#)", ALL(VERDICT)},
	[SQL_EACH_VERDICT] = {.text = "SELECT @ FROM verdict " OF_CAPTURE "ORDER BY id", ALL(VERDICT)},
	[SQL_PAGE_VERDICT] = {.text = "SELECT @ FROM verdict WHERE id = (?1 << 32) | ?2", ALL(VERDICT)},
	[SQL_COUNT_SEEN] = {.text = "SELECT count(DISTINCT page) FROM observation"
		" WHERE capture = ?1 AND page < 0xffffffff AND status BETWEEN 200 AND 299"},
	[SQL_ADD_SAVED] = {.text = "INSERT INTO saved(@) VALUES(#)", ALL(SAVED)},
	[SQL_DROP_SAVED] = {.text = "DELETE FROM saved WHERE capture = ?1 AND kind = ?2"},
	[SQL_EACH_SAVED] = {.text = "SELECT number, @ FROM saved WHERE capture = ?1 AND kind = ?2"
		" ORDER BY number", ALL(SAVED), .before = 1},
	[SQL_SAVED_AROUND] = {.text = "SELECT number, @ FROM saved WHERE capture = ?1 AND kind = ?2"
		" AND number <= ?3 ORDER BY number DESC LIMIT 1", ALL(SAVED), .before = 1},
	[SQL_SET_PROGRESS] = {.text = "INSERT INTO import_progress(source, progress) VALUES(?1, ?2)"
		" ON CONFLICT DO UPDATE SET progress = ?2"},
	[SQL_DROP_PROGRESS] = {.text = "DELETE FROM import_progress WHERE source = ?1"},
	[SQL_GET_PROGRESS] = {.text = "SELECT progress FROM import_progress WHERE source = ?1"},
	[SQL_ADD_IMPORTED_PAGE] = {
		.text = "INSERT INTO imported_page(url) VALUES(?1) ON CONFLICT DO NOTHING"},
	[SQL_ADD_IMPORTED] = {.text = "INSERT INTO imported(page, time, digest, source)"
		" VALUES((SELECT id FROM imported_page WHERE url = ?1), ?2, ?3, ?4)"
		" ON CONFLICT(page, time) DO UPDATE SET digest = ?3, source = ?4"
		" WHERE digest = 0 AND ?3 <> 0", ALL(IMPORTED)},
	[SQL_EACH_IMPORTED] = {.text = "SELECT imported.id, @ FROM imported"
		" JOIN imported_page ON imported_page.id = imported.page ORDER BY imported.id",
		ALL(IMPORTED), .before = 1},
};
/* clang-format on */

const struct catalog_statement *catalog_statement(enum catalog_sql id)
{
	return &STATEMENTS[id];
}

void catalog_sql(enum catalog_sql id, struct buf *out)
{
	const struct catalog_statement *s = &STATEMENTS[id];

	for (const char *p = s->text; *p; p++) {
		if (*p != '@' && *p != '#')
			buf_add_char(out, *p);
		for (size_t i = 0; *p == '@' && i < s->count; i++)
			buf_printf(out, "%s%s", i ? ", " : "", s->columns[i].name);
		for (size_t i = 0; *p == '#' && i < s->count; i++)
			buf_add_str(out, i ? ", ?" : "?");
	}
}
