#include "net/proxy.h"

#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "net/net.h"
#include "url/url.h"

static const slice SCHEMES[] = {
	SLICE_INIT("http://"),
	SLICE_INIT("socks5://"),
	SLICE_INIT("socks5h://"),
};

static bool is_known(slice text)
{
	for (size_t i = 0; i < sizeof SCHEMES / sizeof SCHEMES[0]; i++) {
		if (word_starts(text, SCHEMES[i]))
			return true;
	}
	return false;
}

bool proxy_resolves(const char *proxy)
{
	return proxy && !word_starts(slice_str(proxy), SCHEMES[1]);
}

bool proxy_asks_for_us(const char *proxy, slice origin)
{
	return proxy && word_starts(slice_str(proxy), SCHEMES[0]) &&
	       word_starts(origin, SCHEMES[0]);
}

/* Nothing but what a proxy has: somebody who writes more means something else. */
static bool is_bare(const struct url *u)
{
	return url_part(u, u->path).len <= 1 && !u->has_query && !u->has_fragment &&
	       url_part(u, u->host).len > 0;
}

static bool show(const struct url *u, char *out)
{
	slice scheme = url_part(u, u->scheme), host = url_part(u, u->host);
	char port[16] = "";
	int n;

	if (u->port != URL_NO_PORT)
		(void)snprintf(port, sizeof port, ":%d", (int)u->port);
	n = snprintf(out, NET_PROXY_SIZE, "%.*s://%.*s%s", (int)scheme.len, scheme.ptr,
		(int)host.len, host.ptr, port);
	return n > 0 && n < NET_PROXY_SIZE;
}

int net_check_proxy(const char *text, char *ret_shown, struct err *err)
{
	char shown[NET_PROXY_SIZE];
	struct url url;
	bool good;

	url_init(&url);
	good = is_known(slice_str(text)) && url_parse(&url, slice_str(text), NULL, NULL) == 0 &&
	       is_bare(&url) && show(&url, shown);
	url_release(&url);
	if (!good)
		return err_set(err, ERR_SYNTAX,
			"a proxy must be http://HOST:PORT, socks5://HOST:PORT or "
			"socks5h://HOST:PORT");
	memcpy(ret_shown, shown, sizeof shown);
	return 0;
}
