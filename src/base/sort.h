/* Comparisons for qsort. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

/* Doubles, ascending. */
static inline int sort_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif
