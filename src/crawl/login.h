/* Logging in, by a file that says how. */
#ifndef CRAWL_LOGIN_H
#define CRAWL_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"
#include "crawl/requests.h"
#include "formats/url.h"
#include "formats/yaml.h"
#include "net/net.h"

/* ---- the file ---- */

/*
 * How to log in by a form, from a YAML file:
 *
 *	url: https://example.org/login
 *	fields: {user: me, password: secret}
 *	sentinel: Log out
 *	check: https://example.org/account
 *	allow: [https://accounts.example.org]
 *
 * The sentinel is a text that only pages for users who are logged in have. It is looked for on the
 * page that the login leads to or, if there is one, at the URL `check`. The password is sent to the
 * origin of `url` (scheme, host, port) and to those that `allow` names. All of it is a secret: it
 * is never written anywhere, and messages do not repeat it.
 */

struct login_field {
	slice name, value;
};

VEC_DECLARE(login_fields, struct login_field);

/* Zero-initialise. Strings are the document's. */
struct login_file {
	struct yaml yaml;
	const char *url;
	const char *sentinel;
	const char *check;      /* or NULL */
	struct slice_vec allow; /* origins: "https://host:443" */
	struct login_fields fields;
};

/* 0, ERR_USAGE with FILE:LINE:COLUMN, ERR_NOMEM. Release in any case. */
int login_file_read(struct login_file *f, const char *path, struct err *err) SP_MUST_CHECK;

/* Whether a password may go there: to the origin of `url`, over https too, or to an allowed one. */
bool login_file_allows(const struct login_file *f, const struct url *target);
void login_file_release(struct login_file *f);

/* ---- logging in ---- */

/*
 * Logging in by a form, before the first page and again when the session is lost. The login page is
 * fetched, its form filled (hidden fields as they are) and sent, redirects are followed, and the
 * sentinel must be there at the end. While that goes on, the planner is not asked.
 *
 *	login_begin ▶ FORM ▶ SENT ▶ AFTER … ▶ the sentinel is there, or the capture stops
 *	                               ▲
 *	login_page: the session may be lost ▶ CHECK ▶ it is: login_begin; it is not: go on
 *
 * Requests and responses are archived like those of robots.txt, but for the secrets: the body of
 * the request is not, nor is the response to it, nor any response that repeats a password, be it to
 * a request of the capture; nor a request whose URL does.
 */

struct answer;
struct arrival;
struct attempt;
struct capture;
struct reading;

/* What a request of a login is for. */
enum login_step {
	LOGIN_FORM,  /* the page with the form */
	LOGIN_SENT,  /* the form itself */
	LOGIN_AFTER, /* where that leads to */
	LOGIN_CHECK, /* whether the session is still there */
};

/* Zeroed: no login. Fields are its own, but for with and busy. */
struct login {
	const struct login_file *with; /* borrowed; NULL: none */
	bool busy;                     /* the planner must wait */
	bool is_in;                    /* it has succeeded once */
	struct buf body;               /* of the form that is sent */
	struct buf after;              /* URL of the page that it led to */
	unsigned lost;                 /* times in a row that the session was lost at once */
	size_t shown, missed;          /* pages with the sentinel, and without */
	struct slice_vec passwords;    /* that were sent; they are the file's */
};

void login_init(struct login *l);
void login_release(struct login *l); /* safe on a zeroed struct */

/* Logs in, if the capture has a login. */
int login_begin(struct capture *c, struct err *err) SP_MUST_CHECK;

/* A request was answered: as requests.c calls it. */
int login_answered(struct capture *c, const struct answer *a, struct err *err) SP_MUST_CHECK;

/* A request will not be sent. */
int login_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/* Before a response is read: what is looked for in it, the sentinel and the passwords. */
void login_watch(const struct capture *c, struct reading *reading);

/* Whether a URL repeats a password. Nothing with it is archived, or said. */
bool login_is_secret(const struct capture *c, slice url);

/* What the request sends: sets method and body. */
void login_apply(const struct capture *c, const struct request *r, struct net_request *request);

/*
 * A page was read: whether it shows that the session is lost, so that the page must be fetched
 * again. Then a login, or a check, is under way.
 */
int login_page(
	struct capture *c, const struct arrival *p, bool *ret_again, struct err *err) SP_MUST_CHECK;

#endif
