/*
 * SQLite's default file system with faults: the N-th write or sync of any file fails, once or from
 * then on. Nothing is ever synced for real: that would only take time, since no power fails here.
 */
#ifndef TESTS_CATALOG_FAULTY_VFS_H
#define TESTS_CATALOG_FAULTY_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

enum fault {
	FAULT_NONE,
	FAULT_WRITE_FULL,  /* nothing is written: the disk is full */
	FAULT_WRITE_SHORT, /* half is written, and then the disk fails */
	FAULT_SYNC,        /* all is written, but the disk does not say so */
};

struct faulty_vfs {
	sqlite3_vfs vfs; /* first */
	sqlite3_vfs *real;
	enum fault fault;
	bool lasting;  /* from then on; else once */
	int countdown; /* calls until the fault */
	int struck;    /* faults so far */
};

/* Becomes SQLite's default until it is removed; the caller's memory is in use until then. */
void faulty_vfs_install(struct faulty_vfs *v);
void faulty_vfs_remove(struct faulty_vfs *v);

/* Arms it: the number-th call from now, counted from 0. */
void faulty_vfs_arm(struct faulty_vfs *v, enum fault fault, bool lasting, int number);

#endif
