#include "adapters/redis/client/error_reply.h"

#include <algorithm>
#include <charconv>

#include "adapters/redis/client/hash_slot.h"
#include "text/ascii.h"

namespace einlass::redis {
namespace {

// What to do about a server that is not the primary.
std::string_view find_primary(const StoreOptions& options) {
  if (!options.sentinels.empty()) return "; the Sentinels are asked again who the primary is";
  if (options.cluster) return "; the cluster is asked again who holds its slots";
  return "; point redis.url at the primary, or use redis.sentinel";
}

// And about a node of a cluster that sends on what it is asked.
std::string_view follow_nodes(const StoreOptions& options) {
  if (!options.cluster) return "; set redis.cluster: true";
  return ", and its nodes do not agree who has the slot; look at redis-cli --cluster check";
}

struct Known {
  std::string_view code;
  std::string_view before;  // The sentence, around the server's address.
  std::string_view after;
  Reaction reaction = Reaction::pause;
  std::string_view (*advise)(const StoreOptions&) = nullptr;  // How the sentence goes on.
};

constexpr std::string_view kNotAllowed = "Redis does not let this user do it (NOPERM) at ";
constexpr std::string_view kRights =
    ": it needs EVAL, EVALSHA, PING, SELECT, with Sentinels ROLE, with a cluster CLUSTER and "
    "ASKING, with redis.wait_replicas WAIT, what the scripts call, and the keys of redis.namespace";

constexpr Known kKnown[] = {
    {"LOADING", "Redis is still loading its data (LOADING): ", " will answer when that is done"},
    {"READONLY", "Redis refuses writes (READONLY): ", " is a replica", Reaction::leave,
     find_primary},
    {"MASTERDOWN", "Redis lost its primary (MASTERDOWN): ", " is a replica", Reaction::leave,
     find_primary},
    {"UNBLOCKED", "Redis became a replica (UNBLOCKED): ", " was the primary", Reaction::leave,
     find_primary},
    {"CLUSTERDOWN Hash slot not served",
     "no node of the Redis cluster serves its slot (CLUSTERDOWN): "
     "look at CLUSTER INFO on ",
     "", Reaction::fail_line},
    {"CLUSTERDOWN", "the Redis cluster is down (CLUSTERDOWN): look at CLUSTER INFO on ", ""},
    {"MOVED", "Redis runs as a cluster (MOVED): ", " is a node of it", Reaction::leave,
     follow_nodes},
    {"ASK", "Redis runs as a cluster (ASK): ", " is a node of it", Reaction::leave, follow_nodes},
    {"CROSSSLOT", "its buckets live in several slots of the Redis cluster (CROSSSLOT), seen at ",
     ": limits that are decided together need the same key where they have spread: true, or none "
     "of "
     "them may have it",
     Reaction::fail_line},
    {"BUSY", "Redis is busy with somebody's script (BUSY): look at what runs on ",
     ", SCRIPT KILL ends it"},
    {"OOM", "Redis is out of memory (OOM): raise maxmemory on ", " or make room"},
    {"MISCONF", "Redis cannot save its data and refuses writes (MISCONF): look at the log of ", ""},
    {"NOREPLICAS", "Redis has too few replicas to accept writes (NOREPLICAS): look at the ones of ",
     ""},
    {"WRONGPASS", "Redis refuses the login (WRONGPASS) at ",
     ": check redis.username and redis.password"},
    {"NOAUTH", "Redis wants a login (NOAUTH) at ", ": set redis.username and redis.password",
     Reaction::leave},
    {"NOPERM", kNotAllowed, kRights},
    {"The user executing the script", kNotAllowed, kRights},  // Since Redis 7, of what it calls.
    {"WRONGTYPE", "its key holds something else (WRONGTYPE) on ",
     ": if its limit has another algorithm, mode, log or warm_up than before give the limit "
     "another name; else choose another redis.namespace, or delete the key",
     Reaction::fail_line},
    {"DB", "Redis has no such database (ERR DB index) at ", ": correct the number in redis.url"},
    {"AUTH", "Redis has no password for this user (ERR AUTH) at ", ": remove redis.password"},
};

// Redis before 7 wraps the error of a command inside a script: "ERR Error running script (call to
// f_...): @user_script:9: -READONLY ...". So the code may be any word of an ERR.
bool carries(std::string_view error, std::string_view code) {
  const std::size_t at = error.starts_with("ERR ") ? error.find(code) : 0;
  if (at == std::string_view::npos || !error.substr(at).starts_with(code)) return false;
  const std::size_t end = at + code.size();
  return (at == 0 || !is_letter(error[at - 1])) && (end == error.size() || !is_letter(error[end]));
}

bool take_number(std::string_view& text, char until, std::uint16_t& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || (length < text.size() && text[length] != until)) return false;
  text.remove_prefix(std::min(text.size(), length + 1));
  return true;
}

}  // namespace

bool is_unknown_script(std::string_view error) { return error.starts_with("NOSCRIPT"); }

bool is_try_again(std::string_view error) { return error.starts_with("TRYAGAIN"); }

bool is_unserved_slot(std::string_view error) {
  return error.starts_with("CLUSTERDOWN Hash slot not served");
}

// "MOVED 3999 10.0.0.1:6381"; an IPv6 address has colons of its own.
std::optional<Redirection> redirection(std::string_view error) {
  Redirection found;
  found.once = error.starts_with("ASK ");
  if (!found.once && !error.starts_with("MOVED ")) return std::nullopt;
  error.remove_prefix(error.find(' ') + 1);
  if (!take_number(error, ' ', found.slot) || found.slot >= kSlots) return std::nullopt;
  const std::size_t colon = error.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view port = error.substr(colon + 1);
  if (!take_number(port, ' ', found.to.port) || found.to.port == 0) return std::nullopt;
  if (const auto host = error.substr(0, colon); host != "?") found.to.host = host;
  return found;
}

std::string harmless(std::string_view error, std::string_view password) {
  constexpr std::size_t kMost = 120;
  std::string text(error);
  if (!password.empty()) {
    for (std::size_t at = 0; (at = text.find(password, at)) != text.npos; at += 3) {
      text.replace(at, password.size(), "***");
    }
  }
  text.resize(std::min({text.find_first_of("'`\"(,"), text.size(), kMost}));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

Trouble explain(std::string_view error, std::string_view where, const StoreOptions& options,
                std::string_view password) {
  for (const Known& known : kKnown) {
    if (!carries(error, known.code)) continue;
    std::string detail(known.before);
    detail.append(where).append(known.after);
    if (known.advise) detail.append(known.advise(options));
    return {detail, known.reaction};
  }
  std::string detail = "Redis answers with an error (" + harmless(error, password) + ") at ";
  return {detail.append(where).append(": look at its version and its log"), Reaction::fail_line};
}

}  // namespace einlass::redis
