#include "watch/retirement.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/retire.h"

static struct retire_rule *make_rules(const struct watch_config *c)
{
	struct retire_rule *rules = calloc(c->site_count, sizeof *rules);

	for (size_t i = 0; rules && i < c->site_count; i++)
		rules[i] = (struct retire_rule){
			slice_str(c->sites[i].settings.seeds.ptr[0]), c->retention};
	return rules;
}

static int retire(const struct watch_config *c, const struct retire_rule *rules,
	struct retire_counts *ret, struct err *err)
{
	struct directory d = {.lock = -1};
	struct catalog *catalog = NULL;
	int rc = directory_open(&d, c->archive, false, err);

	if (rc == 0)
		rc = catalog_open(d.catalog, CATALOG_WRITE, &catalog, err);
	if (rc == 0)
		rc = retire_run(&(struct retire_params){.directory = &d,
					.catalog = catalog,
					.rules = rules,
					.rule_count = c->site_count,
					.now = clock_realtime(clock_system())},
			ret, err);
	catalog_close(catalog);
	directory_close(&d);
	return rc;
}

void retirement_run(const struct watch_config *c)
{
	struct retire_rule *rules = make_rules(c);
	struct retire_counts n = {0};
	struct err err = {0};
	int rc = rules ? retire(c, rules, &n, &err) : err_code(&err, ERR_NOMEM);

	free(rules);
	if (rc)
		log_error("watch", "retention: %s; it is tried again in a day", err.text);
	else if (n.looks > 0)
		log_warn("watch",
			"retention: retired %" PRIu64 " of %" PRIu64 " versions: %" PRIu64
			" looks in %" PRIu64 " WARC files",
			n.retired, n.versions, n.looks, n.files);
}
