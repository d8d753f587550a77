#include "living/site.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/format.h"
#include "living/detail.h"
#include "living/model.h"
#include "living/noise.h"
#include "living/serve.h"
#include "living/timeline.h"
#include "net/httpd.h"

enum {
	URL_MAX = 64 << 10,
	PORT_TRIES = 16,
	DEFAULT_HOST_SIZE = HTTPD_ADDRESS_SIZE + 2,
};

struct living_site {
	struct living_model model;
	struct timeline timeline;
	struct serve serve;
	struct httpd *httpd[1 + LIVING_ADDRESSES_MAX];
	struct serve_listener listeners[1 + LIVING_ADDRESSES_MAX];
	size_t listening;
	pthread_t logger;
	char default_host[DEFAULT_HOST_SIZE]; /* the address as it stands in a URL */
};

static void *log_truth(void *argument)
{
	timeline_run(argument);
	return NULL;
}

static int start_logger(struct living_site *site, struct err *err)
{
	if (pthread_create(&site->logger, NULL, log_truth, &site->timeline) == 0)
		return 0;
	return err_set(err, ERR_NOMEM, "no thread for the log of the truth");
}

static void stop_logger(struct living_site *site)
{
	timeline_stop(&site->timeline);
	(void)pthread_join(site->logger, NULL);
}

static void stop_listening(struct living_site *site)
{
	while (site->listening > 0)
		(void)httpd_stop(site->httpd[--site->listening]);
}

/* On all addresses, on one port. */
static int listen_once(
	struct living_site *site, const struct living_site_params *params, struct err *err)
{
	struct httpd_params http = {
		.any_host = true,
		.address = params->address,
		.port = params->port,
		.threads = params->threads,
		.handler = serve_answer,
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i <= params->also_count; i++) {
		if (i > 0) {
			http.address = params->also[i - 1];
			http.port = httpd_port(site->httpd[0]);
		}
		site->listeners[i] = (struct serve_listener){&site->serve, i};
		http.context = &site->listeners[i];
		rc = httpd_start(&http, &site->httpd[i], err);
		if (rc == 0)
			site->listening++;
	}
	if (rc)
		stop_listening(site);
	return rc;
}

/* A port that is free at one address may be in use at another: then we take another port. */
static int listen_all(
	struct living_site *site, const struct living_site_params *params, struct err *err)
{
	int tries = params->port == 0 && params->also_count > 0 ? PORT_TRIES : 1;
	int rc;

	if (params->also_count > LIVING_ADDRESSES_MAX)
		return err_set(
			err, ERR_RANGE, "more than %d addresses more", (int)LIVING_ADDRESSES_MAX);
	do {
		rc = listen_once(site, params, err);
	} while (rc == ERR_IO && --tries > 0);
	return rc;
}

static int start_serving(
	struct living_site *site, const struct living_site_params *params, struct err *err)
{
	int rc = 0;

	site->serve.timeline = &site->timeline;
	if (params->served)
		rc = served_open(&site->serve.served, params->served, err);
	if (rc == 0)
		rc = err_code(
			err, lies_init(&site->serve.lies, &site->model, site->timeline.start_ns));
	if (rc == 0)
		rc = listen_all(site, params, err);
	if (rc) {
		lies_release(&site->serve.lies);
		(void)served_close(&site->serve.served, NULL);
	}
	return rc;
}

/* The server last: nobody can look before all is there. */
static int start(struct living_site *site, const struct living_site_params *params, struct err *err)
{
	bool v6 = strchr(params->address, ':') != NULL;
	int rc;

	(void)snprintf(
		site->default_host, sizeof site->default_host, v6 ? "[%s]" : "%s", params->address);
	rc = living_model_init(&site->model, &params->model, site->default_host, err);
	if (rc)
		return rc;
	rc = timeline_init(&site->timeline, &site->model, params->clock, params->truth, err);
	if (rc)
		goto no_timeline;
	rc = start_logger(site, err);
	if (rc)
		goto no_logger;
	rc = start_serving(site, params, err);
	if (rc == 0)
		return 0;
	stop_logger(site);
no_logger:
	(void)timeline_release(&site->timeline, NULL);
no_timeline:
	living_model_release(&site->model);
	return rc;
}

int living_site_start(
	const struct living_site_params *params, struct living_site **ret_site, struct err *err)
{
	struct living_site *site = calloc(1, sizeof *site);
	int rc;

	if (!site)
		return err_code(err, ERR_NOMEM);
	rc = start(site, params, err);
	if (rc)
		free(site);
	else
		*ret_site = site;
	return rc;
}

int living_site_stop(struct living_site *site, struct err *err)
{
	int rc, served;

	if (!site)
		return 0;
	stop_listening(site);
	stop_logger(site);
	served = served_close(&site->serve.served, err);
	rc = timeline_release(&site->timeline, err);
	if (rc == 0)
		rc = served;
	lies_release(&site->serve.lies);
	living_model_release(&site->model);
	free(site);
	return rc;
}

uint16_t living_site_port(const struct living_site *site)
{
	return httpd_port(site->httpd[0]);
}

int64_t living_site_started(const struct living_site *site)
{
	return site->timeline.start_ns;
}

int living_site_failed(struct living_site *site)
{
	int rc = timeline_failed(&site->timeline);

	return rc ? rc : served_failed(&site->serve.served);
}

static int add_url(const struct living_site *site, uint32_t resource, struct buf *text)
{
	int rc = buf_printf(text, "http://%s:%u", living_host_of(&site->model, resource),
		(unsigned)living_site_port(site));

	return rc ? rc : living_path_of(&site->model, resource, text);
}

int living_site_print_urls(const struct living_site *site, FILE *file)
{
	struct buf url;
	int rc = 0;

	buf_init(&url, URL_MAX);
	for (size_t host = 0; rc == 0 && host < site->model.hosts; host++) {
		buf_reset(&url);
		rc = add_url(site, living_page_resource(&site->model, host, 0), &url);
		(void)fprintf(file, "%s\n", buf_str(&url));
	}
	buf_release(&url);
	return fflush(file) != 0 || ferror(file) ? ERR_IO : rc;
}

static void put_rate(FILE *file, double rate)
{
	char text[FORMAT_DOUBLE_SIZE];

	(void)format_double(rate, text);
	(void)fprintf(file, ",%s", text);
}

static int write_target(
	const struct living_site *site, uint32_t resource, struct buf *url, FILE *file)
{
	unsigned behaviour = site->model.behaviours[resource];
	int rc;

	if (!(LIVING_REDIRECTS >> behaviour & 1))
		return 0;
	buf_reset(url);
	rc = add_url(site, living_redirect_target(&site->model, resource, 1), url);
	csv_write_field(file, buf_slice(url));
	return rc;
}

/* How it changes, and the kinds of its noise, with "+" between them. */
static void write_habits(const struct living_model *m, uint32_t resource, FILE *file)
{
	unsigned noise = noise_of(m, resource);
	const char *before = "";

	(void)fprintf(file, ",%s,", detail_name(detail_of(m, resource)));
	for (unsigned i = 0; noise >> i; i++)
		if (noise >> i & 1) {
			(void)fprintf(file, "%s%s", before, noise_name(i));
			before = "+";
		}
}

/* A line for each resource: with all facts, or with its rate only. */
static int write_rows(const struct living_site *site, bool facts, FILE *file)
{
	const struct living_model *m = &site->model;
	struct buf url;
	int rc = 0;

	buf_init(&url, URL_MAX);
	for (size_t i = 0; rc == 0 && i < m->count; i++) {
		uint32_t resource = (uint32_t)i;

		buf_reset(&url);
		rc = add_url(site, resource, &url);
		csv_write_field(file, buf_slice(&url));
		if (facts)
			(void)fprintf(
				file, ",%s", living_kind_name(living_place_of(m, resource).kind));
		put_rate(file, m->rates[i]);
		if (facts)
			(void)fprintf(file, ",%s,%s,", living_behaviour_name(m->behaviours[i]),
				living_validators_name(m->validators[i]));
		if (facts && rc == 0)
			rc = write_target(site, resource, &url, file);
		if (facts)
			write_habits(m, resource, file);
		(void)putc('\n', file);
	}
	buf_release(&url);
	return fflush(file) != 0 || ferror(file) ? ERR_IO : rc;
}

int living_site_write_rates(const struct living_site *site, FILE *file)
{
	(void)fputs("url,rate\n", file);
	return write_rows(site, false, file);
}

int living_site_write_pages(const struct living_site *site, FILE *file)
{
	(void)fputs("url,kind,rate,behaviour,validators,target,changes,noise\n", file);
	return write_rows(site, true, file);
}

static struct change_cursor truth_at(
	const struct living_site *site, uint32_t resource, int64_t realtime_ns)
{
	struct change_source source = living_source(&site->model, resource);

	return change_at(&source, realtime_ns - site->timeline.start_ns);
}

uint32_t living_version_at(
	const struct living_site *site, slice host, slice path, int64_t realtime_ns)
{
	uint32_t resource;

	if (!living_find(&site->model, host, path, &resource) ||
		site->model.behaviours[resource] == LIVING_NOT_FOUND)
		return LIVING_GONE;
	return truth_at(site, resource, realtime_ns).version;
}

bool living_changed_between(
	const struct living_site *site, slice host, slice path, int64_t from_ns, int64_t to_ns)
{
	uint32_t resource;

	if (!living_find(&site->model, host, path, &resource))
		return false;
	return truth_at(site, resource, from_ns).count != truth_at(site, resource, to_ns).count;
}
