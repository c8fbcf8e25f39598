// What all sections share while one file is read: the environment, the configuration so far, and
// the mistakes so far.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/model/config.h"
#include "config/text/document.h"
#include "config/text/expand.h"
#include "config/text/mistake.h"

namespace einlass::config {

// One value, with its variables filled in.
struct Scalar {
  enum class Shown { yes, no_variable, no_secret };

  std::string text;
  Position position;
  std::string path;
  bool plain = false;  // Without quotes, and all of it in the file.
  Shown shown = Shown::yes;

  // The value as the subject of a sentence: "'1 sec'", or "the value (not shown: ...)".
  std::string subject() const;
};

class Reading {
 public:
  // `environment` outlives it.
  Reading(std::string file, const Environment& environment)
      : file_(std::move(file)), environment_(environment) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // What is read already, for options that name others and rules between sections.
  Config config;
  // Which of its limits had no mistake: checks between limits leave out the others, so that one
  // mistake is not told twice.
  std::vector<bool> sound_limits;
  // The topics that are read so far, and the route of each.
  std::map<std::string, std::size_t> topics;

  const Environment& environment() const { return environment_; }

  void wrong(Position position, std::string path, std::string text);
  void wrong(const Scalar& scalar, const std::string& predicate) {
    wrong(scalar.position, scalar.path, scalar.subject() + " " + predicate);
  }

  // "gate.yaml:14:3", for what says something of two positions.
  std::string position_in_words(Position position) const;

  // The value with its variables filled in; none, with a mistake, if it is no single value.
  std::optional<Scalar> scalar(const Node& node, const std::string& path, bool secret = false);

  std::size_t mistakes() const { return mistakes_.size(); }

  // All of them in the order of the file. The reading is over.
  Mistakes take_mistakes();

 private:
  std::string file_;
  const Environment& environment_;
  Mistakes mistakes_;
};

// A piece of the file within a message: one line, not too long. Not "quoted": given a std::string,
// g++ 14 takes the one of std for meant.
std::string in_quotes(std::string_view text);

// `path` with one more name.
std::string below(const std::string& path, std::string_view name);

// "a list", "one value": what was written, for a message about what was expected.
std::string_view kind_name(Node::Kind kind);

}  // namespace einlass::config
