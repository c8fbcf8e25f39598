// The functions by which hiredis' parser builds a reply.
#pragma once

#include <hiredis/read.h>

#include <cstddef>

namespace einlass::redis {

template <class Functions>
void refuse_newer(Functions& functions) {
  if constexpr (requires {
                  functions.createDouble;
                  functions.createBool;
                }) {
    functions.createDouble = [](const redisReadTask*, double, char*, std::size_t) -> void* {
      return nullptr;
    };
    functions.createBool = [](const redisReadTask*, int) -> void* { return nullptr; };
  }
}

// Those of a builder: its string, array, integer and nil. What they return belongs to the builder,
// and hiredis frees nothing of it. Newer kinds of value, which come only to who asks for them, are
// refused: as a lack of memory, for a hiredis that knows them makes up what has no function.
template <class Build>
redisReplyObjectFunctions* functions_of() {
  static redisReplyObjectFunctions all = [] {
    redisReplyObjectFunctions f{};
    f.createString = Build::string;
    f.createArray = Build::array;
    f.createInteger = Build::integer;
    f.createNil = Build::nil;
    f.freeObject = [](void*) {};
    refuse_newer(f);
    return f;
  }();
  return &all;
}

}  // namespace einlass::redis
