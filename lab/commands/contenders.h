/* Lists of strategies to compare: names separated by commas, or "all". */
#ifndef COMMANDS_CONTENDERS_H
#define COMMANDS_CONTENDERS_H

#include "base/err.h"
#include "base/vec.h"
#include "sim/trial.h"

VEC_DECLARE(contender_list, struct contender);

/*
 * Appends the strategies of the list, each once, also "op". "all" is every one there is. Free with
 * contender_list_release also after a failure. 0, ERR_NOMEM, or ERR_USAGE with an error that
 * proposes a name.
 */
int contenders_read(const char *list, struct contender_list *out, struct err *err) SP_MUST_CHECK;

#endif
