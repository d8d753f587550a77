#include "httpd/peers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

void peers_init(struct peers *p, size_t max)
{
	*p = (struct peers){.max = max < PEERS_MAX ? max : PEERS_MAX};
	(void)pthread_mutex_init(&p->lock, NULL);
}

void peers_release(struct peers *p)
{
	(void)pthread_mutex_destroy(&p->lock);
}

static void unlink_peer(struct peer *x)
{
	struct peer_list *list = x->list;

	if (!list)
		return;
	*(x->older ? &x->older->newer : &list->oldest) = x->newer;
	*(x->newer ? &x->newer->older : &list->newest) = x->older;
	list->len--;
	x->older = x->newer = NULL;
	x->list = NULL;
}

static void link_peer(struct peer_list *list, struct peer *x)
{
	x->since = clock_monotonic(clock_system());
	x->older = list->newest;
	x->newer = NULL;
	*(list->newest ? &list->newest->newer : &list->oldest) = x;
	list->newest = x;
	list->len++;
	x->list = list;
}

/* Its event loop sees the end and closes it. */
static void drop(struct peer *x)
{
	unlink_peer(x);
	(void)shutdown(x->fd, SHUT_RDWR);
}

static bool is_of(const struct peer *x, const struct in6_addr *address)
{
	return memcmp(&x->address, address, sizeof *address) == 0;
}

static struct peer *oldest_of(
	const struct peers *p, const struct in6_addr *address, size_t *ret_count)
{
	struct peer *oldest = NULL;

	*ret_count = 0;
	for (struct peer *x = p->idle.oldest; x; x = x->newer) {
		if (!is_of(x, address))
			continue;
		if (!oldest)
			oldest = x;
		++*ret_count;
	}
	return oldest;
}

static void make_room(struct peers *p, const struct in6_addr *address)
{
	int64_t late = clock_monotonic(clock_system()) - PEERS_HEAD_SECONDS * CLOCK_NS_PER_SECOND;
	struct peer *same;
	size_t count;

	while (p->idle.oldest && p->idle.oldest->since < late)
		drop(p->idle.oldest);
	same = oldest_of(p, address, &count);
	if (same && count >= PEERS_ADDRESS_MAX)
		drop(same);
	if (p->idle.oldest && p->idle.len >= PEERS_IDLE_MAX)
		drop(p->idle.oldest);
	if (p->busy.oldest && p->idle.len + p->busy.len >= p->max)
		drop(p->busy.oldest);
}

static struct in6_addr address_of(const struct sockaddr *a)
{
	struct in6_addr mapped = {{{0}}};

	if (a && a->sa_family == AF_INET6) {
		mapped = ((const struct sockaddr_in6 *)a)->sin6_addr;
	} else if (a && a->sa_family == AF_INET) {
		mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
		memcpy(mapped.s6_addr + 12, &((const struct sockaddr_in *)a)->sin_addr, 4);
	}
	return mapped;
}

struct peer *peers_add(struct peers *p, int fd, const struct sockaddr *address)
{
	struct peer *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->fd = fd;
	x->address = address_of(address);
	(void)pthread_mutex_lock(&p->lock);
	x->number = p->count++;
	make_room(p, &x->address);
	link_peer(&p->idle, x);
	(void)pthread_mutex_unlock(&p->lock);
	return x;
}

/* What was dropped stays so. */
static void move(struct peers *p, struct peer_list *to, struct peer *x)
{
	(void)pthread_mutex_lock(&p->lock);
	if (x->list) {
		unlink_peer(x);
		link_peer(to, x);
	}
	(void)pthread_mutex_unlock(&p->lock);
}

void peers_begin(struct peers *p, struct peer *x)
{
	move(p, &p->busy, x);
}

void peers_end(struct peers *p, struct peer *x)
{
	move(p, &p->idle, x);
}

void peers_remove(struct peers *p, struct peer *x)
{
	(void)pthread_mutex_lock(&p->lock);
	unlink_peer(x);
	(void)pthread_mutex_unlock(&p->lock);
	free(x);
}
