/* Ports that are refused, and their neighbours. */
#include "net/address.h"

#include "tap.h"

/* WHATWG Fetch Standard, section 2.9, as of 2024, and Redis. */
static const unsigned REFUSED[] = {1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53,
	69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137,
	139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554,
	556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
	5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080};

static bool is_listed(unsigned port)
{
	for (size_t i = 0; i < ARRAY_LEN(REFUSED); i++)
		if (REFUSED[i] == port)
			return true;
	return port == 0;
}

static void test_all(void)
{
	for (unsigned port = 0; port <= 65535; port++)
		if (port_is_refused(port) != is_listed(port))
			tap_fail(__FILE__, __LINE__, "port %u", port);
}

static void test_words(void)
{
	char text[100];

	port_explain(25, text, sizeof text);
	CHECK_STR(text, "port 25 belongs to another service than the web, and browsers refuse it");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_all);
	TAP_RUN(test_words);
	return tap_done();
}
