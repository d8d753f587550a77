#include "crawl/judging.h"
int judging_store(struct catalog *catalog, uint32_t capture, struct err *err)
{
	(void)catalog;
	(void)capture;
	(void)err;
	return 0;
}
