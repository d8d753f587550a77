#include "crawl/store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>

#include "archive/redact.h"

static const size_t SCRATCH_MAX = 1 << 20;

/* Of a record about a capture: its settings as far as there is room. */
static const size_t SETTINGS_MAX = 512 << 10;

/* ---- opening and closing ---- */

static int add_info(struct store *s, const char *name, slice value)
{
	return value.ptr ? field_vec_push(&s->info, (struct field){slice_str(name), value}) : 0;
}

/* "stillpoint-delay: 2": the rules of the capture, one by one. */
static int add_setting(void *context, const char *name, slice value)
{
	struct store *s = context;
	char *full = arena_alloc(&s->info_text, sizeof "stillpoint-" + strlen(name), 1);
	const char *copy = arena_strdup(&s->info_text, value);

	if (!full || !copy)
		return ERR_NOMEM;
	(void)sprintf(full, "stillpoint-%s", name);
	for (char *at = full; *at; at++)
		if (*at == '_')
			*at = '-';
	return add_info(s, full, (slice){copy, value.len});
}

/* Seeds that a warcinfo record has room for; a capture's first record has them all. */
enum { INFO_SEEDS_MAX = 100 };

static int add_setting_but_seeds(void *context, const char *name, slice value)
{
	return strcmp(name, "seeds") == 0 ? 0 : add_setting(context, name, value);
}

/* What is true of one capture only. */
static int describe_capture(struct store *s, const struct catalog_capture *capture)
{
	int rc = add_info(s, "isPartOf", capture->uuid);

	if (rc == 0)
		rc = add_info(s, "description", capture->site);
	if (rc == 0)
		rc = add_info(s, "stillpoint-strategy-used", capture->strategy);
	return rc;
}

/* The fields of every warcinfo record: who made the file, how, and by which rules. */
static int describe(struct store *s, const struct store_params *p)
{
	bool seeds = p->only && p->settings->seeds.len <= INFO_SEEDS_MAX;
	int rc = add_info(s, "software", SLICE("stillpoint/" STILLPOINT_VERSION));

	if (rc == 0)
		rc = add_info(s, "format", SLICE("WARC File Format 1.1"));
	if (rc == 0)
		rc = add_info(s, "conformsTo",
			SLICE("https://iipc.github.io/warc-specifications/specifications/"
			      "warc-format/warc-1.1/"));
	if (rc == 0 && p->only)
		rc = describe_capture(s, p->only);
	if (rc == 0)
		rc = add_info(
			s, "robots", p->settings->ignore_robots ? SLICE("ignore") : SLICE("obey"));
	if (rc == 0 && p->settings->contact)
		rc = add_info(s, "operator", slice_str(p->settings->contact));
	if (rc == 0)
		rc = add_info(s, "http-header-user-agent", slice_str(p->user_agent));
	if (rc == 0)
		rc = add_info(s, "stillpoint-evidence", SLICE("bytes"));
	return rc ? rc
		  : crawl_settings_each(
			    p->settings, seeds ? add_setting : add_setting_but_seeds, s);
}

/* Cookies and passwords are secret, and so is every field that may be a key. */
static int name_secrets(struct store *s, const struct crawl_secrets *secrets)
{
	static const slice NAMES[] = {SLICE_INIT("cookie"), SLICE_INIT("authorization"),
		SLICE_INIT("proxy-authorization")};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof NAMES / sizeof NAMES[0]; i++)
		rc = name_vec_push(&s->secret, NAMES[i]);
	for (size_t i = 0; rc == 0 && secrets && i < secrets->headers.len; i++)
		rc = name_vec_push(&s->secret, crawl_secrets_header_name(secrets->headers.ptr[i]));
	return rc;
}

/*
 * Lanes have names of their own, since they do not know of each other's files. The number comes
 * first: that of a later process is higher, whatever lane a capture is on then.
 */
static void name_files(struct store *s, unsigned lane)
{
	if (lane)
		(void)snprintf(s->name, sizeof s->name, "stillpoint-%%t-%%n-%u", lane);
	else
		(void)snprintf(s->name, sizeof s->name, "stillpoint-%%t-%%n");
}

int store_open(struct store *s, const struct store_params *p, struct err *err)
{
	struct warc_writer_params params = {
		.dir = p->directory->warc,
		.name = s->name,
		.serial = p->serial,
		.coding = (enum warc_coding)p->settings->warc_coding,
		.max_size = p->settings->warc_size,
		.clock = p->clock,
	};
	int rc;

	*s = (struct store){.clerk = p->clerk, .clock = p->clock};
	name_files(s, p->lane);
	buf_init(&s->scratch, SCRATCH_MAX);
	buf_init(&s->request, SCRATCH_MAX);
	buf_init(&s->redacted, SCRATCH_MAX);
	arena_init(&s->info_text, SCRATCH_MAX);
	s->batch = clerk_batch(p->clerk);
	rc = s->batch ? describe(s, p) : ERR_NOMEM;
	if (rc == 0 && !p->settings->keep_secrets)
		rc = name_secrets(s, p->secrets);
	params.info = s->info.ptr;
	params.info_count = s->info.len;
	if (rc)
		rc = err_set(err, rc, "%s", err_name(rc));
	else
		rc = warc_writer_open(&params, &s->warc, err);
	if (rc)
		store_abandon(s);
	return rc;
}

void store_abandon(struct store *s)
{
	clerk_discard(s->clerk, s->batch);
	warc_writer_abandon(s->warc);
	buf_release(&s->scratch);
	buf_release(&s->request);
	buf_release(&s->redacted);
	name_vec_release(&s->secret);
	arena_release(&s->info_text);
	field_vec_release(&s->info);
	*s = (struct store){0};
}

static int set_warc(struct store *s, uint64_t size, bool complete, struct err *err)
{
	if (!s->file[0])
		return 0;
	return batch_set_warc(s->batch,
		&(struct catalog_warc){
			.name = slice_str(s->file), .size = size, .complete = complete},
		err);
}

int store_close(struct store *s, struct err *err)
{
	int rc = store_commit(s, err);

	if (rc == 0) {
		rc = warc_writer_close(s->warc, err);
		s->warc = NULL;
	}
	if (rc == 0)
		rc = set_warc(s, s->end, true, err);
	if (rc == 0) {
		rc = clerk_submit(s->clerk, s->batch, err);
		s->batch = NULL;
	}
	store_abandon(s);
	return rc;
}

/* ---- committing ---- */

double store_due(struct store *s)
{
	int64_t now = clock_monotonic(s->clock);

	if (batch_is_empty(s->batch))
		return INFINITY;
	if (batch_bytes(s->batch) >= STORE_BATCH_MAX)
		return 0;
	if (!s->dirty_since)
		s->dirty_since = now;
	return fmax(0, clock_seconds(s->dirty_since + STORE_COMMIT_INTERVAL - now));
}

int store_commit(struct store *s, struct err *err)
{
	struct batch *fresh;
	int rc = s->file[0] ? warc_writer_sync(s->warc, err) : 0;

	if (rc == 0)
		rc = set_warc(s, s->whole, false, err);
	if (rc || batch_is_empty(s->batch))
		return rc;
	fresh = clerk_batch(s->clerk);
	if (!fresh)
		return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	rc = clerk_submit(s->clerk, s->batch, err);
	s->batch = fresh;
	s->dirty_since = 0;
	return rc;
}

/* ---- records ---- */

/* Adds a record; a file that was left for another is complete. */
static int add(
	struct store *s, const struct warc_entry *entry, struct warc_place *place, struct err *err)
{
	int rc = warc_writer_add(s->warc, entry, place, err);

	if (rc == 0 && strcmp(place->file, s->file) != 0) {
		rc = set_warc(s, s->end, true, err);
		memcpy(s->file, place->file, sizeof s->file);
	}
	if (rc == 0)
		s->end = place->offset + place->length;
	return rc;
}

static const char *truncation(enum net_failure failure)
{
	switch (failure) {
	case NET_FAILURE_TOO_LARGE:
		return "length";
	case NET_FAILURE_TIMEOUT:
		return "time";
	case NET_FAILURE_RESET:
		return "disconnect";
	default:
		return "unspecified";
	}
}

static int64_t date_of(const struct attempt *a)
{
	return a->wall.sent ? a->wall.sent : a->wall.last_byte;
}

enum { PROTOCOL_FIELDS = 3 };

/*
 * How the answer came, as the IIPC proposes (WARC-Protocol, WARC-Cipher-Suite): where it is more
 * than HTTP/1 in clear, of which the block itself tells.
 */
static size_t describe_protocol(const struct net_fetch *f, struct field out[PROTOCOL_FIELDS])
{
	size_t n = 0;

	if (!f->tls[0] || !f->protocol[0])
		return 0;
	out[n++] = (struct field){SLICE("WARC-Protocol"), slice_str(f->protocol)};
	out[n++] = (struct field){SLICE("WARC-Protocol"), slice_str(f->tls)};
	if (f->cipher[0])
		out[n++] = (struct field){SLICE("WARC-Cipher-Suite"), slice_str(f->cipher)};
	return n;
}

static int add_response(
	struct store *s, const struct store_attempt *a, struct warc_place *place, struct err *err)
{
	const struct net_fetch *f = a->fetch;
	struct warc_spool spool = {.fd = f->spool, .size = f->body_size};
	struct field extra[PROTOCOL_FIELDS];
	struct warc_entry entry = {
		.extra = extra,
		.extra_count = describe_protocol(f, extra),
		.type = WARC_TYPE_RESPONSE,
		.date = date_of(&a->attempt),
		.url = a->attempt.url,
		.ip = f->ip[0] ? slice_str(f->ip) : (slice){0},
		.head = f->head,
		.payload = &a->result->payload,
	};

	if (a->original) {
		entry.type = WARC_TYPE_REVISIT;
		entry.profile = WARC_PROFILE_IDENTICAL;
		entry.refers_to = slice_str(a->original->record.text);
		entry.refers_to_url = a->original->url;
		entry.refers_to_date = a->original->date;
	} else {
		entry.body = f->spool < 0 ? f->body : (slice){0};
		entry.spool = f->spool < 0 ? NULL : &spool;
		entry.truncated = f->truncated ? truncation(f->failure) : NULL;
	}
	return add(s, &entry, place, err);
}

static int add_request(struct store *s, const struct store_attempt *a,
	const struct warc_id *concurrent, struct warc_place *place, struct err *err)
{
	struct field extra[PROTOCOL_FIELDS];

	return add(s,
		&(struct warc_entry){
			.extra = extra,
			.extra_count = describe_protocol(a->fetch, extra),
			.type = WARC_TYPE_REQUEST,
			.date = date_of(&a->attempt),
			.url = a->attempt.url,
			.ip = a->fetch->ip[0] ? slice_str(a->fetch->ip) : (slice){0},
			.head = buf_slice(&s->request),
			.concurrent = concurrent,
		},
		place, err);
}

/* The attempt, with what is known of it only here. */
static int format_attempt(struct store *s, const struct store_attempt *a)
{
	const struct net_fetch *f = a->fetch;
	char protocol[sizeof f->protocol + sizeof f->tls];
	struct attempt attempt = a->attempt;

	if (f->tls[0]) {
		(void)snprintf(protocol, sizeof protocol, "%s%s%s", f->protocol,
			f->protocol[0] ? " " : "", f->tls);
		attempt.protocol = slice_str(protocol);
		attempt.cipher = slice_str(f->cipher);
	}
	if (s->redacted.len > 0)
		attempt.redacted = buf_slice(&s->redacted);
	buf_reset(&s->scratch);
	return attempt_format(&attempt, &s->scratch);
}

static int add_metadata(struct store *s, const struct store_attempt *a,
	const struct warc_id *concurrent, struct err *err)
{
	struct warc_place place;
	int rc = format_attempt(s, a);

	if (rc)
		return err_set(err, rc, "metadata: %s", err_name(rc));
	return add(s,
		&(struct warc_entry){
			.type = WARC_TYPE_METADATA,
			.date = date_of(&a->attempt),
			.url = a->attempt.url,
			.body = buf_slice(&s->scratch),
			.concurrent = concurrent,
		},
		&place, err);
}

static int observe(struct store *s, const struct store_attempt *a, const struct warc_place *place,
	struct err *err)
{
	struct catalog_observation o = {
		.page = a->page, .attempt = a->attempt, .media_type = a->media_type};

	if (a->result) {
		o.has_payload = true;
		o.payload = a->result->payload;
		o.warc = slice_str(place->file);
		o.offset = place->offset;
		o.length = place->length;
		o.record_id = slice_str(place->id.text);
		o.is_revisit = a->original != NULL;
		o.coding = a->coding;
	}
	return batch_add_observation(s->batch, a->capture, &o, err);
}

/* The request's head as it may be archived. */
static int redact(struct store *s, slice head, struct err *err)
{
	int rc;

	buf_reset(&s->request);
	buf_reset(&s->redacted);
	rc = redact_head(head, s->secret.ptr, s->secret.len, &s->request, &s->redacted);
	return rc ? err_set(err, rc, "request: %s", err_name(rc)) : 0;
}

int store_attempt(
	struct store *s, const struct store_attempt *a, struct store_place *ret, struct err *err)
{
	struct warc_place response = {0}, request = {0};
	const struct warc_id *concurrent = NULL;
	int rc = redact(s, a->fetch->request_head, err);

	if (rc == 0 && a->result) {
		rc = add_response(s, a, &response, err);
		concurrent = &response.id;
	}
	if (rc == 0 && a->fetch->request_head.len > 0) {
		rc = add_request(s, a, concurrent, &request, err);
		if (!concurrent)
			concurrent = &request.id;
	}
	if (rc == 0)
		rc = add_metadata(s, a, concurrent, err);
	if (rc == 0) {
		s->whole = s->end;
		rc = observe(s, a, &response, err);
	}
	if (rc)
		return rc;
	*ret = (struct store_place){.record = response.id, .offset = response.offset};
	memcpy(ret->file, response.file, sizeof ret->file);
	return 0;
}

/* ---- names ---- */

int store_lookup(struct store *s, slice host, const struct net_lookup *lookup, struct err *err)
{
	struct warc_place place;
	int rc;

	buf_reset(&s->scratch);
	rc = buf_printf(&s->scratch, "dns:%.*s", (int)host.len, host.ptr);
	if (rc)
		return err_set(err, rc, "dns: %s", err_name(rc));
	rc = add(s,
		&(struct warc_entry){
			.type = WARC_TYPE_RESOURCE,
			.date = lookup->date,
			.url = buf_slice(&s->scratch),
			.content_type = SLICE("text/dns"),
			.body = lookup->records,
		},
		&place, err);
	if (rc == 0)
		s->whole = s->end;
	return rc;
}

/* ---- the clock ---- */

static struct catalog_clock read_clock(const struct store *s, const char *moment)
{
	struct timex kernel = {0};
	int state = adjtimex(&kernel);
	struct catalog_clock k = {
		.moment = slice_str(moment),
		.wall = clock_realtime(s->clock),
		.monotonic = clock_monotonic(s->clock),
		.estimated_error = -1,
		.maximum_error = -1,
	};

	if (state >= 0) { /* microseconds */
		k.estimated_error = (int64_t)kernel.esterror * 1000;
		k.maximum_error = (int64_t)kernel.maxerror * 1000;
		k.synchronised = state != TIME_ERROR && !(kernel.status & STA_UNSYNC);
	}
	return k;
}

/* "max_pages 2" becomes "stillpoint-max-pages: 2". */
static int add_setting_line(struct buf *out, slice line)
{
	const char *blank = memchr(line.ptr, ' ', line.len);
	size_t name = blank ? (size_t)(blank - line.ptr) : line.len;
	int rc = buf_add_str(out, "stillpoint-");

	for (size_t i = 0; rc == 0 && i < name; i++)
		rc = line.ptr[i] == '_' ? buf_add_char(out, '-') : buf_add_char(out, line.ptr[i]);
	if (rc == 0)
		rc = buf_printf(out, ":%.*s\r\n", (int)(line.len - name), line.ptr + name);
	return rc;
}

/* As many as there is room for. */
static int add_settings(struct buf *out, slice lines)
{
	int rc = 0;

	while (rc == 0 && lines.len > 0) {
		const char *end = memchr(lines.ptr, '\n', lines.len);
		size_t len = end ? (size_t)(end - lines.ptr) : lines.len;

		if (out->len + len > SETTINGS_MAX)
			return buf_add_str(out, "stillpoint-settings-cut: true\r\n");
		rc = add_setting_line(out, slice_sub(lines, 0, len));
		lines = slice_sub(lines, len + 1, lines.len);
	}
	return rc;
}

/* Whose clock it is and, where it begins, by which rules: a file may hold several captures. */
static int format_moment(
	struct buf *out, const struct catalog_capture *capture, const struct catalog_clock *k)
{
	bool begins =
		!slice_eq(k->moment, SLICE("stillpoint")) && !slice_eq(k->moment, SLICE("end"));
	int rc = buf_printf(out,
		"moment: %.*s\r\nmonotonic: %lld\r\nclockEstimatedErrorNs: %lld\r\n"
		"clockMaximumErrorNs: %lld\r\nclockSynchronised: %s\r\n",
		(int)k->moment.len, k->moment.ptr, (long long)k->monotonic,
		(long long)k->estimated_error, (long long)k->maximum_error,
		k->synchronised ? "true" : "false");

	if (rc || !begins)
		return rc;
	rc = buf_printf(out, "site: %.*s\r\nstillpoint-strategy-used: %.*s\r\n",
		(int)capture->site.len, capture->site.ptr, (int)capture->strategy.len,
		capture->strategy.ptr);
	return rc ? rc : add_settings(out, capture->settings);
}

int store_moment(
	struct store *s, const struct catalog_capture *capture, const char *moment, struct err *err)
{
	struct catalog_clock k = read_clock(s, moment);
	struct warc_place place;
	int rc;

	buf_reset(&s->scratch);
	rc = format_moment(&s->scratch, capture, &k);
	if (rc)
		return err_set(err, rc, "%s", err_name(rc));
	rc = add(s,
		&(struct warc_entry){
			.type = WARC_TYPE_METADATA,
			.date = k.wall,
			.url = capture->uuid,
			.body = buf_slice(&s->scratch),
		},
		&place, err);
	if (rc)
		return rc;
	s->whole = s->end;
	return batch_add_clock(s->batch, capture->id, &k, err);
}
