/*
 * The daemon behind `stillpoint watch`: sites of a configuration, kept in one archive for as long
 * as nobody stops it. It owns the budget, divides it among the sites (watch/balance.h), writes the
 * status, retires old versions once a day, and takes another configuration when it is told to. The
 * lanes of src/crawl do the rest.
 */
#ifndef WATCH_DAEMON_H
#define WATCH_DAEMON_H

#include <stdbool.h>

#include "base/api.h"
#include "base/err.h"
#include "base/options.h"
#include "httpd/hosts.h"

struct daemon_params {
	const char *config; /* path of the file */
	int stop_fd;        /* readable: stop; -1 for none */
	int reload_fd;      /* an eventfd, readable: read the configuration again; -1 for none */
	bool once;          /* do what is due, then end */
	const struct option_spec *others; /* as of watch_config_read */
	struct httpd_names names;         /* by which pings may be sent to us */
};

/*
 * Returns when it was stopped, or once all is done. A configuration that is bad when it is read
 * again is logged, and the one before counts. 0; ERR_USAGE with "FILE:LINE:COLUMN: what"; or as
 * crawl_watch.
 */
int daemon_run(const struct daemon_params *params, struct err *err) SP_MUST_CHECK;

#endif
