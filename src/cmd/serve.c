/* stillpoint serve: shows archives in a browser, and to machines by Memento and CDX. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "cmd/stop.h"
#include "net/httpd.h"
#include "replay/server.h"

struct serve_options {
	const char *listen, *content_listen, *access, *access_log;
	struct text_list host_names;
	double window;
	int64_t threads;
};

enum { THREADS_MAX = 64 };

#define ROW_OF struct serve_options

static const struct option_spec SPECS[] = {
	ROW(STRING, listen, "listen", 0,
		"where to listen for readers and programs (default 127.0.0.1:8080, or a "
		"free port if it is taken); port 0 is any that is free",
		.metavar = "ADDRESS:PORT"),
	ROW(STRING, content_listen, "content-listen", 0,
		"where to serve archived content, apart from our own pages (default: the "
		"next port)",
		.metavar = "ADDRESS:PORT"),
	ROW(STRING, access, "access", 0,
		"rules that say what may be shown: lines of SURT-PREFIX and 'allow', "
		"'block' or 'embargo DURATION'; the longest prefix wins",
		.metavar = "FILE"),
	ROW(STRING, access_log, "access-log", 0,
		"append a line for each request, in the combined format; SIGHUP opens the "
		"file anew",
		.metavar = "FILE"),
	ROW(LIST, host_names, "host-name", 0,
		"a name by which browsers may ask, besides the address and localhost; may "
		"be given many times",
		.metavar = "NAME"),
	ROW(DURATION, window, "window", 0,
		"refuse resources whose memento is further away from the asked time than "
		"this, as '1h' (default: show the nearest)",
		.metavar = "TIME"),
	ROW(INT, threads, "threads", 0, "event loops of each of the two addresses (default 2)",
		.min = 1, .max = THREADS_MAX),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "serve",
	.usage = "ARCHIVE|FILE…",
	.description =
		"Serves archives, WARC files, directories of them and WACZ packages for reading: "
		"in "
		"a browser, by Memento (RFC 7089) and by a CDX server. Each is a collection, named "
		"by its directory or file without suffix. Archives that are being written are "
		"served, too. Nothing is changed. Ends with SIGINT or SIGTERM.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

static int parse_addresses(const struct serve_options *o, struct server_params *p,
	char address[HTTPD_ADDRESS_SIZE], char content[HTTPD_ADDRESS_SIZE], struct err *err)
{
	TRY(cmd_in_option(httpd_address_parse(
				  o->listen ? o->listen : "127.0.0.1:8080", address, &p->port, err),
		"listen", err));
	p->address = address;
	p->content_address = o->content_listen ? content : address;
	p->has_content_port = o->content_listen != NULL;
	if (o->content_listen)
		TRY(cmd_in_option(
			httpd_address_parse(o->content_listen, content, &p->content_port, err),
			"content-listen", err));
	return 0;
}

/* Where to look, as a line that a script can read off. */
static int print_address(const struct server *s, const char *address)
{
	bool is_v6 = strchr(address, ':') != NULL;

	printf("http://%s%s%s:%u/\n", is_v6 ? "[" : "", address, is_v6 ? "]" : "",
		(unsigned)server_port(s));
	if (server_content_port(s) != server_port(s) + 1 && log_enabled(LOG_LEVEL_INFO))
		log_info("serve", "archived content is on port %u",
			(unsigned)server_content_port(s));
	return fflush(stdout) ? ERR_IO : 0;
}

/* Until it is told to stop. */
static void wait_for_stop(struct pollfd wait[2], struct httpd_log *log)
{
	uint64_t count;

	for (;;) {
		struct err err = {0};

		if (poll(wait, 2, -1) <= 0)
			continue;
		if (wait[0].revents)
			return;
		if (read(wait[1].fd, &count, sizeof count) > 0 && httpd_log_reopen(log, &err))
			log_warn("serve", "%s", err.text);
	}
}

static int open_signals(struct pollfd wait[2], bool reload, struct err *err)
{
	if (!reload)
		return stop_open(&wait[0].fd, err);
	wait[1].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wait[1].fd < 0)
		return err_set(err, ERR_IO, "eventfd: %s", strerror(errno));
	return stop_open_reload(&wait[0].fd, wait[1].fd, err);
}

static int serve(const struct server_params *p, struct err *err)
{
	struct server *server = NULL;
	struct pollfd wait[2] = {{.fd = -1, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	int rc = open_signals(wait, p->log != NULL, err);

	if (rc)
		return rc;
	rc = server_start(p, &server, err);
	if (rc == 0)
		rc = err_code(err, print_address(server, p->address));
	if (rc == 0)
		wait_for_stop(wait, p->log);
	if (!server_stop(server))
		_exit(rc ? CMD_FAILURE : CMD_OK);
	stop_close(wait[0].fd);
	if (wait[1].fd >= 0)
		(void)close(wait[1].fd);
	return rc;
}

enum cmd_status cmd_serve(int argc, char **argv)
{
	struct serve_options o = {.threads = 2};
	char address[HTTPD_ADDRESS_SIZE], content[HTTPD_ADDRESS_SIZE];
	struct server_params p = {0};
	struct option_args args;
	enum cmd_status status;
	struct err err = {0};
	int rc;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	p = (struct server_params){
		.paths = (const char *const *)args.ptr,
		.path_count = args.count,
		.threads = (unsigned)o.threads,
		.access = o.access,
		.any_port = !o.listen && !o.content_listen,
		.names = {o.host_names.ptr, o.host_names.len},
		.window_ns = (int64_t)(o.window * (double)CLOCK_NS_PER_SECOND),
		.temporary = cmd_temporary(),
	};
	rc = parse_addresses(&o, &p, address, content, &err);
	if (rc)
		return cmd_fail("serve", &err);
	rc = o.access_log ? httpd_log_open(o.access_log, &p.log, &err) : 0;
	if (rc == 0)
		rc = serve(&p, &err);
	httpd_log_close(p.log);
	text_list_release(&o.host_names);
	return rc ? cmd_fail_archive("serve", &err) : cmd_finish(0);
}
