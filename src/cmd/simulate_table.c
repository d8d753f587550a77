#include "cmd/simulate.h"
enum cmd_status simulate_table(const struct simulate_options *o)
{
	(void)o;
	return CMD_FAILURE;
}
