#!/usr/bin/env python3
"""Plans a capture with libstillpoint from Python, with nothing but ctypes.

A schedule for known pages in one call, then the same site driven order by order. Structs repeat
those of <stillpoint/plan.h>, which explains them.
"""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8
from ctypes import c_uint32, c_uint64, c_void_p


class Sized(ctypes.Structure):
    """A struct that carries its size as its first member."""

    def __init__(self, **members):
        super().__init__(size=ctypes.sizeof(self), **members)


class Params(Sized):
    _fields_ = [("size", c_size_t), ("strategy", c_char_p), ("delay", c_double), ("tau", c_double),
                ("pages", c_uint32), ("max_pages", c_uint32), ("attempts", c_uint32),
                ("flags", c_uint32), ("aim", c_uint32)]


class Page(Sized):
    _fields_ = [("size", c_size_t), ("rate", c_double), ("shape", c_double), ("weight", c_double)]


class Order(Sized):
    _fields_ = [("size", c_size_t), ("page", c_uint32), ("leg", c_uint32), ("attempt", c_uint32),
                ("hopeless", c_uint32)]


class Progress(Sized):
    _fields_ = [("size", c_size_t), ("known", c_uint64), ("visited", c_uint64),
                ("revisited", c_uint64), ("late", c_uint64), ("failed", c_uint64),
                ("out", c_uint64), ("pages", c_double), ("leg", c_uint32), ("error", c_int32)]


class Site(Sized):
    _fields_ = [("size", c_size_t), ("pages", c_size_t), ("rates", POINTER(c_double)),
                ("shapes", POINTER(c_double)), ("weights", POINTER(c_double))]


class Schedule(Sized):
    _fields_ = [("size", c_size_t), ("visits", POINTER(c_int64)), ("revisits", POINTER(c_int64)),
                ("hopeless", POINTER(c_uint8)), ("coherence", c_double),
                ("upper_bound", c_double)]


SP_ORDER, SP_DONE = 0, 0
LEGS = ["visit", "revisit", "late"]

lib = ctypes.CDLL("libstillpoint.so.0")
lib.sp_error_text.restype = c_char_p
lib.sp_plan_new.argtypes = [POINTER(Params), POINTER(c_void_p)]
lib.sp_plan_free.argtypes = [c_void_p]
lib.sp_plan_free.restype = None
lib.sp_plan_found.argtypes = [c_void_p, c_uint32, POINTER(Page)]
lib.sp_plan_next.argtypes = [c_void_p, c_double, POINTER(c_int), POINTER(Order)]
lib.sp_plan_done.argtypes = [c_void_p, POINTER(Order), c_int, c_double, c_double]
lib.sp_plan_progress.argtypes = [c_void_p, POINTER(Progress)]
lib.sp_plan_schedule.argtypes = [POINTER(Params), POINTER(Site), POINTER(Schedule)]


def check(code):
    if code:
        raise RuntimeError(lib.sp_error_text(code).decode())


DELAY = 2.0  # seconds between two downloads
PAGES = [("/", 1 / 60), ("/news", 1 / 20), ("/archive", 1 / 3600), ("/imprint", 1 / 8640000)]


def schedule():
    n = len(PAGES)
    site = Site(pages=n, rates=(c_double * n)(*[rate for _, rate in PAGES]))
    visits, revisits = (c_int64 * n)(), (c_int64 * n)()
    result = Schedule(visits=visits, revisits=revisits)
    check(lib.sp_plan_schedule(byref(Params(delay=DELAY)), byref(site), byref(result)))
    for i in sorted(range(n), key=lambda i: visits[i]):
        print(f"{visits[i] * DELAY:+4.0f} s {revisits[i] * DELAY:+4.0f} s  {PAGES[i][0]}")
    print(f"{result.coherence:.2f} of {n} pages expected sharp, "
          f"at best {result.upper_bound:.2f}")


def capture():
    plan, order, step, now = c_void_p(), Order(), c_int(SP_ORDER), 0.0
    check(lib.sp_plan_new(byref(Params(delay=DELAY)), byref(plan)))
    try:
        for number, (_, rate) in enumerate(PAGES):
            check(lib.sp_plan_found(plan, number, byref(Page(rate=rate, weight=1))))
        while True:
            check(lib.sp_plan_next(plan, now, byref(step), byref(order)))
            if step.value != SP_ORDER:
                break
            print(f"{now:4.0f} s  {LEGS[order.leg]:8} {PAGES[order.page][0]}")
            check(lib.sp_plan_done(plan, byref(order), SP_DONE, now, now))
            now += DELAY
        progress = Progress()
        check(lib.sp_plan_progress(plan, byref(progress)))
        assert progress.visited == progress.revisited == len(PAGES)
    finally:
        lib.sp_plan_free(plan)


schedule()
capture()
