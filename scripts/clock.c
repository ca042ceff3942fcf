// Put before a program (LD_PRELOAD), it has the program's calendar clock go CLOCK_AHEAD seconds ahead; monotonic clocks stay right.
// libfaketime would have timers by a monotonic clock (timerfd) expire at other times.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t ahead;

// The service wipes its environment later.
__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("CLOCK_AHEAD");
    ahead = text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int status = (int)syscall(SYS_gettimeofday, now, zone);
    if (status == 0) now->tv_sec += ahead;
    return status;
}

time_t time(time_t *place) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place) *place = now.tv_sec;
    return now.tv_sec;
}
