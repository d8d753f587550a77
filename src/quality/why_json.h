/* Why, as the JSON document of `stillpoint report --why --json` (docs/quality.md has its keys). */
#ifndef QUALITY_WHY_JSON_H
#define QUALITY_WHY_JSON_H

#include "base/json.h"
#include "quality/report.h"
#include "quality/why.h"

/* w is of a page of the report. Errors stay in the writer. */
void why_json(const struct report *r, const struct why *w, struct json *j);

#endif
