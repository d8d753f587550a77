#include "papers/tables.h"

#include <string.h>

const struct table *table_at(size_t i)
{
	static const struct table *const PAPERS[] = {TABLES_SHARC, TABLES_SOLAR, TABLES_ONLINE,
		TABLES_LIMITS, TABLES_SERVERS, TABLES_GROUPS};

	for (size_t p = 0; p < sizeof PAPERS / sizeof PAPERS[0]; p++)
		for (const struct table *t = PAPERS[p]; t->name; t++)
			if (i-- == 0)
				return t;
	return NULL;
}

const struct table *table_find(const char *name)
{
	const struct table *t;

	for (size_t i = 0; (t = table_at(i)); i++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}
