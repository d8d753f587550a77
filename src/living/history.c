#include "living/history.h"

struct recording {
	int unused;
};

int recording_load(const struct living_params *params, struct layout *ret_layout,
	struct recording **ret_recording, double **ret_rates, struct err *err)
{
	(void)params, (void)ret_layout, (void)ret_recording, (void)ret_rates;
	return err_set(err, ERR_UNSUPPORTED, "histories are still to come");
}

void recording_free(struct recording *r)
{
	(void)r;
}

const struct recorded_change *recording_of(
	const struct recording *r, uint32_t page, size_t *ret_len)
{
	(void)r, (void)page;
	*ret_len = 0;
	return NULL;
}
