// A pattern of topic names, as a route may have it: `^results\..*`.
//
// librdkafka reads the same text when it subscribes, so both sides take it for the same thing: a
// POSIX extended regular expression that is looked for, not one that has to fit to the end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace einlass {

class TopicPattern {
 public:
  // REQUIRES: refusal() of the text is empty.
  explicit TopicPattern(const std::string& text);

  // Whether the topic is one of them. May be called from any thread.
  bool fits(const std::string& topic) const;

  // Whether a route's entry is a pattern, and not the name of a topic.
  static bool is_one(std::string_view text) { return text.starts_with('^'); }

  // Why the text is no pattern, in words that go on after it; empty if it is one.
  static std::string refusal(const std::string& text);

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace einlass
