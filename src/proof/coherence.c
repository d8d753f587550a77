#include "proof/coherence.h"

const char *coherence_name(enum coherence state)
{
	static const char *const NAMES[] = {
#define X(name, word) word,
		COHERENCE_STATES(X)
#undef X
	};

	return NAMES[state];
}

/* The same content was captured on both sides of the page. */
static bool is_bracketed(const struct coherence_facts *f)
{
	if (!f->has_other)
		return false;
	return (f->requisite <= f->page && f->page <= f->other) ||
	       (f->other <= f->page && f->page <= f->requisite);
}

enum coherence coherence_state(const struct coherence_facts *f)
{
	bool modified = f->has_last_modified && f->last_modified <= f->requisite;

	if (f->requisite == f->page || is_bracketed(f))
		return COHERENCE_PRIMA_FACIE_COHERENT;
	if (f->requisite < f->page)
		return COHERENCE_POSSIBLY_COHERENT;
	if (!modified)
		return COHERENCE_PROBABLY_VIOLATIVE;
	return f->last_modified <= f->page ? COHERENCE_PRIMA_FACIE_COHERENT
					   : COHERENCE_PRIMA_FACIE_VIOLATIVE;
}
