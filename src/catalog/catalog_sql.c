#include "catalog/catalog_db.h"

/* Rows of one capture, by their packed number. */
#define OF_CAPTURE "WHERE id BETWEEN (?1 << 32) AND (?1 << 32) | 0xffffffff "

#define CAPTURE_COLUMNS                                                                     \
	"id, uuid, site, strategy, settings, single, state, started, finished, still_from," \
	" still_to, ended_by, caveats, addresses"

#define PAGE_COLUMNS                                                                    \
	"id, url, kind, via, found, depth, hops_out, taken, rule, rate, shape, weight," \
	" left_out, content, lastmod, frequency"

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

#define NAME(column, ...) ", " #column
#define PARAMETER(...)    ", ?"
#define ALL_NAMES         CATALOG_OBSERVATION_FIELDS(NAME, NAME)
#define ALL_PARAMETERS    CATALOG_OBSERVATION_FIELDS(PARAMETER, PARAMETER)
#define BODY_NAMES        CATALOG_BODY_FIELDS(NAME, NAME)

static const char *const SQL[SQL_COUNT] = {
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_COMMIT] = "COMMIT",
	[SQL_DATA_VERSION] = "PRAGMA data_version",

	[SQL_ADD_WORD] = "INSERT INTO word(id, text) VALUES(?1, ?2)",
	[SQL_EACH_WORD] = "SELECT id, text FROM word WHERE id > ?1 ORDER BY id",

	[SQL_ADD_CAPTURE] =
		"INSERT INTO capture(id, uuid, site, strategy, settings, single, started, state,"
		" finished, still_from, still_to, ended_by, caveats, addresses)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
	[SQL_UPDATE_CAPTURE] = "UPDATE capture SET state = ?2, finished = ?3, still_from = ?4,"
			       " still_to = ?5, ended_by = ?6, caveats = ?7, addresses = ?8"
			       " WHERE id = ?1",
	[SQL_SET_SETTINGS] = "UPDATE capture SET settings = ?2 WHERE id = ?1",
	[SQL_GET_CAPTURE] = "SELECT " CAPTURE_COLUMNS " FROM capture WHERE id = ?1",
	[SQL_LAST_CAPTURE] = "SELECT " CAPTURE_COLUMNS " FROM capture ORDER BY id DESC LIMIT 1",
	[SQL_EACH_CAPTURE] = "SELECT " CAPTURE_COLUMNS " FROM capture ORDER BY id",

	[SQL_ADD_PAGE] =
		"INSERT INTO page(id, url, kind, via, found, depth, hops_out, taken, rule, rate,"
		" shape, weight, left_out, lastmod, frequency) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7,"
		" ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
	[SQL_REFUSE_PAGE] = "UPDATE page SET taken = 0, rule = ?2, left_out = ?3 WHERE id = ?1",
	[SQL_ADMIT_PAGE] = "UPDATE page SET taken = 1, rule = ?2, left_out = ?3 WHERE id = ?1",
	[SQL_WEIGH_PAGE] = "UPDATE page SET weight = ?2 WHERE id = ?1",
	[SQL_MARK_PAGE] = "UPDATE page SET content = ?2 WHERE id = ?1",
	[SQL_LIST_PAGE] = "UPDATE page SET lastmod = iif(?2, ?2, lastmod),"
			  " frequency = iif(?3, ?3, frequency) WHERE id = ?1",
	[SQL_TAKE_PAGE] = "UPDATE page SET kind = ?2, via = ?3, found = ?4, depth = ?5,"
			  " hops_out = ?6, taken = 1, rule = ?7, lastmod = max(lastmod, ?8),"
			  " frequency = max(frequency, ?9), left_out = 0 WHERE id = ?1",
	[SQL_EACH_PAGE] = "SELECT " PAGE_COLUMNS " FROM page " OF_CAPTURE "ORDER BY id",
	[SQL_GET_PAGE] = "SELECT " PAGE_COLUMNS " FROM page WHERE id = (?1 << 32) | ?2",
	[SQL_LAST_PAGE] = "SELECT max(id) FROM page " OF_CAPTURE,
	[SQL_EACH_URL] = "SELECT id, url FROM page " OF_CAPTURE "ORDER BY id",
	[SQL_URLS_FROM] = "SELECT id, url FROM page " FROM_NUMBER "ORDER BY id",

	[SQL_SET_UNKEPT] = "INSERT INTO unkept(id, links) VALUES(?1, ?2)"
			   " ON CONFLICT(id) DO UPDATE SET links = ?2",
	[SQL_EACH_UNKEPT] = "SELECT id, links FROM unkept " OF_CAPTURE "ORDER BY id",

	[SQL_SET_PLAN] = "INSERT INTO plan(id, visit, revisit, hopeless) VALUES(?1, ?2, ?3, ?4)"
			 " ON CONFLICT(id) DO UPDATE SET visit = ?2, revisit = ?3, hopeless = ?4",
	[SQL_EACH_PLAN] = "SELECT id, visit, revisit, hopeless FROM plan " OF_CAPTURE "ORDER BY id",

	[SQL_ADD_OBSERVATION] = "INSERT INTO observation(capture, page, url" ALL_NAMES
				") VALUES(?, ?, ?" ALL_PARAMETERS ")",
	[SQL_NEXT_SIDE] = "SELECT max(page) + 1 FROM observation WHERE capture = ?1"
			  " AND page >= 0xffffffff",
	[SQL_EACH_OBSERVATION] =
		"SELECT " OBSERVATION_KEY ", o.page, coalesce(o.url, p.url)" ALL_NAMES
		" FROM observation AS o LEFT JOIN page AS p ON p.id = ((?1 << 32) | o.page)"
		" AND o.page < 0xffffffff"
		" WHERE capture = ?1 ORDER BY o.page, leg, attempt",
	[SQL_PAGE_OBSERVATIONS] =
		"SELECT " OBSERVATION_KEY ", o.page, coalesce(o.url, p.url)" ALL_NAMES
		" FROM observation AS o LEFT JOIN page AS p ON p.id = ((?1 << 32) | o.page)"
		" WHERE capture = ?1 AND o.page = ?2 ORDER BY leg, attempt",
	[SQL_SIDE_OBSERVATIONS] =
		"SELECT " OBSERVATION_KEY ", page, url" ALL_NAMES " FROM observation AS o"
		" WHERE capture = ?1 AND page >= ?2 ORDER BY page, leg, attempt",
	[SQL_GET_OBSERVATION] =
		"SELECT " OBSERVATION_KEY ", page, NULL" ALL_NAMES " FROM observation AS o"
		" WHERE capture = ?1 AND page = ?2 AND leg = ?3 AND attempt = ?4",
	[SQL_FIND_BASE] =
		"SELECT " OBSERVATION_KEY ", page, NULL" ALL_NAMES " FROM observation AS o"
		" WHERE capture = ?1 AND page = ?2 AND (leg, attempt) <= (?3, ?4)"
		" AND (payload IS NOT NULL OR (leg = ?3 AND attempt = ?4))"
		" ORDER BY leg DESC, attempt DESC LIMIT 1",
	[SQL_EACH_BODY] = "SELECT " OBSERVATION_KEY ", page, NULL" BODY_NAMES OBSERVATIONS,

	[SQL_ADD_PACKED] = "INSERT INTO packed(capture, page, leg, first, looks)"
			   " VALUES(?1, ?2, ?3, ?4, ?5)",
	[SQL_SET_PACKED] = "UPDATE packed SET looks = ?5 WHERE capture = ?1 AND page = ?2"
			   " AND leg = ?3 AND first = ?4",
	[SQL_LAST_PACKED] = "SELECT first, looks FROM packed WHERE capture = ?1 AND page = ?2"
			    " AND leg = ?3 AND first <= ?4 ORDER BY first DESC LIMIT 1",
	[SQL_EACH_PACKED] = "SELECT " PACKED_KEY ", k.page, p.url, leg, looks" PACKED_ROWS
			    " ORDER BY k.page, leg, first",
	[SQL_PAGE_PACKED] = "SELECT " PACKED_KEY ", k.page, p.url, leg, looks" PACKED_ROWS
			    " AND k.page = ?2 ORDER BY leg, first",

	[SQL_DROP_OBSERVATIONS] =
		"DELETE FROM observation WHERE capture = ?1 AND page = ?2 AND leg < ?3",
	[SQL_DROP_PACKED] = "DELETE FROM packed WHERE capture = ?1 AND page = ?2 AND leg < ?3",
	[SQL_CLEAR_MOVES] = "DELETE FROM temp.moved",
	[SQL_ADD_MOVE] = "INSERT INTO temp.moved(place, new, length, whole) VALUES(?1, ?2, ?3, ?4)",
	[SQL_MOVE_OBSERVATIONS] =
		"UPDATE observation SET warc = ?2, place = m.new, length = m.length,"
		" is_revisit = is_revisit AND NOT whole FROM temp.moved AS m"
		" WHERE warc = ?1 AND observation.place = m.place",
	[SQL_MOVE_LOOKS] = "UPDATE looks SET warc = ?2, place = m.new, length = m.length"
			   " FROM temp.moved AS m WHERE warc = ?1 AND looks.place = m.place",
	[SQL_DROP_LOOKS] = "DELETE FROM looks WHERE warc = ?1",
	[SQL_RENAME_WARC] = "UPDATE warc SET name = ?2, size = ?3, digest = ?4 WHERE name = ?1",
	[SQL_ADD_REPLACED] = "INSERT INTO replaced(name, new_name, done) VALUES(?1, ?2, 0)"
			     " ON CONFLICT(name) DO UPDATE SET new_name = ?2, done = 0",
	[SQL_REPLACED_DONE] = "UPDATE replaced SET done = 1 WHERE name = ?1",
	[SQL_DROP_REPLACED] = "DELETE FROM replaced WHERE name = ?1",
	[SQL_EACH_REPLACED] = "SELECT name, new_name, done FROM replaced ORDER BY name",

	[SQL_ADD_EVENT] = "INSERT INTO event(id, kind, page, leg, attempt, outcome, hopeless,"
			  " began, ended) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[SQL_NEXT_EVENT] = "SELECT max(id) + 1 FROM event " OF_CAPTURE,
	[SQL_EACH_EVENT] = "SELECT id, kind, page, leg, attempt, outcome, hopeless, began, ended"
			   " FROM event " OF_CAPTURE "ORDER BY id",
	[SQL_EVENTS_FROM] = "SELECT id, kind, page, leg, attempt, outcome, hopeless, began, ended"
			    " FROM event " FROM_NUMBER "ORDER BY id",

	[SQL_ADD_LOOK] = "INSERT INTO look(batch, number, rows) VALUES(?1, ?2, ?3)",
	[SQL_SET_LOOKS] = "INSERT INTO looks(id, warc, place, length) VALUES(?1, ?2, ?3, ?4)",
	[SQL_DROP_LOOK] = "DELETE FROM look WHERE batch = ?1",
	[SQL_EACH_LOOK] = "SELECT (batch << 12) | number, batch, number, rows FROM look"
			  " ORDER BY batch, number",
	[SQL_LOOKS_ROWS] = "SELECT number, batch, number, rows FROM look WHERE batch = ?1"
			   " ORDER BY number",
	[SQL_GET_LOOKS] = "SELECT id, warc, place, length FROM looks WHERE id = ?1",
	[SQL_LAST_LOOKS] = "SELECT max(coalesce((SELECT max(id) FROM looks), 0),"
			   " coalesce((SELECT max(batch) FROM look), 0))",

	[SQL_SET_WARC] = "INSERT INTO warc(name, size, complete, digest) VALUES(?1, ?2, ?3, ?4)"
			 " ON CONFLICT(name) DO UPDATE SET size = ?2, complete = ?3, digest = ?4",
	[SQL_EACH_WARC] = "SELECT id, name, size, complete, digest FROM warc ORDER BY id",

	[SQL_ADD_ROBOTS] =
		"INSERT INTO robots(id, capture, origin, policy, fetched, checked, why, body)"
		" VALUES((SELECT coalesce(max(id) + 1, ?1 << 32) FROM robots " OF_CAPTURE "),"
		" ?1, ?2, ?3, ?4, ?4, ?5, ?6)",
	[SQL_CONFIRM_ROBOTS] = "UPDATE robots SET checked = ?3 WHERE id ="
			       " (SELECT max(id) FROM robots WHERE capture = ?1 AND origin = ?2)",
	[SQL_EACH_ROBOTS] = "SELECT id, origin, policy, fetched, checked, why, body"
			    " FROM robots " OF_CAPTURE "ORDER BY id",
	[SQL_EARLIER_ROBOTS] = "SELECT id, origin, policy, fetched, checked, why, body"
			       " FROM robots WHERE id < (?1 << 32) ORDER BY id",

	[SQL_ADD_CLOCK] =
		"INSERT INTO clock(id, moment, wall, monotonic, estimated_error, maximum_error,"
		" synchronised, capture_time, boot)"
		" VALUES((SELECT coalesce(max(id) + 1, ?1 << 32) FROM "
		"clock " OF_CAPTURE "), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
	[SQL_EACH_CLOCK] = "SELECT id, moment, wall, monotonic, estimated_error, maximum_error,"
			   " synchronised, capture_time, boot FROM clock " OF_CAPTURE "ORDER BY id",

	[SQL_ADD_REQUISITE] = "INSERT INTO requisite(capture, page, requisite) VALUES(?1, ?2, ?3)"
			      " ON CONFLICT DO NOTHING",
	[SQL_EACH_REQUISITE] =
		"SELECT ((page - 0x80000000) << 32) | requisite, page, requisite FROM requisite"
		" WHERE capture = ?1 ORDER BY page, requisite",
	[SQL_PAGE_REQUISITES] =
		"SELECT requisite, page, requisite FROM requisite WHERE capture = ?1 AND page = ?2"
		" ORDER BY requisite",
	[SQL_SET_DUST] = "INSERT OR REPLACE INTO dust(id, rule, kind, site, detail, state, agreed,"
			 " disagreed, passed, urls, applied)"
			 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[SQL_EACH_DUST] = "SELECT id, rule, kind, site, detail, state, agreed, disagreed, passed,"
			  " urls, applied FROM dust " OF_CAPTURE "ORDER BY id",
	[SQL_SET_LINKS] = "INSERT OR REPLACE INTO links(id, targets) VALUES(?1, ?2)",
	[SQL_EACH_LINKS] = "SELECT id, targets FROM links " OF_CAPTURE "ORDER BY id",
	[SQL_ADD_LEARNED] = "INSERT INTO learned(id, rule) VALUES((SELECT coalesce(max(id) + 1,"
			    " ?1 << 32) FROM learned " OF_CAPTURE "), ?2)",
	[SQL_EACH_LEARNED] = "SELECT id, rule FROM learned " OF_CAPTURE "ORDER BY id",

	[SQL_SET_POLL] =
		"INSERT OR REPLACE INTO poll(id, url, is_feed, source, polls, not_modified,"
		" checked, lies, announced_changed, announced_same, silent_changed)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
	[SQL_EACH_POLL] = "SELECT id, url, is_feed, source, polls, not_modified, checked, lies,"
			  " announced_changed, announced_same, silent_changed"
			  " FROM poll " OF_CAPTURE "ORDER BY id",

	[SQL_SET_VERDICT] =
		"INSERT INTO verdict(id, verdict, evidence, reason) VALUES(?1, ?2, ?3, ?4)"
		" ON CONFLICT(id) DO UPDATE SET verdict = ?2, evidence = ?3, reason = ?4",
	[SQL_EACH_VERDICT] =
		"SELECT id, verdict, evidence, reason FROM verdict " OF_CAPTURE "ORDER BY id",
	[SQL_PAGE_VERDICT] = "SELECT id, verdict, evidence, reason FROM verdict"
			     " WHERE id = (?1 << 32) | ?2",
	[SQL_COUNT_SEEN] =
		"SELECT count(DISTINCT page) FROM observation"
		" WHERE capture = ?1 AND page < 0xffffffff AND status BETWEEN 200 AND 299",

	[SQL_ADD_SAVED] = "INSERT INTO saved(capture, kind, number, bytes) VALUES(?1, ?2, ?3, ?4)",
	[SQL_DROP_SAVED] = "DELETE FROM saved WHERE capture = ?1 AND kind = ?2",
	[SQL_EACH_SAVED] = "SELECT number, kind, bytes FROM saved WHERE capture = ?1 AND kind = ?2"
			   " ORDER BY number",
	[SQL_SAVED_AROUND] = "SELECT number, kind, bytes FROM saved WHERE capture = ?1"
			     " AND kind = ?2 AND number <= ?3 ORDER BY number DESC LIMIT 1",

	[SQL_SET_PROGRESS] = "INSERT INTO import_progress(source, progress) VALUES(?1, ?2)"
			     " ON CONFLICT DO UPDATE SET progress = ?2",
	[SQL_DROP_PROGRESS] = "DELETE FROM import_progress WHERE source = ?1",
	[SQL_GET_PROGRESS] = "SELECT progress FROM import_progress WHERE source = ?1",
	[SQL_ADD_IMPORTED_PAGE] =
		"INSERT INTO imported_page(url) VALUES(?1) ON CONFLICT DO NOTHING",
	[SQL_ADD_IMPORTED] = "INSERT INTO imported(page, time, digest, source)"
			     " VALUES((SELECT id FROM imported_page WHERE url = ?1), ?2, ?3, ?4)"
			     " ON CONFLICT(page, time) DO UPDATE SET digest = ?3, source = ?4"
			     " WHERE digest = 0 AND ?3 <> 0",
	[SQL_EACH_IMPORTED] =
		"SELECT imported.id, imported_page.url, time, digest, source FROM imported"
		" JOIN imported_page ON imported_page.id = imported.page ORDER BY imported.id",
};

const char *catalog_sql(enum catalog_sql id)
{
	return SQL[id];
}
