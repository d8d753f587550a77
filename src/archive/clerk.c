#include "archive/clerk.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

struct clerk {
	struct catalog *catalog; /* the thread's */
	struct crawl_log *log;   /* the same; or NULL */
	pthread_t thread;

	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t work;  /* there is something to write, or it is time to go */
	pthread_cond_t done;  /* something was written, or never will be */
	struct batch *first, *last;
	struct batch *spare; /* batches to be used again */
	size_t waiting;      /* bytes of those in the queue or being written */
	bool busy;           /* some are being written */
	bool started, closing;
	struct err err; /* the first one */
};

/* ---- the thread ---- */

/* All that waits, in one transaction. */
static int write_all(struct clerk *k, const struct batch *b, struct err *err)
{
	int rc = 0;

	for (; rc == 0 && b; b = b->next)
		rc = batch_write(b, k->catalog, err);
	if (rc == 0)
		rc = catalog_commit(k->catalog, err);
	if (rc)
		catalog_rollback(k->catalog);
	return rc;
}

/* What is committed can be told. */
static int log_all(struct clerk *k, const struct batch *b, struct err *err)
{
	if (!k->log)
		return 0;
	for (; b; b = b->next)
		TRY(crawl_log_batch(k->log, b, k->catalog, err));
	return crawl_log_commit(k->log, err);
}

/* Puts written batches aside for the lanes. The lock is held. */
static void give_back(struct clerk *k, struct batch *b)
{
	while (b) {
		struct batch *next = b->next;

		k->waiting -= batch_bytes(b);
		batch_reset(b);
		b->next = k->spare;
		k->spare = b;
		b = next;
	}
}

/* Takes what waits, writes it, and tells. The lock is held before and after. */
static void work(struct clerk *k)
{
	struct batch *taken = k->first;
	struct err err = {0};
	int rc = k->err.code;

	k->first = k->last = NULL;
	k->busy = true;
	(void)pthread_mutex_unlock(&k->lock);
	if (rc == 0)
		rc = write_all(k, taken, &err);
	if (rc == 0)
		rc = log_all(k, taken, &err);
	(void)pthread_mutex_lock(&k->lock);
	if (rc && !k->err.code)
		k->err = err;
	give_back(k, taken);
	k->busy = false;
	(void)pthread_cond_broadcast(&k->done);
}

static void *run(void *context)
{
	struct clerk *k = context;

	(void)pthread_mutex_lock(&k->lock);
	while (k->first || !k->closing) {
		if (k->first)
			work(k);
		else
			(void)pthread_cond_wait(&k->work, &k->lock);
	}
	(void)pthread_mutex_unlock(&k->lock);
	return NULL;
}

/* ---- for the others ---- */

static void release(struct clerk *k)
{
	batch_free(k->first);
	batch_free(k->spare);
	(void)pthread_cond_destroy(&k->work);
	(void)pthread_cond_destroy(&k->done);
	(void)pthread_mutex_destroy(&k->lock);
	free(k);
}

struct clerk *clerk_new(struct catalog *catalog)
{
	struct clerk *k = mem_new(1, sizeof *k);

	k->catalog = catalog;
	(void)pthread_mutex_init(&k->lock, NULL);
	(void)pthread_cond_init(&k->work, NULL);
	(void)pthread_cond_init(&k->done, NULL);
	return k;
}

void clerk_set_log(struct clerk *k, struct crawl_log *log)
{
	k->log = log;
}

int clerk_start(struct clerk *k, struct err *err)
{
	bool started;

	/* Held, since lanes may be handing over already. */
	(void)pthread_mutex_lock(&k->lock);
	started = k->started = pthread_create(&k->thread, NULL, run, k) == 0;
	(void)pthread_mutex_unlock(&k->lock);
	if (!started)
		return err_set(err, ERR_NOMEM, "cannot start a thread for the catalog");
	return 0;
}

struct batch *clerk_batch(struct clerk *k)
{
	struct batch *b;

	(void)pthread_mutex_lock(&k->lock);
	b = k->spare;
	if (b)
		k->spare = b->next;
	(void)pthread_mutex_unlock(&k->lock);
	if (!b)
		return batch_new();
	b->next = NULL;
	return b;
}

/* The lock is held. */
static void append(struct clerk *k, struct batch *batch)
{
	k->waiting += batch_bytes(batch);
	if (k->last)
		k->last->next = batch;
	else
		k->first = batch;
	k->last = batch;
	(void)pthread_cond_signal(&k->work);
}

int clerk_submit(struct clerk *k, struct batch *batch, struct err *err)
{
	size_t bytes = batch_bytes(batch);
	int rc;

	(void)pthread_mutex_lock(&k->lock);
	while (k->started && !k->err.code && k->waiting > 0 && k->waiting + bytes > CLERK_BYTES_MAX)
		(void)pthread_cond_wait(&k->done, &k->lock);
	append(k, batch);
	rc = err_copy(err, &k->err);
	(void)pthread_mutex_unlock(&k->lock);
	return rc;
}

int clerk_wait(struct clerk *k, struct err *err)
{
	int rc;

	(void)pthread_mutex_lock(&k->lock);
	while (k->first || k->busy)
		(void)pthread_cond_wait(&k->done, &k->lock);
	rc = err_copy(err, &k->err);
	(void)pthread_mutex_unlock(&k->lock);
	return rc;
}

int clerk_stop(struct clerk *k, struct err *err)
{
	int rc;

	if (!k)
		return 0;
	(void)pthread_mutex_lock(&k->lock);
	k->closing = true;
	(void)pthread_cond_signal(&k->work);
	(void)pthread_mutex_unlock(&k->lock);
	if (k->started)
		(void)pthread_join(k->thread, NULL);
	rc = err_copy(err, &k->err);
	release(k);
	return rc;
}
