/* archive_sample DIR: writes an archive with a page of each verdict into an empty directory. */
#include <stdio.h>

#include "archive_sample.h"

int main(int argc, char **argv)
{
	if (argc != 2) {
		(void)fprintf(stderr, "usage: archive_sample DIR\n");
		return 2;
	}
	sample_site(argv[1]);
	return 0;
}
