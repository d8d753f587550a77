/* TLS servers that cannot be trusted, and one that is none. */
#include <signal.h>
#include <stdio.h>

#include "fetch.h"
#include "server.h"
#include "tap.h"
#include "tls_server.h"

static void check_refused(const char *host, unsigned port)
{
	struct net_params params = fetch_params();
	struct net *net = fetch_net(&params);
	struct net_fetch *f;
	char origin[64];

	(void)snprintf(origin, sizeof origin, "https://%s:%u", host, port);
	f = fetch_get(net, origin, "/");
	if (f) {
		CHECK_INT(f->failure, NET_FAILURE_TLS);
		CHECK(f->detail[0] != '\0');
		tap_note("%s", f->detail);
		/* The page was not asked for. */
		CHECK_INT(f->monotonic.sent, 0);
		CHECK_INT((int64_t)f->request_head.len, 0);
		CHECK_INT(f->status, 0);
	}
	net_fetch_free(f);
	net_free(net);
}

int main(int argc, char **argv)
{
	struct tls_server *tls;
	struct server *plain;

	tap_init(argc, argv);
	(void)signal(SIGPIPE, SIG_IGN); /* OpenSSL's server side writes to who has gone */
	tap_case("a certificate that nobody vouches for");
	tls = tls_server_start();
	if (CHECK(tls != NULL))
		check_refused("localhost", tls_server_port(tls));
	tls_server_stop(tls);

	tap_case("no TLS at all");
	plain = server_start(SERVER_IPV4, NULL, 0);
	check_refused("127.0.0.1", server_port(plain));
	server_stop(plain);
	return tap_done();
}
