#include "replay/policy.h"

/* The frame of our own page has fewer: no windows. Those of a page that stands alone inherit these.
 */
#define SANDBOX                                                                          \
	"sandbox allow-scripts allow-same-origin allow-forms allow-modals allow-popups " \
	"allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation"

#define NO_DEVICES                                                                             \
	"camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), "    \
	"hid=(), "                                                                             \
	"bluetooth=(), midi=(), payment=(), publickey-credentials-get=(), idle-detection=(), " \
	"local-fonts=(), browsing-topics=(), attribution-reporting=()"

static void content_policy(struct asked *a)
{
	answer_header(a, "Content-Security-Policy",
		"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
		"frame-src 'self' data: blob:; worker-src 'self' data: blob:; object-src 'self'; "
		"base-uri 'self'; form-action 'self'; frame-ancestors 'self' %s; " SANDBOX,
		a->control);
	answer_header(a, "Connection-Allowlist", "(response-origin)");
	answer_header(a, "X-DNS-Prefetch-Control", "off");
	answer_header(a, "Permissions-Policy", NO_DEVICES);
	answer_header(a, "Referrer-Policy", "same-origin");
	answer_header(a, "Cross-Origin-Resource-Policy", "same-origin");
	answer_header(a, "Origin-Agent-Cluster", "?1");
}

static void our_policy(struct asked *a)
{
	answer_header(a, "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
		"connect-src 'self'; frame-src %s; form-action 'self'; base-uri 'none'; "
		"frame-ancestors 'none'",
		a->content);
}

/* Bytes as they were archived: a browser may show them, and load nothing for them. */
static void raw_policy(struct asked *a)
{
	answer_header(a, "Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox");
	answer_header(a, "Connection-Allowlist", "()");
	answer_header(a, "X-DNS-Prefetch-Control", "off");
	answer_header(a, "Permissions-Policy", NO_DEVICES);
}

static void control_policy(struct asked *a)
{
	if (a->route.kind == ROUTE_MEMENTO && a->route.form == ROUTE_RAW)
		raw_policy(a);
	else
		our_policy(a);
	answer_header(a, "X-Frame-Options", "DENY");
	answer_header(a, "X-Content-Type-Options", "nosniff");
	answer_header(a, "Referrer-Policy", "no-referrer");
	answer_header(a, "Cross-Origin-Resource-Policy", "same-origin");
	answer_header(a, "Cross-Origin-Opener-Policy", "same-origin");
}

void policy_add(struct asked *a)
{
	if (a->on_content)
		content_policy(a);
	else
		control_policy(a);
}

bool policy_refuses(struct asked *a)
{
	if (!httpd_request_field(a->request, "Service-Worker"))
		return false;
	answer_error(a, STATUS_FORBIDDEN, "archived pages have no service workers");
	return true;
}
