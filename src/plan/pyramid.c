#include "plan/pyramid.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int pyramid_lay(struct visit_choice *by_heat, size_t n)
{
	struct visit_choice *laid = malloc((n ? n : 1) * sizeof *laid);
	size_t outer = 0, inner = n;

	if (!laid)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		laid[by_heat[i].hopeless ? outer++ : --inner] = by_heat[i];
	memcpy(by_heat, laid, n * sizeof *laid);
	free(laid);
	return 0;
}
