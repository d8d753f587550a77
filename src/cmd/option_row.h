/*
 * A row of a table of options (base/options.h). The file says first which struct the rows fill:
 *
 *	#define ROW_OF struct plan_options
 *
 *	static const struct option_spec SPECS[] = {
 *		ROW(DURATION, delay, "delay", 'd', "pause between two downloads (default: 1)",
 *			.max = 1e9),
 *		ROW(FLAG, json, "json", 0, "print JSON"),
 *		{.name = NULL},
 *	};
 */
#ifndef CMD_OPTION_ROW_H
#define CMD_OPTION_ROW_H

#include <stddef.h>

#include "base/options.h"

/* Kind without OPTION_, member of the struct, name, letter or 0, help; then other members of the
 * row by name. */
#define ROW(kind_, member, name_, letter_, ...)                                              \
	{                                                                                    \
		.kind = OPTION_##kind_, .offset = offsetof(ROW_OF, member), .name = (name_), \
		.letter = (letter_), .help = __VA_ARGS__                                     \
	}

#endif
