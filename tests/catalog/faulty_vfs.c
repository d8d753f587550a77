#include "faulty_vfs.h"

#include <stddef.h>

struct faulty_file {
	sqlite3_file base; /* first */
	struct faulty_vfs *v;
	sqlite3_file *real; /* behind this struct, in SQLite's memory */
};

static sqlite3_file *real_of(sqlite3_file *file)
{
	return ((struct faulty_file *)file)->real;
}

static bool strikes(struct faulty_vfs *v, bool is_sync)
{
	if (v->fault == FAULT_NONE || (v->fault == FAULT_SYNC) != is_sync)
		return false;
	if (v->countdown-- > 0 || (v->struck > 0 && !v->lasting))
		return false;
	v->struck++;
	return true;
}

static int file_write(sqlite3_file *f, const void *bytes, int len, sqlite3_int64 at)
{
	struct faulty_vfs *v = ((struct faulty_file *)f)->v;

	if (!strikes(v, false))
		return real_of(f)->pMethods->xWrite(real_of(f), bytes, len, at);
	if (v->fault == FAULT_WRITE_FULL)
		return SQLITE_FULL;
	(void)real_of(f)->pMethods->xWrite(real_of(f), bytes, len / 2, at);
	return SQLITE_IOERR_WRITE;
}

static int file_sync(sqlite3_file *f, int flags)
{
	(void)flags;
	return strikes(((struct faulty_file *)f)->v, true) ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

/* ---- the rest is passed on ---- */

static int file_close(sqlite3_file *f)
{
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int file_read(sqlite3_file *f, void *out, int len, sqlite3_int64 at)
{
	return real_of(f)->pMethods->xRead(real_of(f), out, len, at);
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int file_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), ret);
}

static int file_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int file_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int file_is_reserved(sqlite3_file *f, int *ret)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), ret);
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int file_sector_size(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int file_device(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **ret)
{
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, ret);
}

static int file_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void file_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int file_shm_unmap(sqlite3_file *f, int delete)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), delete);
}

static const sqlite3_io_methods METHODS = {
	.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_is_reserved,
	.xFileControl = file_control,
	.xSectorSize = file_sector_size,
	.xDeviceCharacteristics = file_device,
	.xShmMap = file_shm_map,
	.xShmLock = file_shm_lock,
	.xShmBarrier = file_shm_barrier,
	.xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *ret)
{
	struct faulty_vfs *v = (struct faulty_vfs *)vfs;
	struct faulty_file *f = (struct faulty_file *)file;
	int rc;

	f->base.pMethods = NULL;
	f->v = v;
	f->real = (sqlite3_file *)(f + 1);
	rc = v->real->xOpen(v->real, name, f->real, flags, ret);
	if (f->real->pMethods)
		f->base.pMethods = &METHODS;
	return rc;
}

/* Without syncing the directory. */
static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	struct faulty_vfs *v = (struct faulty_vfs *)vfs;

	(void)sync;
	return v->real->xDelete(v->real, name, 0);
}

void faulty_vfs_install(struct faulty_vfs *v)
{
	*v = (struct faulty_vfs){.real = sqlite3_vfs_find(NULL)};
	v->vfs = *v->real;
	v->vfs.pNext = NULL;
	v->vfs.zName = "faulty";
	v->vfs.szOsFile = (int)sizeof(struct faulty_file) + v->real->szOsFile;
	v->vfs.xOpen = vfs_open;
	v->vfs.xDelete = vfs_delete;
	(void)sqlite3_vfs_register(&v->vfs, 1);
}

void faulty_vfs_remove(struct faulty_vfs *v)
{
	(void)sqlite3_vfs_unregister(&v->vfs);
	(void)sqlite3_vfs_register(v->real, 1);
}

void faulty_vfs_arm(struct faulty_vfs *v, enum fault fault, bool lasting, int number)
{
	v->fault = fault;
	v->lasting = lasting;
	v->countdown = number;
	v->struck = 0;
}
