/*
 * How far a page is from a seed in the tree of directories (Tan et al., eq. 2, as it can be meant):
 * the steps between their directories, positive where the page is not deeper than the seed. So 0
 * means the same directory. The printed formula gives 0 for all pages of one depth, the printed
 * sign contradicts text and figures.
 */
#ifndef INSPECT_DIRECTORY_H
#define INSPECT_DIRECTORY_H

#include "base/api.h"
#include "base/slice.h"
#include "inspect/distance.h"

/*
 * Both are URLs, or both are paths on one host. Query and fragment do not count; what follows the
 * last slash is the page, even when it is empty. RANK_UNREACHABLE between two hosts.
 */
int32_t rank_directory_distance(slice seed, slice page);

#endif
