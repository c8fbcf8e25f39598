// The functions by which hiredis' parser builds a reply.
#pragma once

#include <hiredis/read.h>

namespace einlass::redis {

// Those of a builder: its string, array, integer and nil. What they return belongs to the builder,
// and hiredis frees nothing of it. Newer kinds of value, which come only to who asks for them, have
// no function, and so such a reply is refused.
template <class Build>
redisReplyObjectFunctions* functions_of() {
  static redisReplyObjectFunctions all = [] {
    redisReplyObjectFunctions f{};
    f.createString = Build::string;
    f.createArray = Build::array;
    f.createInteger = Build::integer;
    f.createNil = Build::nil;
    f.freeObject = [](void*) {};
    return f;
  }();
  return &all;
}

}  // namespace einlass::redis
