#include "catalog/catalog_db.h"

/* What catalog_update_capture changes. */
static void put_changing(struct query *q, const struct catalog_capture *capture)
{
	query_put_int(q, capture->state);
	query_put_int(q, capture->finished);
	query_put_int(q, capture->still_from);
	query_put_int(q, capture->still_to);
	query_put_int(q, capture->ended_by);
	query_put_int(q, capture->caveats);
	query_put_int(q, capture->addresses);
}

const char *catalog_end_name(enum catalog_end end)
{
	static const char *const names[] = {
		[CATALOG_END_TIME] = "time",
		[CATALOG_END_BYTES] = "bytes",
		[CATALOG_END_OPERATOR] = "operator",
	};

	return end <= CATALOG_END_LAST ? names[end] : NULL;
}

int catalog_add_capture(
	struct catalog *c, const struct catalog_capture *capture, uint32_t *ret_id, struct err *err)
{
	struct query q;
	int64_t id;
	int rc;

	query_write(&q, c, SQL_ADD_CAPTURE, err);
	if (capture->id)
		query_put_int(&q, capture->id);
	else
		query_put_null(&q);
	query_put_text(&q, capture->uuid);
	query_put_text(&q, capture->site);
	query_put_text(&q, capture->strategy);
	query_put_text(&q, capture->settings);
	query_put_int(&q, capture->single);
	query_put_int(&q, capture->started);
	put_changing(&q, capture);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	id = sqlite3_last_insert_rowid(c->db);
	/* Its rows are numbered id << 32 | number, which must not become negative. */
	if (id < 1 || id > INT32_MAX)
		return err_set(err, ERR_LIMIT, "%s has too many captures", c->path);
	*ret_id = (uint32_t)id;
	return 0;
}

int catalog_update_capture(
	struct catalog *c, const struct catalog_capture *capture, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_UPDATE_CAPTURE, err);
	query_put_int(&q, capture->id);
	put_changing(&q, capture);
	return query_run_on(&q, "capture", err);
}

int catalog_set_settings(struct catalog *c, uint32_t capture, slice settings, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_SETTINGS, err);
	query_put_int(&q, capture);
	query_put_text(&q, settings);
	return query_run_on(&q, "capture", err);
}

static int capture_read_row(struct query *q, struct catalog_capture *ret, struct err *err)
{
	*ret = (struct catalog_capture){
		.id = (uint32_t)query_up_to(q, 0, INT32_MAX),
		.uuid = query_text(q, 1),
		.site = query_text(q, 2),
		.strategy = query_text(q, 3),
		.settings = query_text(q, 4),
		.single = query_bool(q, 5),
		.state = (enum catalog_state)query_up_to(q, 6, CATALOG_CUT),
		.started = query_time(q, 7),
		.finished = query_time(q, 8),
		.still_from = query_time(q, 9),
		.still_to = query_time(q, 10),
		.ended_by = (enum catalog_end)query_up_to(q, 11, CATALOG_END_LAST),
		.caveats = (unsigned)query_up_to(q, 12, UINT32_MAX),
		.addresses = query_int(q, 13),
	};
	return query_check(q, err);
}

static bool copy_text(struct arena *arena, slice *text)
{
	if (text->ptr)
		text->ptr = arena_strdup(arena, *text);
	return text->ptr || text->len == 0;
}

static int copy_texts(const struct catalog *c, struct arena *arena, struct catalog_capture *capture,
	struct err *err)
{
	if (copy_text(arena, &capture->uuid) && copy_text(arena, &capture->site) &&
		copy_text(arena, &capture->strategy) && copy_text(arena, &capture->settings))
		return 0;
	return err_set(err, ERR_NOMEM, "%s: out of memory", c->path);
}

int catalog_get_capture(struct catalog *c, uint32_t id, struct arena *arena,
	struct catalog_capture *ret, struct err *err)
{
	struct catalog_capture capture;
	struct query q;
	int rc = query_read(&q, c, id ? SQL_GET_CAPTURE : SQL_LAST_CAPTURE, err);

	if (rc)
		return rc;
	if (id)
		query_put_int(&q, id);
	rc = query_next(&q, err);
	if (rc == 0)
		rc = capture_read_row(&q, &capture, err);
	if (rc == 0)
		rc = copy_texts(c, arena, &capture, err);
	if (rc == 0)
		*ret = capture;
	if (rc == ERR_END && id)
		rc = err_set(err, ERR_NOTFOUND,
			"%s has no capture %u; stillpoint report --captures lists those it has",
			c->path, (unsigned)id);
	else if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND,
			"%s has no capture; make one with: stillpoint crawl", c->path);
	return query_end(&q, rc);
}

int catalog_each_capture(
	struct catalog *c, catalog_on_capture *call, void *context, struct err *err)
{
	struct catalog_capture capture;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_CAPTURE, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = capture_read_row(&q, &capture, err)) == 0)
		rc = call(context, &capture);
	return query_end(&q, rc);
}

int catalog_save(
	struct catalog *c, uint32_t capture, const struct catalog_saved *part, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_SAVED, err);
	query_put_int(&q, capture);
	query_put_int(&q, part->kind);
	query_put_int(&q, part->number);
	query_put_blob(&q, part->bytes);
	return query_run(&q, err);
}

int catalog_drop_saved(
	struct catalog *c, uint32_t capture, enum catalog_saved_kind kind, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_DROP_SAVED, err);
	query_put_int(&q, capture);
	query_put_int(&q, kind);
	return query_run(&q, err);
}

static int saved_hand_out(
	struct query *q, catalog_on_saved *call, void *context, int rc, struct err *err)
{
	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		struct catalog_saved part = {
			.kind = (enum catalog_saved_kind)query_up_to(q, 1, CATALOG_SAVED_BODIES),
			.number = (uint32_t)query_up_to(q, 0, UINT32_MAX),
			.bytes = query_text(q, 2),
		};

		rc = query_check(q, err);
		if (rc == 0)
			rc = call(context, &part);
	}
	return query_end(q, rc);
}

int catalog_each_saved(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	catalog_on_saved *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_SAVED, capture, err);

	if (rc == 0)
		query_put_int(&q, kind);
	return saved_hand_out(&q, call, context, rc, err);
}

int catalog_saved_around(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	uint32_t number, catalog_on_saved *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_SAVED_AROUND, capture, err);

	if (rc == 0) {
		query_put_int(&q, kind);
		query_put_int(&q, number);
	}
	return saved_hand_out(&q, call, context, rc, err);
}

static int run_named(
	struct catalog *c, enum catalog_sql sql, slice name, slice other, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_text(&q, name);
	if (other.ptr)
		query_put_text(&q, other);
	return query_run(&q, err);
}

int catalog_add_replaced(struct catalog *c, slice name, slice new_name, struct err *err)
{
	return run_named(c, SQL_ADD_REPLACED, name, new_name, err);
}

int catalog_drop_replaced(struct catalog *c, slice name, struct err *err)
{
	return run_named(c, SQL_DROP_REPLACED, name, (slice){0}, err);
}

/* In a table of this connection, where the updates find them by their place. */
static int note_moves(
	struct catalog *c, const struct catalog_move *moves, size_t count, struct err *err)
{
	static const char SQL[] = "CREATE TEMP TABLE IF NOT EXISTS moved(place INTEGER PRIMARY KEY,"
				  " new INTEGER NOT NULL, length INTEGER NOT NULL,"
				  " whole INTEGER NOT NULL)";
	int sqlite = sqlite3_exec(c->db, SQL, NULL, NULL, NULL);
	struct query q;
	int rc;

	if (sqlite != SQLITE_OK)
		return catalog_error(c, sqlite, err);
	query_write(&q, c, SQL_CLEAR_MOVES, err);
	rc = query_run(&q, err);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		query_write(&q, c, SQL_ADD_MOVE, err);
		query_put_size(&q, moves[i].from);
		query_put_size(&q, moves[i].to);
		query_put_size(&q, moves[i].length);
		query_put_int(&q, moves[i].is_whole);
		rc = query_run(&q, err);
	}
	return rc;
}

static int move(
	struct catalog *c, enum catalog_sql sql, slice name, slice new_name, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_word(&q, name);
	query_put_word(&q, new_name);
	return query_run(&q, err);
}

int catalog_replace_warc(struct catalog *c, slice name, const struct catalog_warc *warc,
	const struct catalog_move *moves, size_t count, struct err *err)
{
	struct query q;
	int rc = note_moves(c, moves, count, err);

	if (rc == 0)
		rc = move(c, SQL_MOVE_OBSERVATIONS, name, warc->name, err);
	if (rc == 0)
		rc = move(c, SQL_MOVE_LOOKS, name, warc->name, err);
	if (rc)
		return rc;
	query_write(&q, c, SQL_DROP_LOOKS, err); /* records that have no rows left */
	query_put_word(&q, name);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	query_write(&q, c, SQL_RENAME_WARC, err);
	query_put_text(&q, name);
	query_put_text(&q, warc->name);
	query_put_size(&q, warc->size);
	query_put_digest(&q, warc->has_digest, &warc->digest);
	rc = query_run_on(&q, "WARC file", err);
	return rc ? rc : run_named(c, SQL_REPLACED_DONE, name, (slice){0}, err);
}

int catalog_each_replaced(
	struct catalog *c, catalog_on_replaced *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_REPLACED, err);

	while (rc == 0 && (rc = query_next(&q, err)) == 0) {
		struct catalog_replaced r = {
			.name = query_text(&q, 0),
			.new_name = query_text(&q, 1),
			.done = query_bool(&q, 2),
		};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &r);
	}
	return query_end(&q, rc);
}

int catalog_add_look(struct catalog *c, const struct catalog_look *look, struct err *err)
{
	struct query q;

	if (look->batch == 0 || look->batch > CATALOG_LOOKS_MAX ||
		look->number > CATALOG_LOOK_NUMBER_MAX)
		return err_set(err, ERR_RANGE, "%s: the number of a look", c->path);
	query_write(&q, c, SQL_ADD_LOOK, err);
	query_put_size(&q, look->batch);
	query_put_int(&q, look->number);
	query_put_blob(&q, look->rows);
	return query_run(&q, err);
}

static int drop(struct catalog *c, uint64_t batch, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_DROP_LOOK, err);
	query_put_size(&q, batch);
	return query_run(&q, err);
}

int catalog_set_looks(struct catalog *c, const struct catalog_looks *looks, struct err *err)
{
	struct query q;
	int rc;

	query_write(&q, c, SQL_SET_LOOKS, err);
	query_put_size(&q, looks->batch);
	query_put_word(&q, looks->warc);
	query_put_size(&q, looks->offset);
	query_put_size(&q, looks->length);
	rc = query_run(&q, err);
	return rc ? rc : drop(c, looks->batch, err);
}

int catalog_get_looks(struct catalog *c, uint64_t batch, struct arena *arena,
	struct catalog_looks *ret, struct err *err)
{
	struct catalog_looks looks = {.batch = batch};
	struct query q;
	int rc = query_read(&q, c, SQL_GET_LOOKS, err);

	if (rc == 0) {
		query_put_size(&q, batch);
		rc = query_next(&q, err);
	}
	if (rc == ERR_END)
		return query_end(&q, err_set(err, ERR_NOTFOUND, "%s: the looks wait", c->path));
	if (rc == 0) {
		looks.warc = query_word(&q, 1);
		looks.offset = query_up_to(&q, 2, INT64_MAX);
		looks.length = query_up_to(&q, 3, INT64_MAX);
		rc = query_check(&q, err);
	}
	if (rc == 0) {
		looks.warc.ptr = arena_strdup(arena, looks.warc);
		rc = looks.warc.ptr ? 0 : err_code(err, ERR_NOMEM);
	}
	if (rc == 0)
		*ret = looks;
	return query_end(&q, rc);
}

int catalog_last_looks(struct catalog *c, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_LAST_LOOKS, err);

	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0) {
		*ret = query_up_to(&q, 0, CATALOG_LOOKS_MAX);
		rc = query_check(&q, err);
	}
	return query_end(&q, rc);
}

static int look_hand_out(
	struct query *q, catalog_on_look *call, void *context, int rc, struct err *err)
{
	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		struct catalog_look look = {
			.batch = query_up_to(q, 1, CATALOG_LOOKS_MAX),
			.number = (uint32_t)query_up_to(q, 2, CATALOG_LOOK_NUMBER_MAX),
			.rows = query_text(q, 3),
		};

		rc = query_check(q, err);
		if (rc == 0)
			rc = call(context, &look);
	}
	return query_end(q, rc);
}

int catalog_each_look(struct catalog *c, catalog_on_look *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_LOOK, err);

	return look_hand_out(&q, call, context, rc, err);
}

int catalog_looks_rows(
	struct catalog *c, uint64_t batch, catalog_on_look *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_LOOKS_ROWS, err);

	if (rc == 0)
		query_put_size(&q, batch);
	return look_hand_out(&q, call, context, rc, err);
}

/* The number of the next event: read once, then counted. */
static int next_number(struct catalog *c, uint32_t capture, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc;

	if (c->event_capture == capture) {
		*ret = c->next_event;
		return 0;
	}
	rc = query_rows(&q, c, SQL_NEXT_EVENT, capture, err);
	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0 && sqlite3_column_type(q.stmt, 0) == SQLITE_NULL)
		*ret = 0;
	else if (rc == 0)
		*ret = (uint64_t)query_int(&q, 0) - ((uint64_t)capture << 32);
	return query_end(&q, rc);
}

int catalog_add_event(
	struct catalog *c, uint32_t capture, const struct catalog_event *e, struct err *err)
{
	uint64_t number = 0;
	struct query q;
	int rc;

	query_write(&q, c, SQL_ADD_EVENT, err);
	rc = q.rc ? q.rc : next_number(c, capture, &number, err);
	if (rc == 0 && number > UINT32_MAX)
		rc = err_set(err, ERR_LIMIT, "%s: the capture has too many events", c->path);
	if (rc)
		return query_end(&q, rc);
	query_put_int(&q, catalog_key(capture, (uint32_t)number));
	query_put_int(&q, e->kind);
	query_put_int(&q, e->page);
	query_put_int(&q, e->leg);
	query_put_int(&q, e->attempt);
	query_put_int(&q, e->outcome);
	query_put_int(&q, e->hopeless);
	query_put_double(&q, e->begin);
	query_put_double(&q, e->end);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	c->event_capture = capture;
	c->next_event = number + 1;
	return 0;
}

static int event_read_row(struct query *q, struct catalog_event *ret, struct err *err)
{
	*ret = (struct catalog_event){
		.kind = (enum catalog_event_kind)query_up_to(q, 1, CATALOG_EVENT_SETTLED),
		.page = (uint32_t)query_up_to(q, 2, UINT32_MAX),
		.leg = (uint8_t)query_up_to(q, 3, UINT8_MAX),
		.attempt = (uint8_t)query_up_to(q, 4, UINT8_MAX),
		.outcome = (uint8_t)query_up_to(q, 5, UINT8_MAX),
		.hopeless = query_bool(q, 6),
		.begin = query_double(q, 7),
		.end = query_double(q, 8),
	};
	return query_check(q, err);
}

/* Those from number count on, which a query has been made for. */
static int event_hand_out(struct query *q, uint32_t count, catalog_on_event *call, void *context,
	int rc, struct err *err)
{
	struct catalog_event event;

	/* A log with a hole would restore another run. */
	while (rc == 0 && (rc = query_next_key(q, err)) == 0 &&
		(rc = event_read_row(q, &event, err)) == 0)
		rc = query_number(q, 0) == count++
			     ? call(context, &event)
			     : catalog_damaged(q->c, "an event is missing", err);
	return query_end(q, rc);
}

int catalog_each_event(
	struct catalog *c, uint32_t capture, catalog_on_event *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_EVENT, capture, err);

	return event_hand_out(&q, 0, call, context, rc, err);
}

int catalog_events_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_event *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EVENTS_FROM, capture, err);

	if (rc == 0)
		query_put_int(&q, first);
	return event_hand_out(&q, first, call, context, rc, err);
}

/* What is not in the table is stored as it is, so these bound memory and nothing else. */
enum {
	WORDS_MAX = 4096,
	WORD_LEN_MAX = 200,
	ARENA_MAX = WORDS_MAX * (WORD_LEN_MAX + 64) + (1 << 20),
};

void catalog_words_init(struct catalog_words *w)
{
	*w = (struct catalog_words){0};
	arena_init(&w->arena, ARENA_MAX);
	strmap_init(&w->numbers, hash_key_random(), &w->arena);
}

void catalog_words_release(struct catalog_words *w)
{
	strmap_release(&w->numbers);
	slice_vec_release(&w->texts);
	arena_release(&w->arena);
}

static int remember(struct catalog_words *w, slice text)
{
	const char *copy = arena_strdup(&w->arena, text);
	int rc = copy ? strmap_put(&w->numbers, text, (uint32_t)w->texts.len + 1) : ERR_NOMEM;

	/* A damaged table may have a text twice; the first number is as good. */
	if (rc == ERR_EXISTS)
		rc = 0;
	return rc ? rc : slice_vec_push(&w->texts, (slice){copy, text.len});
}

/* Reads the words behind those that are known. */
static int load(struct catalog *c, struct err *err)
{
	struct catalog_words *w = &c->words;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_WORD, err);

	if (rc)
		return rc;
	query_put_int(&q, (int64_t)w->texts.len);
	while (w->texts.len < WORDS_MAX && (rc = query_next(&q, err)) == 0) {
		int64_t number = query_int(&q, 0);
		slice text = query_text(&q, 1);

		if (number != (int64_t)w->texts.len + 1 || !text.ptr || text.len > WORD_LEN_MAX)
			rc = catalog_damaged(c, "the table of words", err);
		else if (remember(w, text))
			rc = err_set(err, ERR_NOMEM, "%s: out of memory", c->path);
		if (rc)
			break;
	}
	rc = query_end(&q, rc);
	w->loaded = rc == 0;
	return rc;
}

static int add(struct catalog *c, slice text, struct err *err)
{
	struct query q;
	int rc;

	query_write(&q, c, SQL_ADD_WORD, err);
	query_put_int(&q, (int64_t)c->words.texts.len + 1);
	query_put_text(&q, text);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	rc = remember(&c->words, text);
	c->words.loaded = rc == 0;
	return rc ? err_set(err, ERR_NOMEM, "%s: out of memory", c->path) : 0;
}

int catalog_word_number(struct catalog *c, slice text, int64_t *ret, struct err *err)
{
	uint32_t number;
	int rc = 0;

	if (!c->words.loaded)
		rc = load(c, err);
	if (rc)
		return rc;
	if (strmap_get(&c->words.numbers, text, &number)) {
		*ret = number;
		return 0;
	}
	if (text.len > WORD_LEN_MAX || c->words.texts.len >= WORDS_MAX) {
		*ret = 0;
		return 0;
	}
	rc = add(c, text, err);
	if (rc == 0)
		*ret = (int64_t)c->words.texts.len;
	return rc;
}

int catalog_word_text(struct catalog *c, int64_t number, slice *ret, struct err *err)
{
	const struct slice_vec *texts = &c->words.texts;
	int rc = 0;

	/* Another process may have added some since. */
	if (number > (int64_t)texts->len && number <= WORDS_MAX)
		rc = load(c, err);
	if (rc)
		return rc;
	if (number < 1 || number > (int64_t)texts->len)
		return catalog_damaged(c, "a word is missing", err);
	*ret = texts->ptr[number - 1];
	return 0;
}

int catalog_set_warc(struct catalog *c, const struct catalog_warc *warc, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_WARC, err);
	query_put_text(&q, warc->name);
	query_put_size(&q, warc->size);
	query_put_int(&q, warc->complete);
	query_put_digest(&q, warc->has_digest, &warc->digest);
	return query_run(&q, err);
}

static int warc_read_row(struct query *q, struct catalog_warc *ret, struct err *err)
{
	*ret = (struct catalog_warc){
		.name = query_text(q, 1),
		.size = query_up_to(q, 2, INT64_MAX),
		.complete = query_bool(q, 3),
	};
	ret->has_digest = query_digest(q, 4, &ret->digest);
	return query_check(q, err);
}

int catalog_each_warc(struct catalog *c, catalog_on_warc *call, void *context, struct err *err)
{
	struct catalog_warc warc;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_WARC, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = warc_read_row(&q, &warc, err)) == 0)
		rc = call(context, &warc);
	return query_end(&q, rc);
}

int catalog_set_verdict(
	struct catalog *c, uint32_t capture, const struct catalog_verdict *v, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_VERDICT, err);
	query_put_int(&q, catalog_key(capture, v->page));
	query_put_word(&q, v->verdict);
	query_put_word(&q, v->evidence);
	query_put_text(&q, v->reason);
	return query_run(&q, err);
}

static int verdict_read_row(struct query *q, struct catalog_verdict *ret, struct err *err)
{
	*ret = (struct catalog_verdict){
		.page = query_number(q, 0),
		.verdict = query_word(q, 1),
		.evidence = query_word(q, 2),
		.reason = query_text(q, 3),
	};
	return query_check(q, err);
}

static int verdict_hand_out(
	struct query *q, catalog_on_verdict *call, void *context, int rc, struct err *err)
{
	struct catalog_verdict verdict;

	while (rc == 0 && (rc = query_next_key(q, err)) == 0 &&
		(rc = verdict_read_row(q, &verdict, err)) == 0)
		rc = call(context, &verdict);
	return query_end(q, rc);
}

int catalog_each_verdict(struct catalog *c, uint32_t capture, catalog_on_verdict *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_VERDICT, capture, err);

	return verdict_hand_out(&q, call, context, rc, err);
}

int catalog_page_verdict(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_verdict *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_PAGE_VERDICT, capture, err);

	if (rc == 0)
		query_put_int(&q, page);
	return verdict_hand_out(&q, call, context, rc, err);
}

int catalog_add_robots(
	struct catalog *c, uint32_t capture, const struct catalog_robots *r, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_ROBOTS, err);
	query_put_int(&q, capture);
	query_put_text(&q, r->origin);
	query_put_int(&q, r->policy);
	query_put_int(&q, r->fetched);
	query_put_text(&q, r->why);
	query_put_blob(&q, r->body);
	return query_run(&q, err);
}

int catalog_confirm_robots(
	struct catalog *c, uint32_t capture, slice origin, int64_t checked, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_CONFIRM_ROBOTS, err);
	query_put_int(&q, capture);
	query_put_text(&q, origin);
	query_put_int(&q, checked);
	return query_run_on(&q, "robots.txt", err);
}

static int robots_read_row(struct query *q, struct catalog_robots *ret, struct err *err)
{
	*ret = (struct catalog_robots){
		.origin = query_text(q, 1),
		.policy = (uint8_t)query_up_to(q, 2, UINT8_MAX),
		.fetched = query_int(q, 3),
		.checked = query_int(q, 4),
		.why = query_text(q, 5),
		.body = query_text(q, 6),
	};
	return query_check(q, err);
}

static int each_robots(struct catalog *c, enum catalog_sql sql, uint32_t capture,
	catalog_on_robots *call, void *context, struct err *err)
{
	struct catalog_robots robots;
	struct query q;
	int rc = query_rows(&q, c, sql, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = robots_read_row(&q, &robots, err)) == 0)
		rc = call(context, &robots);
	return query_end(&q, rc);
}

int catalog_each_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call, void *context,
	struct err *err)
{
	return each_robots(c, SQL_EACH_ROBOTS, capture, call, context, err);
}

int catalog_earlier_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call,
	void *context, struct err *err)
{
	return each_robots(c, SQL_EARLIER_ROBOTS, capture, call, context, err);
}

int catalog_add_requisite(
	struct catalog *c, uint32_t capture, const struct catalog_requisite *r, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_REQUISITE, err);
	query_put_int(&q, capture);
	query_put_int(&q, r->page);
	query_put_int(&q, r->requisite);
	return query_run(&q, err);
}

static int hand_out(
	struct query *q, catalog_on_requisite *call, void *context, int rc, struct err *err)
{
	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		struct catalog_requisite r = {
			.page = (uint32_t)query_up_to(q, 1, CATALOG_NO_PAGE - 1),
			.requisite = (uint32_t)query_up_to(q, 2, CATALOG_NO_PAGE),
		};

		rc = query_check(q, err);
		if (rc == 0)
			rc = call(context, &r);
	}
	return query_end(q, rc);
}

int catalog_each_requisite(struct catalog *c, uint32_t capture, catalog_on_requisite *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_REQUISITE, capture, err);

	return hand_out(&q, call, context, rc, err);
}

int catalog_page_requisites(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_requisite *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_PAGE_REQUISITES, capture, err);

	if (rc == 0)
		query_put_int(&q, page);
	return hand_out(&q, call, context, rc, err);
}

int catalog_set_poll(
	struct catalog *c, uint32_t capture, const struct catalog_poll *p, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_POLL, err);
	query_put_int(&q, catalog_key(capture, p->number));
	query_put_text(&q, p->url);
	query_put_int(&q, p->is_feed);
	query_put_int(&q, p->source);
	query_put_size(&q, p->polls);
	query_put_size(&q, p->not_modified);
	query_put_size(&q, p->checked);
	query_put_size(&q, p->lies);
	query_put_double(&q, p->announced_changed);
	query_put_double(&q, p->announced_same);
	query_put_double(&q, p->silent_changed);
	return query_run(&q, err);
}

int catalog_each_poll(
	struct catalog *c, uint32_t capture, catalog_on_poll *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_POLL, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_poll p = {
			.number = query_number(&q, 0),
			.url = query_text(&q, 1),
			.is_feed = query_bool(&q, 2),
			.source = (unsigned)query_up_to(&q, 3, UINT8_MAX),
			.polls = query_up_to(&q, 4, INT64_MAX),
			.not_modified = query_up_to(&q, 5, INT64_MAX),
			.checked = query_up_to(&q, 6, INT64_MAX),
			.lies = query_up_to(&q, 7, INT64_MAX),
			.announced_changed = query_double(&q, 8),
			.announced_same = query_double(&q, 9),
			.silent_changed = query_double(&q, 10),
		};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &p);
	}
	return query_end(&q, rc);
}

/* No position is NULL, which takes no space: most pages of an unfinished capture have none. */
static void put_position(struct query *q, int64_t position)
{
	if (position < 0)
		query_put_null(q);
	else
		query_put_int(q, position);
}

static int64_t read_position(struct query *q, int column)
{
	if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL)
		return -1;
	return (int64_t)query_up_to(q, column, INT64_MAX);
}

int catalog_set_plan(
	struct catalog *c, uint32_t capture, const struct catalog_plan *plan, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_PLAN, err);
	query_put_int(&q, catalog_key(capture, plan->page));
	put_position(&q, plan->visit);
	put_position(&q, plan->revisit);
	query_put_int(&q, plan->hopeless);
	return query_run(&q, err);
}

static int plan_read_row(struct query *q, struct catalog_plan *ret, struct err *err)
{
	*ret = (struct catalog_plan){
		.page = query_number(q, 0),
		.visit = read_position(q, 1),
		.revisit = read_position(q, 2),
		.hopeless = query_bool(q, 3),
	};
	return query_check(q, err);
}

int catalog_each_plan(
	struct catalog *c, uint32_t capture, catalog_on_plan *call, void *context, struct err *err)
{
	struct catalog_plan plan;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_PLAN, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = plan_read_row(&q, &plan, err)) == 0)
		rc = call(context, &plan);
	return query_end(&q, rc);
}

int catalog_set_links(
	struct catalog *c, uint32_t capture, const struct catalog_links *l, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_LINKS, err);
	query_put_int(&q, catalog_key(capture, l->page));
	query_put_blob(&q, l->targets);
	return query_run(&q, err);
}

int catalog_each_links(
	struct catalog *c, uint32_t capture, catalog_on_links *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_LINKS, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_links l = {
			.page = query_number(&q, 0), .targets = query_text(&q, 1)};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &l);
	}
	return query_end(&q, rc);
}

int catalog_set_unkept(
	struct catalog *c, uint32_t capture, const struct catalog_unkept *unkept, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_UNKEPT, err);
	query_put_int(&q, catalog_key(capture, (uint32_t)unkept->reason));
	query_put_size(&q, unkept->links);
	return query_run(&q, err);
}

int catalog_each_unkept(struct catalog *c, uint32_t capture, catalog_on_unkept *call, void *context,
	struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_UNKEPT, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		uint32_t reason = query_number(&q, 0);
		uint64_t links = query_up_to(&q, 1, INT64_MAX);

		if (reason >= LEFT_OUT_COUNT)
			q.damaged = true;
		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, (enum left_out)reason, links);
	}
	return query_end(&q, rc);
}

int catalog_add_learned(
	struct catalog *c, uint32_t capture, const struct catalog_learned *l, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_LEARNED, err);
	query_put_int(&q, capture);
	query_put_text(&q, l->rule);
	return query_run(&q, err);
}

int catalog_each_learned(struct catalog *c, uint32_t capture, catalog_on_learned *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_LEARNED, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_learned l = {.rule = query_text(&q, 1)};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &l);
	}
	return query_end(&q, rc);
}

static int add_page(struct catalog *c, slice url, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_IMPORTED_PAGE, err);
	query_put_text(&q, url);
	return query_run(&q, err);
}

int catalog_add_imported(
	struct catalog *c, const struct catalog_imported *i, bool *ret_added, struct err *err)
{
	struct query q;
	int rc = add_page(c, i->url, err);

	if (rc)
		return rc;
	query_write(&q, c, SQL_ADD_IMPORTED, err);
	query_put_text(&q, i->url);
	query_put_int(&q, i->time);
	query_put_int(&q, (int64_t)i->digest);
	query_put_int(&q, i->source);
	rc = query_run(&q, err);
	if (rc == 0)
		*ret_added = sqlite3_changes(c->db) > 0;
	return rc;
}

static int imported_read_row(struct query *q, struct catalog_imported *ret, struct err *err)
{
	*ret = (struct catalog_imported){
		.url = query_text(q, 1),
		.time = query_int(q, 2),
		.digest = (uint64_t)query_int(q, 3),
		.source = (unsigned)query_up_to(q, 4, UINT32_MAX),
	};
	return query_check(q, err);
}

int catalog_each_imported(
	struct catalog *c, catalog_on_imported *call, void *context, struct err *err)
{
	struct catalog_imported imported;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_IMPORTED, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = imported_read_row(&q, &imported, err)) == 0)
		rc = call(context, &imported);
	return query_end(&q, rc);
}

int catalog_set_progress(struct catalog *c, slice source, slice progress, struct err *err)
{
	struct query q;

	query_write(&q, c, progress.len > 0 ? SQL_SET_PROGRESS : SQL_DROP_PROGRESS, err);
	query_put_text(&q, source);
	if (progress.len > 0)
		query_put_blob(&q, progress);
	return query_run(&q, err);
}

int catalog_get_progress(struct catalog *c, slice source, struct buf *ret, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_GET_PROGRESS, err);

	buf_reset(ret);
	query_put_text(&q, source);
	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0)
		rc = err_code(err, buf_add(ret, query_text(&q, 0)));
	return query_end(&q, rc == 0 ? ERR_END : rc);
}

int catalog_set_dust(
	struct catalog *c, uint32_t capture, const struct catalog_dust *d, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_DUST, err);
	query_put_int(&q, catalog_key(capture, d->number));
	query_put_text(&q, d->rule);
	query_put_int(&q, d->kind);
	query_put_text(&q, d->site);
	query_put_text(&q, d->detail);
	query_put_int(&q, d->state);
	query_put_int(&q, d->agreed);
	query_put_int(&q, d->disagreed);
	query_put_int(&q, d->passed);
	query_put_size(&q, d->urls);
	query_put_int(&q, d->applied);
	return query_run(&q, err);
}

int catalog_each_dust(
	struct catalog *c, uint32_t capture, catalog_on_dust *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_DUST, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_dust d = {
			.number = query_number(&q, 0),
			.rule = query_text(&q, 1),
			.kind = (unsigned)query_up_to(&q, 2, UINT8_MAX),
			.site = query_text(&q, 3),
			.detail = query_text(&q, 4),
			.state = (unsigned)query_up_to(&q, 5, UINT8_MAX),
			.agreed = (uint32_t)query_up_to(&q, 6, UINT32_MAX),
			.disagreed = (uint32_t)query_up_to(&q, 7, UINT32_MAX),
			.passed = (uint32_t)query_up_to(&q, 8, UINT32_MAX),
			.urls = query_up_to(&q, 9, INT64_MAX),
			.applied = query_bool(&q, 10),
		};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &d);
	}
	return query_end(&q, rc);
}

int catalog_add_clock(
	struct catalog *c, uint32_t capture, const struct catalog_clock *k, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_CLOCK, err);
	query_put_int(&q, capture);
	query_put_text(&q, k->moment);
	query_put_int(&q, k->wall);
	query_put_int(&q, k->monotonic);
	query_put_int(&q, k->estimated_error);
	query_put_int(&q, k->maximum_error);
	query_put_int(&q, k->synchronised);
	query_put_int(&q, k->capture_time);
	query_put_text(&q, k->boot.ptr ? k->boot : SLICE(""));
	return query_run(&q, err);
}

static int read_row(struct query *q, struct catalog_clock *ret, struct err *err)
{
	*ret = (struct catalog_clock){
		.moment = query_text(q, 1),
		.wall = query_int(q, 2),
		.monotonic = query_int(q, 3),
		.estimated_error = query_int(q, 4),
		.maximum_error = query_int(q, 5),
		.synchronised = query_bool(q, 6),
		.capture_time = query_int(q, 7),
		.boot = query_text(q, 8),
	};
	if (ret->capture_time == 0)
		ret->capture_time = ret->wall;
	return query_check(q, err);
}

int catalog_each_clock(
	struct catalog *c, uint32_t capture, catalog_on_clock *call, void *context, struct err *err)
{
	struct catalog_clock clock;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_CLOCK, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &clock, err)) == 0)
		rc = call(context, &clock);
	return query_end(&q, rc);
}
