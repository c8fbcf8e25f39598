// The fleet's table of quotas and pauses in it: who writes it, and what a node answers who reads.
#include <stdexcept>
#include <utility>

#include "lua/scripts.h"
#include "whole_gate/redis_node.h"
#include "whole_gate/redis_world.h"

namespace einlass::whole {
namespace {

const std::string kHash = "einlass:quotas:{einlass}";
const std::string kChanges = kHash + ":changes";

}  // namespace

void RedisWorld::write_table(const std::string& key, const std::optional<std::string>& text,
                             TableEntry::Way way) {
  kernel_.trace("table: " + key + " " + text.value_or("goes"));
  Words words = {"EVAL", std::string(lua::table_write_script()), "2", kHash, kChanges, "10000"};
  if (way == TableEntry::Way::unsaid) words = {text ? "HSET" : "HDEL", kHash};
  words.push_back(key);
  if (text) words.push_back(*text);
  const std::string reply = redis_.ask(words, kernel_.now());
  if (reply.starts_with('-')) throw std::runtime_error("the table is not written: " + reply);
  if (way == TableEntry::Way::cut) cut_changes();
}

// All that is left is a change behind the others, of which a gate can tell that it has missed some.
void RedisWorld::cut_changes() {
  add_change_of_nothing();
  redis_.ask({"XTRIM", kChanges, "MAXLEN", "1"}, kernel_.now());
}

void RedisWorld::add_change_of_nothing() {
  redis_.ask({"XADD", kChanges, "*", "key", "of/nobody"}, kernel_.now());
}

std::string RedisWorld::read_table(const Node& node, const Words& words, bool asking) {
  const std::string redirection =
      kind_ == RedisKind::cluster ? elsewhere(node, words.at(1), asking) : std::string();
  return redirection.empty() ? redis_.ask(words, kernel_.now()) : redirection;
}

}  // namespace einlass::whole
