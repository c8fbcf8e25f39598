#include "adapters/redis/error_reply.h"

#include <algorithm>

namespace einlass::redis {
namespace {

struct Known {
  std::string_view code;
  std::string_view before;  // The sentence, around the server's address.
  std::string_view after;
  bool reconnect = false;
};

constexpr Known kKnown[] = {
    {"LOADING", "Redis is still loading its data (LOADING): ", " will answer when that is done"},
    {"READONLY",
     "Redis refuses writes (READONLY): ", " is a replica; point redis.url at the primary", true},
    {"MASTERDOWN", "Redis lost its primary (MASTERDOWN): ",
     " is a replica; point redis.url at the primary", true},
    {"CLUSTERDOWN", "the Redis cluster is down (CLUSTERDOWN): look at CLUSTER INFO on ", ""},
    {"MOVED", "Redis runs as a cluster (MOVED): ",
     " does not hold this namespace; point redis.url at the node that does", true},
    {"BUSY", "Redis is busy with somebody's script (BUSY): look at what runs on ",
     ", SCRIPT KILL ends it"},
    {"OOM", "Redis is out of memory (OOM): raise maxmemory on ", " or make room"},
    {"MISCONF", "Redis cannot save its data and refuses writes (MISCONF): look at the log of ", ""},
    {"NOREPLICAS", "Redis has too few replicas to accept writes (NOREPLICAS): look at the ones of ",
     ""},
    {"WRONGPASS", "Redis refuses the login (WRONGPASS) at ",
     ": check redis.username and redis.password"},
    {"NOAUTH", "Redis wants a login (NOAUTH) at ", ": set redis.username and redis.password"},
    {"NOPERM", "Redis does not let this user do it (NOPERM) at ",
     ": it needs EVAL, EVALSHA, PING, SELECT, what the scripts call, and the keys of "
     "redis.namespace"},
    {"WRONGTYPE", "a key of the limiter holds something else (WRONGTYPE) on ",
     ": choose another redis.namespace, or delete the key"},
    {"DB", "Redis has no such database (ERR DB index) at ", ": correct the number in redis.url"},
    {"AUTH", "Redis has no password for this user (ERR AUTH) at ", ": remove redis.password"},
};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Redis before 7 wraps the error of a command inside a script: "ERR Error running script (call to
// f_...): @user_script:9: -READONLY ...". So the code may be any word of an ERR.
bool carries(std::string_view error, std::string_view code) {
  const std::size_t at = error.starts_with("ERR ") ? error.find(code) : 0;
  if (at == std::string_view::npos || !error.substr(at).starts_with(code)) return false;
  const std::size_t end = at + code.size();
  return (at == 0 || !is_letter(error[at - 1])) && (end == error.size() || !is_letter(error[end]));
}

// The words of an unknown error up to where it may quote an argument, which may be a record's key
// or a password.
std::string harmless(std::string_view error) {
  constexpr std::size_t kMost = 120;
  std::string text(error.substr(0, std::min(error.find_first_of("'`\"(,"), kMost)));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

bool is_unknown_script(std::string_view error) { return error.starts_with("NOSCRIPT"); }

Trouble explain(std::string_view error, std::string_view where) {
  for (const Known& known : kKnown) {
    if (!carries(error, known.code)) continue;
    std::string detail(known.before);
    return {detail.append(where).append(known.after), known.reconnect};
  }
  std::string detail = "Redis answers with an error (" + harmless(error) + ") at ";
  return {detail.append(where).append(": look at its version and its log"), false};
}

}  // namespace einlass::redis
