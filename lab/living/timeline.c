#include "living/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"

enum {
	NS_PER_MS = 1000000,
	PATH_MAX_BYTES = 64 << 10,
	TRUTH_BUFFER = 1 << 16,
};

/* The clock may be set while we wait: look at it at least this often. */
static const int64_t NAP_NS = CLOCK_NS_PER_SECOND / 5;

static void write_line(struct timeline *t, uint32_t resource, int64_t at_ns)
{
	uint32_t version = t->cursors[resource].version;

	if (!t->truth)
		return;
	buf_reset(&t->path);
	if (t->model->behaviours[resource] == LIVING_NOT_FOUND)
		version = LIVING_GONE;
	if (living_path_of(t->model, resource, &t->path))
		t->failed = ERR_NOMEM;
	(void)fprintf(t->truth, "%" PRId64 "\t%s\t%s\t", (t->start_ns + at_ns) / NS_PER_MS,
		living_host_of(t->model, resource), buf_str(&t->path));
	if (version == LIVING_GONE)
		(void)fputs("gone\n", t->truth);
	else
		(void)fprintf(t->truth, "%" PRIu32 "\n", version);
}

static void flush(struct timeline *t)
{
	if (t->truth && (fflush(t->truth) != 0 || ferror(t->truth)) && !t->failed)
		t->failed = ERR_IO;
}

/* The key of the heap; exact for the first hundred days. */
static struct heap_key key_of(const struct timeline *t, uint32_t resource)
{
	return (struct heap_key){(double)t->cursors[resource].next_ns, resource};
}

/* Makes all changes up to now happen. Under the lock. */
static void advance(struct timeline *t)
{
	int64_t now = clock_realtime(t->clock);
	bool changed = false;
	uint32_t resource;

	if (now > t->now_ns)
		t->now_ns = now;
	while (heap_peek(&t->due, &resource, NULL)) {
		struct change_cursor *c = &t->cursors[resource];
		struct change_source source;

		if (c->next_ns > t->now_ns - t->start_ns)
			break;
		source = living_source(t->model, resource);
		change_step(&source, c);
		write_line(t, resource, c->at_ns);
		changed = true;
		if (c->next_ns == CHANGE_NEVER)
			(void)heap_pop(&t->due, &resource, NULL);
		else
			(void)heap_update(&t->due, resource, key_of(t, resource));
	}
	if (changed)
		flush(t);
}

static int begin_all(struct timeline *t)
{
	int rc = heap_reserve(&t->due, t->model->count);

	for (size_t i = 0; rc == 0 && i < t->model->count; i++) {
		uint32_t resource = (uint32_t)i;
		struct change_source source = living_source(t->model, resource);

		t->cursors[i] = change_begin(&source);
		write_line(t, resource, 0);
		if (t->cursors[i].next_ns != CHANGE_NEVER)
			rc = heap_push(&t->due, resource, key_of(t, resource));
	}
	flush(t);
	return rc ? rc : t->failed;
}

static void release(struct timeline *t)
{
	heap_release(&t->due);
	buf_release(&t->path);
	free(t->cursors);
	free(t->asked);
	(void)pthread_cond_destroy(&t->stopped);
	(void)pthread_mutex_destroy(&t->lock);
}

static int open_truth(struct timeline *t, const char *name, struct err *err)
{
	if (!name)
		return 0;
	t->truth = file_stream(name, "we");
	if (!t->truth)
		return err_set(err, ERR_IO, "%.200s: %s", name, strerror(errno));
	(void)setvbuf(t->truth, NULL, _IOFBF, TRUTH_BUFFER);
	return 0;
}

int timeline_init(struct timeline *t, const struct living_model *model, const struct clock *clock,
	const char *truth, struct err *err)
{
	int rc;

	*t = (struct timeline){.model = model, .clock = clock};
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_cond_init(&t->stopped, NULL);
	heap_init(&t->due);
	buf_init(&t->path, PATH_MAX_BYTES);
	t->cursors = calloc(model->count, sizeof *t->cursors);
	t->asked = calloc(model->count, sizeof *t->asked);
	rc = t->cursors && t->asked ? open_truth(t, truth, err) : err_code(err, ERR_NOMEM);
	if (rc == 0) {
		t->start_ns = t->now_ns = clock_realtime(clock);
		rc = begin_all(t);
		if (rc)
			err_set(err, rc, "%.200s: %s", truth ? truth : "site",
				rc == ERR_IO ? strerror(errno) : err_name(rc));
	}
	if (rc) {
		if (t->truth)
			(void)fclose(t->truth);
		release(t);
	}
	return rc;
}

int timeline_release(struct timeline *t, struct err *err)
{
	int rc;

	advance(t);
	if (t->truth && fclose(t->truth) != 0 && !t->failed)
		t->failed = ERR_IO;
	rc = t->failed;
	release(t);
	return rc ? err_set(err, rc, "the truth could not be written") : 0;
}

int timeline_look(struct timeline *t, const uint32_t *resources, size_t count, bool ask,
	struct sighting *ret_sightings)
{
	int rc;

	(void)pthread_mutex_lock(&t->lock);
	advance(t);
	for (size_t i = 0; i < count; i++) {
		uint32_t resource = resources[i];
		const struct change_cursor *c = &t->cursors[resource];

		ret_sightings[i] = (struct sighting){
			.at_ns = t->now_ns,
			.changed_ns = t->start_ns + c->at_ns,
			.version = c->version,
			.asked = t->asked[resource],
		};
		if (ask && t->asked[resource] < UINT8_MAX)
			t->asked[resource]++;
	}
	rc = t->failed;
	(void)pthread_mutex_unlock(&t->lock);
	return rc;
}

/* When to wake: at the next change, or after a nap. */
static struct timespec alarm_time(const struct timeline *t)
{
	int64_t at = t->now_ns + NAP_NS;
	uint32_t resource;

	if (heap_peek(&t->due, &resource, NULL)) {
		int64_t next = t->start_ns + t->cursors[resource].next_ns;

		if (next < at)
			at = next;
	}
	return (struct timespec){
		.tv_sec = (time_t)(at / CLOCK_NS_PER_SECOND),
		.tv_nsec = (long)(at % CLOCK_NS_PER_SECOND),
	};
}

void timeline_run(struct timeline *t)
{
	(void)pthread_mutex_lock(&t->lock);
	while (!t->stopping) {
		struct timespec alarm;

		advance(t);
		alarm = alarm_time(t);
		(void)pthread_cond_timedwait(&t->stopped, &t->lock, &alarm);
	}
	(void)pthread_mutex_unlock(&t->lock);
}

void timeline_stop(struct timeline *t)
{
	(void)pthread_mutex_lock(&t->lock);
	t->stopping = true;
	(void)pthread_cond_signal(&t->stopped);
	(void)pthread_mutex_unlock(&t->lock);
}

int timeline_failed(struct timeline *t)
{
	int rc;

	(void)pthread_mutex_lock(&t->lock);
	rc = t->failed;
	(void)pthread_mutex_unlock(&t->lock);
	return rc;
}
