/*
 * The living site under load: small pages per second that it serves to wrk (Debian's package), and
 * beside them what a server in the same process gives that answers every request with the same
 * ready bytes, which is the limit of this HTTP server on this machine. Pages per second of our own
 * processor time stand behind them: other work on the machine touches these less.
 *
 *	bench_living [SECONDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/parse.h"
#include "living/site.h"
#include "net/httpd.h"

enum {
	PAGES = 10000,
	THREADS = 2,
	BODY = 1000,
	ROUNDS = 3,
	WANTED = 20000, /* pages per second */
};

static void require(bool ok, const char *what)
{
	if (!ok) {
		(void)fprintf(stderr, "bench_living: %s\n", what);
		exit(1);
	}
}

static void answer(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	(void)q;
	r->status = 200;
	httpd_header(r, "Content-Type", "text/html; charset=utf-8");
	(void)buf_add(&r->body, (slice){context, BODY});
}

/* What wrk counted; per second of time, and of our processor time (its own is not in it). */
struct speed {
	double per_second;
	double per_cpu_second;
};

static double cpu_seconds(void)
{
	struct rusage u;

	require(getrusage(RUSAGE_SELF, &u) == 0, "no processor time");
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static struct speed load(uint16_t port, const char *seconds)
{
	static const char RATE[] = "Requests/sec:", REQUESTS[] = " requests in ";
	double rate = 0, requests = 0, cpu = cpu_seconds();
	char command[512], line[512];
	FILE *pipe;

	(void)snprintf(command, sizeof command,
		"wrk -t1 -c32 -d%ss -s '%s/bench/living.lua' http://127.0.0.1:%u/", seconds,
		STILLPOINT_SRCDIR, (unsigned)port);
	pipe = popen(command, "re"); /* NOLINT(cert-env33-c): our own words */
	require(pipe != NULL, "no shell");
	while (fgets(line, sizeof line, pipe)) {
		if (strncmp(line, RATE, sizeof RATE - 1) == 0)
			rate = strtod(line + sizeof RATE - 1, NULL);
		if (strstr(line, REQUESTS))
			requests = strtod(line, NULL);
		require(!strstr(line, "Non-2xx"), "not all requests succeeded");
	}
	require(pclose(pipe) == 0 && rate > 0, "wrk failed (apt-get install wrk)");
	return (struct speed){rate, requests / (cpu_seconds() - cpu)};
}

static struct speed static_speed(const char *seconds)
{
	static char body[BODY];
	struct httpd_params p = {
		.address = "127.0.0.1", .threads = THREADS, .handler = answer, .context = body};
	struct err err = {0};
	struct httpd *h = NULL;
	struct speed speed;

	memset(body, 'x', sizeof body);
	require(httpd_start(&p, &h, &err) == 0, err.text);
	speed = load(httpd_port(h), seconds);
	httpd_stop(h);
	return speed;
}

static struct speed living_speed(const char *seconds)
{
	char truth[] = "/tmp/bench_living.XXXXXX";
	struct living_site_params p = {
		.model = {.seed = 1, .pages = PAGES, .outdegree = 10},
		.address = "127.0.0.1",
		.threads = THREADS,
		.truth = truth,
		.clock = clock_system(),
	};
	struct living_site *site = NULL;
	struct err err = {0};
	int fd = mkstemp(truth);
	struct speed speed;

	require(fd >= 0 && close(fd) == 0, "no temporary file");
	require(living_site_start(&p, &site, &err) == 0, err.text);
	speed = load(living_site_port(site), seconds);
	require(living_site_stop(site, &err) == 0, err.text);
	(void)unlink(truth);
	return speed;
}

static void keep_best(struct speed *best, struct speed speed)
{
	if (speed.per_second > best->per_second)
		best->per_second = speed.per_second;
	if (speed.per_cpu_second > best->per_cpu_second)
		best->per_cpu_second = speed.per_cpu_second;
}

int main(int argc, char **argv)
{
	const char *seconds = argc > 1 ? argv[1] : "3";
	struct speed limit = {0}, living = {0};
	uint64_t number;

	require(parse_u64(slice_str(seconds), &number) == 0, "SECONDS is a whole number");
	/* By turns, and the best of each: other work on the machine only takes away. */
	for (int i = 0; i < ROUNDS; i++) {
		keep_best(&limit, static_speed(seconds));
		keep_best(&living, living_speed(seconds));
	}
	printf("                     pages/s  pages per second of processor time\n");
	printf("the same bytes     %9.0f  %9.0f\n", limit.per_second, limit.per_cpu_second);
	printf("living site        %9.0f  %9.0f  (%d pages/s wanted)\n", living.per_second,
		living.per_cpu_second, (int)WANTED);
	printf("ratio              %9.2f  %9.2f\n", living.per_second / limit.per_second,
		living.per_cpu_second / limit.per_cpu_second);
	return 0;
}
