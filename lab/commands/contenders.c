#include "commands/contenders.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "crawl/settings.h"

enum { NAME_SIZE = 64 };

static int add(struct contender_list *out, const struct contender *c, struct err *err)
{
	for (size_t i = 0; i < out->len; i++)
		if (strcmp(out->ptr[i].name, c->name) == 0)
			return 0;
	return err_code(err, contender_list_push(out, *c));
}

static int add_all(struct contender_list *out, struct err *err)
{
	const struct contender op = {.name = CONTENDER_OP};
	const struct plan_strategy *s;
	int rc = 0;

	for (size_t i = 0; rc == 0 && (s = plan_strategy_at(i)); i++)
		rc = add(out, &(struct contender){.name = s->name, .plan = s}, err);
	return rc ? rc : add(out, &op, err);
}

static int add_name(const char *name, struct contender_list *out, struct err *err)
{
	struct contender c = {.name = CONTENDER_OP};

	if (strcmp(name, "all") == 0)
		return add_all(out, err);
	if (strcmp(name, CONTENDER_OP) != 0) {
		c.plan = strategy_named(name, false, err);
		if (!c.plan)
			return ERR_USAGE;
		c.name = c.plan->name;
	}
	return add(out, &c, err);
}

int contenders_read(const char *list, struct contender_list *out, struct err *err)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		char name[NAME_SIZE];
		int rc;

		(void)snprintf(
			name, sizeof name, "%.*s", (int)(len < NAME_SIZE ? len : NAME_SIZE), list);
		rc = add_name(name, out, err);
		if (rc || !list[len])
			return rc;
		list += len + 1;
	}
}
