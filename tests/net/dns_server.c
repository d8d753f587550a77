#include "dns_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/address.h"

enum {
	NAMES_MAX = 64,
	TEXT_MAX = 256,
	PACKET_MAX = 4096,
	HEADER = 12,
	TYPE_A = 1,
	TYPE_CNAME = 5,
	TYPE_AAAA = 28,
	SERVFAIL = 2,
	NXDOMAIN = 3,
	REFUSED = 5,
};

struct entry {
	char name[TEXT_MAX], what[TEXT_MAX];
	uint32_t ttl;
	unsigned asked;
};

struct dns_server {
	int socket, stop;
	pthread_t thread;
	char address[32];
	pthread_mutex_t mutex; /* of what follows */
	struct entry entries[NAMES_MAX];
	size_t count;
	unsigned asked;
};

static void require(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static struct entry *find(struct dns_server *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcasecmp(s->entries[i].name, name) == 0)
			return &s->entries[i];
	return NULL;
}

/* ---- packets ---- */

struct packet {
	uint8_t bytes[PACKET_MAX];
	size_t len;
};

static void put(struct packet *p, const void *bytes, size_t len)
{
	require(p->len + len <= sizeof p->bytes, "packet");
	memcpy(p->bytes + p->len, bytes, len);
	p->len += len;
}

static void put16(struct packet *p, unsigned value)
{
	uint16_t n = htons((uint16_t)value);

	put(p, &n, sizeof n);
}

static void put_name(struct packet *p, const char *name)
{
	while (*name) {
		size_t len = strcspn(name, ".");
		uint8_t byte = (uint8_t)len;

		put(p, &byte, 1);
		put(p, name, len);
		name += len + (name[len] == '.');
	}
	put(p, "", 1);
}

static void put_record(struct packet *p, const char *name, unsigned type, uint32_t ttl,
	const void *data, size_t size)
{
	put_name(p, name);
	put16(p, type);
	put16(p, 1);
	put16(p, ttl >> 16);
	put16(p, ttl & 0xffff);
	put16(p, (unsigned)size);
	put(p, data, size);
	p->bytes[7]++; /* answers */
}

static void put_addresses(struct packet *p, const struct entry *e, unsigned type)
{
	char text[TEXT_MAX], *rest = text, *word;

	(void)snprintf(text, sizeof text, "%s", e->what);
	while ((word = strsep(&rest, " "))) {
		struct address a;

		if (address_parse((slice){word, strlen(word)}, &a) &&
			type == (a.size == ADDRESS_V4_SIZE ? TYPE_A : TYPE_AAAA))
			put_record(p, e->name, type, e->ttl, a.bytes, a.size);
	}
}

static void put_answer(struct dns_server *s, struct packet *p, const struct entry *e, unsigned type)
{
	const char *prefix = "CNAME ";

	if (strncmp(e->what, prefix, strlen(prefix)) == 0) {
		const char *target = e->what + strlen(prefix);
		struct packet name = {.len = 0};

		put_name(&name, target);
		put_record(p, e->name, TYPE_CNAME, e->ttl, name.bytes, name.len);
		e = find(s, target);
	}
	if (e)
		put_addresses(p, e, type);
}

/* The name that is asked for, with dots; the length of the question, 0 for a bad one. */
static size_t read_question(const uint8_t *in, size_t len, char name[TEXT_MAX], unsigned *type)
{
	size_t at = HEADER, out = 0;

	while (at < len && in[at] > 0) {
		if (at + 1U + in[at] >= len || out + in[at] + 2U >= TEXT_MAX)
			return 0;
		if (out > 0)
			name[out++] = '.';
		memcpy(name + out, in + at + 1, in[at]);
		out += in[at];
		at += 1U + in[at];
	}
	name[out] = '\0';
	if (at + 5 > len)
		return 0;
	*type = in[at + 1U] << 8 | in[at + 2U];
	return at + 5;
}

static void answer(
	struct dns_server *s, const uint8_t *in, size_t len, const struct sockaddr_in *to)
{
	struct packet p = {.len = 0};
	char name[TEXT_MAX];
	unsigned type = 0, rcode = 0;
	size_t end = read_question(in, len, name, &type);
	struct entry *e = find(s, name);

	if (end == 0)
		return;
	if (type == TYPE_A) {
		s->asked++;
		if (e)
			e->asked++;
	}
	if (e && strcmp(e->what, "silent") == 0)
		return;
	put(&p, in, end);
	memset(p.bytes + 6, 0, 6); /* records: none yet */
	if (!e)
		rcode = NXDOMAIN;
	else if (strcmp(e->what, "SERVFAIL") == 0)
		rcode = SERVFAIL;
	else if (strcmp(e->what, "REFUSED") == 0)
		rcode = REFUSED;
	p.bytes[2] = 0x85; /* an authoritative answer, recursion desired */
	p.bytes[3] = (uint8_t)(0x80 | rcode);
	if (e && rcode == 0)
		put_answer(s, &p, e, type);
	(void)sendto(s->socket, p.bytes, p.len, 0, (const struct sockaddr *)to, sizeof *to);
}

/* ---- */

static void *serve(void *context)
{
	struct dns_server *s = context;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = s->socket, .events = POLLIN}, {.fd = s->stop, .events = POLLIN}};
		struct sockaddr_in from;
		socklen_t size = sizeof from;
		uint8_t in[PACKET_MAX];
		ssize_t n;

		(void)poll(fds, 2, -1);
		if (fds[1].revents)
			return NULL;
		n = recvfrom(
			s->socket, in, sizeof in, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
		if (n < HEADER)
			continue;
		(void)pthread_mutex_lock(&s->mutex);
		answer(s, in, (size_t)n, &from);
		(void)pthread_mutex_unlock(&s->mutex);
	}
}

struct dns_server *dns_server_start(void)
{
	struct dns_server *s = calloc(1, sizeof *s);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;

	require(s != NULL, "calloc");
	s->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	s->stop = eventfd(0, EFD_CLOEXEC);
	require(s->socket >= 0 && s->stop >= 0, "socket");
	require(bind(s->socket, (struct sockaddr *)&a, sizeof a) == 0, "bind");
	require(getsockname(s->socket, (struct sockaddr *)&a, &size) == 0, "getsockname");
	(void)snprintf(s->address, sizeof s->address, "127.0.0.1:%u", ntohs(a.sin_port));
	(void)pthread_mutex_init(&s->mutex, NULL);
	require(pthread_create(&s->thread, NULL, serve, s) == 0, "thread");
	return s;
}

void dns_server_stop(struct dns_server *s)
{
	uint64_t one = 1;

	if (!s)
		return;
	require(write(s->stop, &one, sizeof one) == sizeof one, "eventfd");
	(void)pthread_join(s->thread, NULL);
	(void)pthread_mutex_destroy(&s->mutex);
	(void)close(s->socket);
	(void)close(s->stop);
	free(s);
}

const char *dns_server_address(const struct dns_server *s)
{
	return s->address;
}

void dns_server_set(struct dns_server *s, const char *name, const char *what, uint32_t ttl)
{
	struct entry *e;

	(void)pthread_mutex_lock(&s->mutex);
	e = find(s, name);
	if (!e) {
		require(s->count < NAMES_MAX, "names");
		e = &s->entries[s->count++];
		(void)snprintf(e->name, sizeof e->name, "%s", name);
	}
	(void)snprintf(e->what, sizeof e->what, "%s", what);
	e->ttl = ttl;
	(void)pthread_mutex_unlock(&s->mutex);
}

unsigned dns_server_asked(struct dns_server *s, const char *name)
{
	const struct entry *e;
	unsigned count;

	(void)pthread_mutex_lock(&s->mutex);
	e = name ? find(s, name) : NULL;
	count = name ? (e ? e->asked : 0) : s->asked;
	(void)pthread_mutex_unlock(&s->mutex);
	return count;
}
