/* The arrays that every room needs; see base/vec.h. */
#ifndef BASE_LISTS_H
#define BASE_LISTS_H

#include "base/slice.h"
#include "base/vec.h"

VEC_DECLARE(slice_vec, slice);
VEC_DECLARE(u32_vec, uint32_t);

#endif
