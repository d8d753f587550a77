#include "archive/press.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	/* What is worth waking up for. */
	ENOUGH_JOBS = 64,
	ENOUGH_BYTES = 256 << 10,
	STEP = 16, /* jobs after which the lane gets room again */
};

enum job_kind {
	JOB_ATTEMPT,
	JOB_NOTE,
	JOB_LOOKS,
	JOB_ADOPT,
	JOB_FREE,
	JOB_COMMIT,
	JOB_FLUSH,
	JOB_CLOSE,
};

struct job {
	enum job_kind kind;
	size_t bytes;
	struct batch *batch; /* JOB_COMMIT and JOB_CLOSE take it */
	union {
		struct {
			struct attempt *attempt;
			const struct net_fetch *fetch;
		};
		struct {
			struct warc_entry note;
			uint64_t looks; /* of JOB_ADOPT */
		};
		struct net_fetch *taken; /* by JOB_FREE */
	};
};

struct press {
	struct records records; /* the thread's */
	struct clerk *clerk;
	pthread_t thread;
	atomic_bool failed; /* err is set */

	pthread_mutex_t lock; /* of all that follows, but for the jobs that are being done */
	pthread_cond_t work;  /* there is enough to do, or it is time to go */
	pthread_cond_t room;  /* some jobs were done */
	struct job ring[PRESS_JOBS_MAX];
	uint64_t added, done; /* jobs ever; those between are in the ring */
	size_t bytes;         /* of them */
	bool hurried;         /* somebody waits for all that is there */
	bool asleep;          /* the thread */
	bool closing;
	struct err err; /* the first one */
	struct records_bodies readable;
};

/* ---- the thread ---- */

/* Moves all bodies from one list to the end of another. */
static void move_bodies(struct records_bodies *from, struct records_bodies *to)
{
	for (size_t i = 0; i < from->len; i++)
		records_bodies_push(to, from->ptr[i]);
	from->len = 0;
}

/* What was written can be read now: the lane may know. */
static void publish(struct press *p)
{
	(void)pthread_mutex_lock(&p->lock);
	move_bodies(&p->records.fresh, &p->readable);
	(void)pthread_mutex_unlock(&p->lock);
}

static int flush(struct press *p, struct err *err)
{
	TRY(records_flush(&p->records, err));
	publish(p);
	return 0;
}

/* Hands the batch to the clerk unless making it true, which came to rc, has failed. */
static int hand_over(struct press *p, struct batch *batch, int rc, struct err *err)
{
	if (rc == 0)
		return clerk_submit(p->clerk, batch, err);
	batch_free(batch);
	return rc;
}

/* Syncing before handing over is what makes a row true. */
static int commit(struct press *p, struct batch *batch, struct err *err)
{
	int rc = records_sync(&p->records, batch, err);

	if (rc == 0)
		publish(p);
	return hand_over(p, batch, rc, err);
}

/* Frees what a job has taken when it will not be done. */
static void drop(struct job *job)
{
	if (job->kind == JOB_FREE)
		net_fetch_free(job->taken);
	else if (job->kind == JOB_COMMIT || job->kind == JOB_CLOSE)
		batch_free(job->batch);
}

/* Whatever fails first is what is told. */
static void fail(struct press *p, const struct err *err)
{
	(void)pthread_mutex_lock(&p->lock);
	if (!p->err.code)
		p->err = *err;
	(void)pthread_mutex_unlock(&p->lock);
	atomic_store(&p->failed, true);
}

static int do_job(struct press *p, struct job *job, struct err *err)
{
	switch (job->kind) {
	case JOB_ATTEMPT:
		return records_attempt(&p->records, job->batch, job->attempt, job->fetch, err);
	case JOB_NOTE:
		return records_note(&p->records, job->batch, &job->note, err);
	case JOB_LOOKS:
		return records_looks(&p->records, job->batch, err);
	case JOB_ADOPT:
		return records_adopt(&p->records, job->batch, job->looks, &job->note, err);
	case JOB_FREE:
		net_fetch_free(job->taken);
		return 0;
	case JOB_COMMIT:
		return commit(p, job->batch, err);
	case JOB_FLUSH:
		return flush(p, err);
	case JOB_CLOSE:
		return hand_over(p, job->batch, records_close(&p->records, job->batch, err), err);
	}
	return 0;
}

/* The bytes of the jobs that were done. */
static size_t do_jobs(struct press *p, uint64_t from, uint64_t to)
{
	size_t bytes = 0;

	for (uint64_t i = from; i < to; i++) {
		struct job *job = &p->ring[i % PRESS_JOBS_MAX];
		struct err err = {0};

		bytes += job->bytes;
		if (atomic_load_explicit(&p->failed, memory_order_relaxed))
			drop(job);
		else if (err_code(&err, do_job(p, job, &err)))
			fail(p, &err);
	}
	return bytes;
}

static bool is_enough(const struct press *p)
{
	return p->added - p->done >= ENOUGH_JOBS || p->bytes >= ENOUGH_BYTES;
}

/* The next few. The lock is held before and after. */
static void step(struct press *p)
{
	uint64_t from = p->done, to = p->added - from > STEP ? from + STEP : p->added;
	size_t bytes;

	(void)pthread_mutex_unlock(&p->lock);
	bytes = do_jobs(p, from, to);
	(void)pthread_mutex_lock(&p->lock);
	p->done = to;
	p->bytes -= bytes;
	p->hurried = p->hurried && p->added > p->done;
	(void)pthread_cond_signal(&p->room);
}

static void *run(void *context)
{
	struct press *p = context;

	(void)pthread_mutex_lock(&p->lock);
	while (!p->closing || p->added > p->done) {
		if (is_enough(p) || ((p->hurried || p->closing) && p->added > p->done)) {
			step(p);
			continue;
		}
		p->asleep = true;
		(void)pthread_cond_wait(&p->work, &p->lock);
		p->asleep = false;
	}
	(void)pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- for the lane ---- */

static void release(struct press *p)
{
	records_abandon(&p->records);
	records_bodies_release(&p->readable);
	(void)pthread_cond_destroy(&p->work);
	(void)pthread_cond_destroy(&p->room);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}

int press_new(const struct records_params *params, struct clerk *clerk, struct press **ret,
	struct err *err)
{
	struct press *p = mem_new(1, sizeof *p);
	int rc;

	p->clerk = clerk;
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_cond_init(&p->work, NULL);
	(void)pthread_cond_init(&p->room, NULL);
	rc = records_open(&p->records, params, err);
	if (rc == 0 && pthread_create(&p->thread, NULL, run, p) != 0)
		rc = err_set(err, ERR_NOMEM, "cannot start a thread for the WARC files");
	if (rc)
		release(p);
	else
		*ret = p;
	return rc;
}

/* The lock is held. */
static void wake(struct press *p)
{
	if (p->asleep)
		(void)pthread_cond_signal(&p->work);
}

static bool has_room(const struct press *p, size_t bytes)
{
	return p->added - p->done < PRESS_JOBS_MAX &&
	       (p->bytes == 0 || p->bytes + bytes <= PRESS_BYTES_MAX);
}

/* Waits for all jobs up to that number. The lock is held. */
static void wait_for(struct press *p, uint64_t number)
{
	while (p->done < number) {
		p->hurried = true;
		wake(p);
		(void)pthread_cond_wait(&p->room, &p->lock);
	}
}

static int add(struct press *p, const struct job *job, struct err *err)
{
	int rc;

	(void)pthread_mutex_lock(&p->lock);
	while (!has_room(p, job->bytes))
		wait_for(p, p->done + 1);
	p->ring[p->added++ % PRESS_JOBS_MAX] = *job;
	p->bytes += job->bytes;
	p->hurried = p->hurried || job->kind >= JOB_COMMIT;
	if (p->hurried || is_enough(p))
		wake(p);
	if (job->kind == JOB_FLUSH)
		wait_for(p, p->added);
	rc = err_copy(err, &p->err);
	(void)pthread_mutex_unlock(&p->lock);
	return rc;
}

int press_attempt(struct press *p, struct batch *batch, struct attempt *a,
	const struct net_fetch *fetch, struct err *err)
{
	return add(p,
		&(struct job){
			.kind = JOB_ATTEMPT,
			.bytes = fetch ? (size_t)fetch->body_size : 0,
			.batch = batch,
			.attempt = a,
			.fetch = fetch,
		},
		err);
}

int press_note(
	struct press *p, struct batch *batch, const struct warc_entry *entry, struct err *err)
{
	struct job job = {
		.kind = JOB_NOTE, .bytes = entry->body.len, .batch = batch, .note = *entry};

	return add(p, &job, err);
}

int press_looks(struct press *p, struct batch *batch, struct err *err)
{
	return add(p, &(struct job){.kind = JOB_LOOKS, .batch = batch}, err);
}

int press_adopt(struct press *p, struct batch *batch, uint64_t looks,
	const struct warc_entry *entry, struct err *err)
{
	struct job job = {.kind = JOB_ADOPT,
		.bytes = entry->body.len,
		.batch = batch,
		.note = *entry,
		.looks = looks};

	return add(p, &job, err);
}

void press_free_fetch(struct press *p, struct net_fetch *fetch)
{
	(void)add(p, &(struct job){.kind = JOB_FREE, .taken = fetch}, NULL);
}

int press_commit(struct press *p, struct batch *batch, struct err *err)
{
	size_t bytes = batch_bytes(batch);

	return add(p, &(struct job){.kind = JOB_COMMIT, .bytes = bytes, .batch = batch}, err);
}

int press_flush(struct press *p, struct err *err)
{
	return add(p, &(struct job){.kind = JOB_FLUSH}, err);
}

void press_bodies(struct press *p, struct records_bodies *ret)
{
	(void)pthread_mutex_lock(&p->lock);
	move_bodies(&p->readable, ret);
	(void)pthread_mutex_unlock(&p->lock);
}

int press_check(struct press *p, struct err *err)
{
	int rc;

	if (!atomic_load_explicit(&p->failed, memory_order_relaxed))
		return 0;
	(void)pthread_mutex_lock(&p->lock);
	rc = err_copy(err, &p->err);
	(void)pthread_mutex_unlock(&p->lock);
	return rc;
}

/* Ends the thread when nothing is left to be done. */
static void join(struct press *p)
{
	(void)pthread_mutex_lock(&p->lock);
	p->closing = true;
	(void)pthread_cond_signal(&p->work);
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_join(p->thread, NULL);
}

int press_close(struct press *p, struct batch *batch, struct err *err)
{
	int rc;

	(void)add(p, &(struct job){.kind = JOB_CLOSE, .batch = batch}, NULL);
	join(p);
	rc = err_copy(err, &p->err);
	release(p);
	return rc;
}

void press_abandon(struct press *p)
{
	if (!p)
		return;
	join(p);
	release(p);
}
