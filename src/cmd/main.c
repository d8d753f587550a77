#include <stdio.h>

int main(void)
{
	return puts("stillpoint " STILLPOINT_VERSION) < 0;
}
