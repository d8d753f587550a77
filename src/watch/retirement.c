#include "watch/retirement.h"

#include <inttypes.h>
#include <stdlib.h>

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

void retirement_run(const struct watch_config *c)
{
	struct retire_rule *rules = make_rules(c);
	struct retire_counts n = {0};
	struct err err = {0};
	int rc = rules ? retire_archive(c->archive,
				 &(struct retire_params){
					 .rules = rules, .rule_count = c->site_count},
				 &n, &err)
		       : err_code(&err, ERR_NOMEM);

	free(rules);
	if (rc)
		log_error("watch", "retention: %s; it is tried again in a day", err.text);
	else if (n.looks > 0)
		log_warn("watch",
			"retention: retired %" PRIu64 " of %" PRIu64 " versions: %" PRIu64
			" looks in %" PRIu64 " WARC files",
			n.retired, n.versions, n.looks, n.files);
}
