#include <stdio.h>
#include <string.h>

#include "cmd/inspect.h"

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "inspect") == 0 && strcmp(argv[2], "warc") == 0)
		return inspect_warc(argc - 2, argv + 2);
	return puts("stillpoint " STILLPOINT_VERSION) < 0;
}
