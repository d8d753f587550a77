#include "net/cookie.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "formats/url.h"

/* ---- one cookie ---- */

enum { FILE_FIELDS = 7, TM_YEAR_BASE = 1900 };

/* What is before the first c; *text is what is behind it, empty when there is none. */
static slice take_until(slice *text, char c)
{
	const char *at = text->len ? memchr(text->ptr, c, text->len) : NULL;
	size_t len = at ? (size_t)(at - text->ptr) : text->len;
	slice part = slice_sub(*text, 0, len);

	*text = slice_sub(*text, len + 1, text->len);
	return part;
}

/* ---- dates ---- */

/* %x09 / %x20-2F / %x3B-40 / %x5B-60 / %x7B-7E */
static bool is_delimiter(char c)
{
	return c == '\t' || (c >= ' ' && c <= '/') || (c >= ';' && c <= '@') ||
	       (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

static slice next_token(slice *text)
{
	size_t from = 0, to;

	while (from < text->len && is_delimiter(text->ptr[from]))
		from++;
	for (to = from; to < text->len && !is_delimiter(text->ptr[to]); to++)
		;
	slice token = slice_sub(*text, from, to);

	*text = slice_sub(*text, to, text->len);
	return token;
}

/* So many digits at the start, no fewer and no more; what follows them does not count. */
static bool read_digits(slice token, size_t least, size_t most, int *ret, size_t *ret_len)
{
	size_t len = 0;
	int value = 0;

	for (; len < token.len && word_is_digit(token.ptr[len]); len++) {
		if (len == most)
			return false;
		value = value * 10 + (token.ptr[len] - '0');
	}
	if (len < least)
		return false;
	*ret = value;
	*ret_len = len;
	return true;
}

static bool read_time(slice token, struct tm *tm)
{
	int *const parts[] = {&tm->tm_hour, &tm->tm_min, &tm->tm_sec};
	size_t len;

	for (size_t i = 0; i < 3; i++) {
		if (i > 0) {
			if (token.len == 0 || token.ptr[0] != ':')
				return false;
			token = slice_sub(token, 1, token.len);
		}
		if (!read_digits(token, 1, 2, parts[i], &len))
			return false;
		token = slice_sub(token, len, token.len);
	}
	return true;
}

static bool read_month(slice token, struct tm *tm)
{
	static const slice MONTHS[] = {SLICE_INIT("jan"), SLICE_INIT("feb"), SLICE_INIT("mar"),
		SLICE_INIT("apr"), SLICE_INIT("may"), SLICE_INIT("jun"), SLICE_INIT("jul"),
		SLICE_INIT("aug"), SLICE_INIT("sep"), SLICE_INIT("oct"), SLICE_INIT("nov"),
		SLICE_INIT("dec")};

	for (int i = 0; i < 12; i++)
		if (word_starts(token, MONTHS[i])) {
			tm->tm_mon = i;
			return true;
		}
	return false;
}

static bool read_year(slice token, struct tm *tm)
{
	size_t len;
	int year;

	if (!read_digits(token, 2, 4, &year, &len))
		return false;
	if (year < 100)
		year += year >= 70 ? 1900 : 2000;
	tm->tm_year = year - TM_YEAR_BASE;
	return true;
}

int cookie_parse_date(slice text, int64_t *ret)
{
	bool has_time = false, has_day = false, has_month = false, has_year = false;
	struct tm tm = {0};
	slice token;
	size_t len;

	while ((token = next_token(&text)).len > 0) {
		if (!has_time && read_time(token, &tm))
			has_time = true;
		else if (!has_day && read_digits(token, 1, 2, &tm.tm_mday, &len))
			has_day = true;
		else if (!has_month && read_month(token, &tm))
			has_month = true;
		else if (!has_year && read_year(token, &tm))
			has_year = true;
	}
	if (!has_time || !has_day || !has_month || !has_year || tm.tm_mday < 1 || tm.tm_mday > 31 ||
		tm.tm_year + TM_YEAR_BASE < 1601 || tm.tm_hour > 23 || tm.tm_min > 59 ||
		tm.tm_sec > 59)
		return ERR_SYNTAX;
	*ret = (int64_t)timegm(&tm);
	return 0;
}

/* ---- Set-Cookie ---- */

/* Seconds from now on: anything but digits says nothing, too many say for ever. */
static bool read_max_age(slice value, int64_t now, int64_t *ret)
{
	bool is_past = value.len > 0 && value.ptr[0] == '-';
	slice digits = slice_sub(value, is_past, value.len);
	uint64_t seconds;
	int rc = parse_u64(digits, &seconds);

	if (rc == ERR_SYNTAX || digits.len == 0)
		return false;
	if (is_past || (rc == 0 && seconds == 0))
		*ret = 0;
	else
		*ret = rc || seconds > (uint64_t)(COOKIE_FOREVER - now) ? COOKIE_FOREVER
									: now + (int64_t)seconds;
	return true;
}

static void apply_attribute(
	struct cookie *c, slice name, slice value, int64_t now, bool *has_max_age)
{
	int64_t expires;

	if (word_is(name, SLICE("expires"))) {
		if (!*has_max_age && cookie_parse_date(value, &expires) == 0)
			c->expires = expires;
	} else if (word_is(name, SLICE("max-age"))) {
		*has_max_age = read_max_age(value, now, &c->expires) || *has_max_age;
	} else if (word_is(name, SLICE("domain"))) {
		c->domain = slice_sub(value, value.len > 0 && value.ptr[0] == '.', value.len);
		c->for_subdomains = c->domain.len > 0;
	} else if (word_is(name, SLICE("path"))) {
		c->path = value.len > 0 && value.ptr[0] == '/' ? value : (slice){0};
	} else if (word_is(name, SLICE("secure"))) {
		c->secure = true;
	}
}

int cookie_parse(slice text, int64_t now, struct cookie *ret)
{
	struct cookie c = {.expires = COOKIE_FOREVER};
	slice pair = take_until(&text, ';');
	bool has_max_age = false;

	if (pair.len == 0 || !memchr(pair.ptr, '=', pair.len))
		return ERR_SYNTAX;
	c.name = fields_trim(take_until(&pair, '='));
	c.value = fields_trim(pair);
	if (c.name.len == 0 || !fields_is_value(c.name) || !fields_is_value(c.value))
		return ERR_SYNTAX;
	while (text.len > 0) {
		slice attribute = take_until(&text, ';');
		slice name = fields_trim(take_until(&attribute, '='));

		if (fields_is_value(attribute))
			apply_attribute(&c, name, fields_trim(attribute), now, &has_max_age);
	}
	*ret = c;
	return 0;
}

/* ---- files ---- */

static bool is_true(slice word)
{
	return word_is(word, SLICE("true"));
}

int cookie_parse_line(slice line, struct cookie *ret)
{
	slice fields[FILE_FIELDS] = {0};
	uint64_t expires;
	size_t count = 0;

	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line = slice_sub(line, 0, line.len - 1);
	if (word_starts(line, SLICE("#HttpOnly_")))
		line = slice_sub(line, strlen("#HttpOnly_"), line.len);
	if (line.len == 0 || line.ptr[0] == '#')
		return ERR_END;
	/* The last field is the value, which may be empty, and its tab left out. */
	for (; count < FILE_FIELDS && (line.len > 0 || count == FILE_FIELDS - 1); count++)
		fields[count] = count < FILE_FIELDS - 1 ? take_until(&line, '\t') : line;
	if (count < FILE_FIELDS || fields[0].len == 0 || fields[5].len == 0 || fields[2].len == 0 ||
		fields[2].ptr[0] != '/' || parse_u64(fields[4], &expires) ||
		!fields_is_value(fields[5]) || !fields_is_value(fields[6]))
		return ERR_SYNTAX;
	*ret = (struct cookie){
		.name = fields[5],
		.value = fields[6],
		.domain = slice_sub(fields[0], fields[0].ptr[0] == '.', fields[0].len),
		.path = fields[2],
		.expires = expires > 0 && expires < INT64_MAX ? (int64_t)expires : COOKIE_FOREVER,
		.secure = is_true(fields[3]),
		.for_subdomains = is_true(fields[1]),
	};
	return ret->domain.len > 0 ? 0 : ERR_SYNTAX;
}

/* ---- jars ---- */

static slice name_of(const struct jar_cookie *c)
{
	return (slice){c->text, c->name};
}

static slice domain_of(const struct jar_cookie *c)
{
	return (slice){c->text + c->name + c->value, c->domain};
}

static slice path_of(const struct jar_cookie *c)
{
	return (slice){c->text + c->name + c->value + c->domain, c->path};
}

static size_t size_of(const struct jar_cookie *c)
{
	return (size_t)c->name + c->value + c->domain + c->path;
}

void jar_release(struct jar *jar)
{
	for (size_t i = 0; i < jar->cookies.len; i++)
		free(jar->cookies.ptr[i].text);
	jar_cookies_vec_release(&jar->cookies);
	*jar = (struct jar){0};
}

static bool has_name(const struct jar *jar, slice name)
{
	for (size_t i = 0; i < jar->cookies.len; i++)
		if (slice_eq(name_of(&jar->cookies.ptr[i]), name))
			return true;
	return false;
}

static void drop(struct jar *jar, size_t i)
{
	struct jar_cookie *c = &jar->cookies.ptr[i];

	jar->bytes -= size_of(c);
	free(c->text);
	*c = jar->cookies.ptr[--jar->cookies.len];
}

static void drop_expired(struct jar *jar, int64_t now)
{
	for (size_t i = jar->cookies.len; i > 0; i--)
		if (jar->cookies.ptr[i - 1].expires <= now)
			drop(jar, i - 1);
}

/* ---- asking ---- */

static bool is_secure(const struct url *url)
{
	return url->scheme_id == URL_HTTPS;
}

/* Section 5.1.4. */
static bool path_matches(slice path, slice of)
{
	if (path.len < of.len || memcmp(path.ptr, of.ptr, of.len) != 0)
		return false;
	return path.len == of.len || of.ptr[of.len - 1] == '/' || path.ptr[of.len] == '/';
}

static bool is_for(const struct jar_cookie *c, const struct url *url)
{
	slice host = url_part(url, url->host);

	if (c->secure && !is_secure(url))
		return false;
	if (!slice_eq(host, domain_of(c)) && (c->host_only || url->host_kind != URL_HOST_DOMAIN ||
						     !url_host_within(host, domain_of(c))))
		return false;
	return path_matches(url_part(url, url->path), path_of(c));
}

/* Longer paths first, then those that were there first (section 5.4). */
static int compare(const void *left, const void *right)
{
	const struct jar_cookie *a = *(const struct jar_cookie *const *)left;
	const struct jar_cookie *b = *(const struct jar_cookie *const *)right;

	if (a->path != b->path)
		return a->path > b->path ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int add_pair(const struct jar_cookie *c, struct buf *out)
{
	int rc = out->len ? buf_add_str(out, "; ") : 0;

	if (rc == 0)
		rc = buf_add(out, name_of(c));
	if (rc == 0)
		rc = buf_add_char(out, '=');
	return rc ? rc : buf_add(out, (slice){c->text + c->name, c->value});
}

int jar_cookies(struct jar *jar, const struct url *url, int64_t now, struct buf *out)
{
	const struct jar_cookie *wanted[JAR_COUNT];
	size_t count = 0, length = 0;
	int rc = 0;

	drop_expired(jar, now);
	for (size_t i = 0; i < jar->cookies.len; i++)
		if (is_for(&jar->cookies.ptr[i], url))
			wanted[count++] = &jar->cookies.ptr[i];
	if (count > 1)
		qsort(wanted, count, sizeof(const struct jar_cookie *), compare);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		length += (size_t)wanted[i]->name + wanted[i]->value + strlen("; =");
		if (length > JAR_FIELD_MAX)
			break;
		rc = add_pair(wanted[i], out);
	}
	return rc;
}

/* ---- taking ---- */

/* Secure ones go last (RFC 6265bis, section 5.7): http must not be able to drive them out. */
static bool goes_before(const struct jar_cookie *a, const struct jar_cookie *b)
{
	return a->secure != b->secure ? b->secure : a->number < b->number;
}

static size_t find_oldest(const struct jar *jar, slice domain)
{
	size_t oldest = SIZE_MAX;

	for (size_t i = 0; i < jar->cookies.len; i++) {
		const struct jar_cookie *c = &jar->cookies.ptr[i];

		if ((domain.len == 0 || slice_eq(domain_of(c), domain)) &&
			(oldest == SIZE_MAX || goes_before(c, &jar->cookies.ptr[oldest])))
			oldest = i;
	}
	return oldest;
}

static size_t count_of(const struct jar *jar, slice domain)
{
	size_t count = 0;

	for (size_t i = 0; i < jar->cookies.len; i++)
		count += slice_eq(domain_of(&jar->cookies.ptr[i]), domain);
	return count;
}

/* One goes for the new one; false when that would cost a Secure one, and the new one is not. */
static bool drop_for(struct jar *jar, const struct jar_cookie *c, slice domain)
{
	size_t oldest = find_oldest(jar, domain);

	if (jar->cookies.ptr[oldest].secure && !c->secure)
		return false;
	drop(jar, oldest);
	return true;
}

static bool make_room(struct jar *jar, const struct jar_cookie *c)
{
	bool ok = count_of(jar, domain_of(c)) < JAR_DOMAIN_COUNT || drop_for(jar, c, domain_of(c));

	while (ok && (jar->cookies.len >= JAR_COUNT ||
			     (jar->cookies.len > 0 && jar->bytes + size_of(c) > JAR_TEXT_MAX)))
		ok = drop_for(jar, c, SLICE(""));
	return ok;
}

/* One of the same name, domain and path makes room for the new one and gives it its age. */
static void replace(struct jar *jar, struct jar_cookie *c)
{
	for (size_t i = 0; i < jar->cookies.len; i++) {
		const struct jar_cookie *old = &jar->cookies.ptr[i];

		if (slice_eq(name_of(old), name_of(c)) && slice_eq(domain_of(old), domain_of(c)) &&
			slice_eq(path_of(old), path_of(c))) {
			c->number = old->number;
			drop(jar, i);
			return;
		}
	}
}

static char *join(const struct cookie *c)
{
	size_t size = c->name.len + c->value.len + c->domain.len + c->path.len;
	char *text = malloc(size + 1), *at = text;

	if (!text)
		return NULL;
	at = mempcpy(at, c->name.ptr, c->name.len);
	if (c->value.len > 0)
		at = mempcpy(at, c->value.ptr, c->value.len);
	at = mempcpy(at, c->domain.ptr, c->domain.len);
	(void)memcpy(at, c->path.ptr, c->path.len);
	return text;
}

/* *cookie is right and complete. */
static int put(struct jar *jar, const struct cookie *cookie, int64_t now)
{
	struct jar_cookie c = {
		.text = join(cookie),
		.name = (uint32_t)cookie->name.len,
		.value = (uint32_t)cookie->value.len,
		.domain = (uint32_t)cookie->domain.len,
		.path = (uint32_t)cookie->path.len,
		.expires = cookie->expires,
		.number = jar->next,
		.secure = cookie->secure,
		.host_only = !cookie->for_subdomains,
	};
	int rc = c.text ? 0 : ERR_NOMEM;
	bool stays;

	if (rc)
		return rc;
	drop_expired(jar, now);
	replace(jar, &c);
	stays = c.expires > now && make_room(jar, &c);
	if (stays)
		rc = jar_cookies_vec_push(&jar->cookies, c);
	if (rc || !stays) {
		free(c.text);
		return rc;
	}
	jar->bytes += size_of(&c);
	jar->next++;
	return 0;
}

static bool fits(const struct cookie *c)
{
	return c->name.len + c->value.len <= JAR_COOKIE_MAX && c->path.len <= JAR_PATH_MAX &&
	       c->domain.len < URL_DOMAIN_MAX;
}

/*
 * Whose cookie it is, by section 5.3: the host's own, or that of a domain it belongs to, unless
 * that is a public suffix, whose cookies would go to strangers.
 */
static bool settle_domain(struct cookie *c, const struct url *url)
{
	slice host = url_part(url, url->host);

	if (c->domain.len == 0 || slice_eq(c->domain, host)) {
		bool is_shared = c->domain.len > 0 && url->host_kind == URL_HOST_DOMAIN &&
				 url_registrable_domain(host).len > 0;

		c->for_subdomains = is_shared;
		c->domain = host;
		return true;
	}
	return url->host_kind == URL_HOST_DOMAIN && url_host_within(host, c->domain) &&
	       url_registrable_domain(c->domain).len > 0;
}

/* Section 5.1.4: the directory of the request's path. */
static slice default_path(const struct url *url)
{
	slice path = url_part(url, url->path);
	const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

	return slash && slash > path.ptr ? slice_sub(path, 0, (size_t)(slash - path.ptr))
					 : SLICE("/");
}

static bool domains_meet(slice a, slice b)
{
	return slice_eq(a, b) || url_host_within(a, b) || url_host_within(b, a);
}

/*
 * "Leave Secure Cookies Alone" (RFC 6265bis, section 5.7, step 16): what came in clear neither
 * replaces a Secure cookie, nor takes it back, nor goes before it under its name.
 */
static bool meets_secure(const struct jar *jar, const struct cookie *c, int64_t now)
{
	for (size_t i = 0; i < jar->cookies.len; i++) {
		const struct jar_cookie *old = &jar->cookies.ptr[i];

		if (old->secure && old->expires > now && slice_eq(name_of(old), c->name) &&
			domains_meet(domain_of(old), c->domain) &&
			path_matches(c->path, path_of(old)))
			return true;
	}
	return false;
}

/* Names that promise how a cookie was set (RFC 6265bis, section 4.1.3): only so they are taken. */
static bool keeps_promise(const struct cookie *c)
{
	if (word_starts(c->name, SLICE("__Secure-")))
		return c->secure;
	if (word_starts(c->name, SLICE("__Host-")))
		return c->secure && !c->for_subdomains && slice_eq(c->path, SLICE("/"));
	return true;
}

static int take_one(struct jar *jar, const struct url *url, slice value, int64_t now)
{
	char domain[URL_DOMAIN_MAX];
	struct cookie c;

	if (cookie_parse(value, now, &c) || !fits(&c))
		return 0;
	for (size_t i = 0; i < c.domain.len; i++) {
		char letter = c.domain.ptr[i];

		domain[i] = (char)(letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter);
	}
	if (c.domain.len > 0)
		c.domain.ptr = domain;
	if (c.path.len == 0)
		c.path = default_path(url);
	/* What came in clear may be anybody's word. */
	if (!settle_domain(&c, url) || (c.secure && !is_secure(url)) || !fits(&c))
		return 0;
	if (jar->is_closed && !has_name(jar, c.name))
		return 0;
	if (!keeps_promise(&c) || (!is_secure(url) && meets_secure(jar, &c, now)))
		return 0;
	return put(jar, &c, now);
}

/* The next value of a Set-Cookie field; *head is what is behind it. */
static bool next_value(slice *head, slice *ret)
{
	static const slice NAME = SLICE_INIT("set-cookie:");

	while (head->len > 0) {
		const char *end = memchr(head->ptr, '\n', head->len);
		size_t len = end ? (size_t)(end - head->ptr) : head->len;
		slice line = slice_sub(*head, 0, len);

		*head = slice_sub(*head, len + 1, head->len);
		if (word_starts(line, NAME)) {
			*ret = fields_trim(slice_sub(line, NAME.len, line.len));
			return true;
		}
	}
	return false;
}

bool jar_is_set_in(slice head)
{
	slice value;

	return next_value(&head, &value);
}

int jar_take(struct jar *jar, const struct url *url, slice head, int64_t now)
{
	size_t taken = 0;
	slice value;
	int rc = 0;

	while (rc == 0 && taken++ < JAR_TAKEN_AT_ONCE && next_value(&head, &value))
		rc = take_one(jar, url, value, now);
	return rc;
}

int jar_read(struct jar *jar, slice text, int64_t now, struct err *err)
{
	int rc = text.len > JAR_FILE_MAX
			 ? err_set(err, ERR_LIMIT, "the cookie file is larger than 1 MiB")
			 : 0;

	for (size_t line = 1; rc == 0 && text.len > 0; line++) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;
		struct cookie c;

		rc = cookie_parse_line(slice_sub(text, 0, len), &c);
		text = slice_sub(text, len + 1, text.len);
		if (rc == 0)
			rc = fits(&c) ? put(jar, &c, now) : ERR_SYNTAX;
		if (rc == ERR_SYNTAX)
			rc = err_set(err, rc,
				"line %zu is not a cookie; expected seven fields separated by tabs",
				line);
		else if (rc == ERR_END)
			rc = 0;
	}
	return err_code(err, rc);
}
