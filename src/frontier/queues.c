#include "frontier/queues.h"

#include "base/err.h"

void queues_release(struct queues *pool)
{
	queue_nodes_release(&pool->nodes);
	*pool = (struct queues){0};
}

/* A node off the list of unused ones, or a new one: its index plus one in *ret. */
static int take_node(struct queues *pool, uint32_t *ret)
{
	int rc;

	if (pool->unused) {
		*ret = pool->unused;
		pool->unused = pool->nodes.ptr[*ret - 1].next;
		return 0;
	}
	if (pool->nodes.len >= UINT32_MAX)
		return ERR_LIMIT;
	rc = queue_nodes_push(&pool->nodes, (struct queue_node){0});
	if (rc == 0)
		*ret = (uint32_t)pool->nodes.len;
	return rc;
}

int queues_push(struct queues *pool, struct queue *q, struct queue_item item)
{
	uint32_t node;
	int rc = take_node(pool, &node);

	if (rc)
		return rc;
	pool->nodes.ptr[node - 1] = (struct queue_node){.tag = item.tag, .host = item.host};
	if (q->last)
		pool->nodes.ptr[q->last - 1].next = node;
	else
		q->first = node;
	q->last = node;
	q->len++;
	return 0;
}

int queues_push_first(struct queues *pool, struct queue *q, struct queue_item item)
{
	uint32_t node;
	int rc = take_node(pool, &node);

	if (rc)
		return rc;
	pool->nodes.ptr[node - 1] =
		(struct queue_node){.tag = item.tag, .host = item.host, .next = q->first};
	if (!q->last)
		q->last = node;
	q->first = node;
	q->len++;
	return 0;
}

/* Takes a node out, which follows another one or is the first (before is 0). */
static struct queue_item take_out(
	struct queues *pool, struct queue *q, uint32_t before, uint32_t node)
{
	struct queue_node *n = &pool->nodes.ptr[node - 1];

	*(before ? &pool->nodes.ptr[before - 1].next : &q->first) = n->next;
	if (q->last == node)
		q->last = before;
	q->len--;
	n->next = pool->unused;
	pool->unused = node;
	return (struct queue_item){n->tag, n->host};
}

bool queues_pop(struct queues *pool, struct queue *q, struct queue_item *ret)
{
	if (!q->first)
		return false;
	*ret = take_out(pool, q, 0, q->first);
	return true;
}

bool queues_hurry(struct queues *pool, struct queue *q, struct queue_item item)
{
	uint32_t before = 0, node = q->first;

	while (node && (pool->nodes.ptr[node - 1].tag != item.tag ||
			       pool->nodes.ptr[node - 1].host != item.host)) {
		before = node;
		node = pool->nodes.ptr[node - 1].next;
	}
	if (!node)
		return false;
	(void)take_out(pool, q, before, node);
	return queues_push_first(pool, q, item) == 0; /* in the node that is free now */
}

bool queues_take(struct queues *pool, struct queue *q, uint32_t host, uint64_t *ret_tag)
{
	uint32_t before = 0, node = q->first;

	while (node && pool->nodes.ptr[node - 1].host != host) {
		before = node;
		node = pool->nodes.ptr[node - 1].next;
	}
	if (!node)
		return false;
	*ret_tag = take_out(pool, q, before, node).tag;
	return true;
}
