// The reader of Redis' protocol (RESP2). hiredis itself takes arrays of any size; here they are bounded.
#ifndef COUNTERSIGN_HIREDIS_H
#define COUNTERSIGN_HIREDIS_H

#include <hiredis/hiredis.h>

// No reply to a command of ours has more elements.
#define CS_REDIS_MOST_ELEMENTS 65536

// Makes an array by hiredis' own function, which is the reader's private data, or fails as if there were no memory.
static inline void *cs_redis_make_array(const redisReadTask *task, int elements) {
    const redisReplyObjectFunctions *standard = task->privdata;
    return elements < 0 || elements > CS_REDIS_MOST_ELEMENTS ? 0 : standard->createArray(task, elements);
}

// - functions: the reader's own; must outlive it.
static inline redisReader *cs_redis_make_reader(redisReplyObjectFunctions *functions) {
    redisReader *reader = redisReaderCreate();
    if (!reader) return 0;
    *functions = *reader->fn;
    functions->createArray = cs_redis_make_array;
    reader->privdata = reader->fn;
    reader->fn = functions;
    return reader;
}

#endif
