/*
 * Looks at a page in a row whose states differ, compared by their bodies (proof/proof.h): those
 * that differ by noise alone become one class. The bodies of such looks are read once more, and
 * kept in a file without a name meanwhile.
 */
#ifndef JUDGE_COMPARING_H
#define JUDGE_COMPARING_H

#include "base/api.h"
#include "base/err.h"
#include "base/spill.h"
#include "judge/looks.h"
#include "proof/rulebook.h"

/* Marks the looks whose bodies are needed; whether there are any. 0 or ERR_NOMEM. */
int judge_comparing_want(struct judge_looks *looks, bool *ret_any) SP_MUST_CHECK;

/* Compares those whose bodies were found. 0, ERR_NOMEM, ERR_IO. */
int judge_comparing_run(struct judge_looks *looks, const struct spill *bodies,
	const struct rulebook *book, struct err *err) SP_MUST_CHECK;

#endif
