#include "fetch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/address.h"
#include "tap.h"

enum { URL_SIZE = 70000 };

struct net_params fetch_params(void)
{
	return (struct net_params){.user_agent = "test",
		.spool_dir = tap_tempdir(),
		.allowed = ADDRESS_SET(ADDRESS_LOOPBACK)};
}

struct net *fetch_net(const struct net_params *params)
{
	struct err err = {0};
	struct net *net = NULL;

	if (!CHECK_INT(net_new(params, &net, &err), 0)) {
		tap_note("%s", err.text);
		exit(1);
	}
	return net;
}

void fetch_begin(struct net *net, const char *origin, const char *path, uint64_t tag)
{
	static char url[URL_SIZE];
	struct net_request request = {.tag = tag};
	struct err err = {0};

	(void)snprintf(url, sizeof url, "%s%s", origin, path);
	request.url = slice_str(url);
	if (!CHECK_INT(net_start(net, &request, &err), 0))
		tap_note("%s", err.text);
	/* All is copied: what was handed in may go. */
	memset(url, 'x', sizeof url);
}

struct net_fetch *fetch_wait(struct net *net)
{
	const struct clock *clock = clock_system();
	int64_t start = clock_monotonic(clock);
	struct net_fetch *fetch = NULL;
	struct err err = {0};

	while (!(fetch = net_next(net)) &&
		clock_seconds(clock_monotonic(clock) - start) < FETCH_PATIENCE) {
		if (!CHECK_INT(net_wait(net, FETCH_PATIENCE, &err), 0)) {
			tap_note("%s", err.text);
			return NULL;
		}
	}
	CHECK(fetch != NULL);
	return fetch;
}

struct net_fetch *fetch_get(struct net *net, const char *origin, const char *path)
{
	fetch_begin(net, origin, path, 0);
	return fetch_wait(net);
}

unsigned fetch_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		(void)closedir(dir);
	return count;
}

void fetch_check_descriptors(unsigned before)
{
	CHECK_INT(fetch_descriptors(), before);
}
