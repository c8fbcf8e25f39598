#include "config/model/reading.h"

#include <algorithm>
#include <tuple>

#include "config/text/plain_text.h"

namespace einlass::config {
namespace {

constexpr std::size_t kLongestShown = 60;

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + clipped(text, kLongestShown) + "'"; }

std::string below(const std::string& path, std::string_view name) {
  return path.empty() ? clipped(name, kLongestShown) : path + "." + clipped(name, kLongestShown);
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "one value";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a section";
  }
  return "";
}

std::string Scalar::subject() const {
  switch (shown) {
    case Shown::yes:
      return in_quotes(text);
    case Shown::no_variable:
      return "the value (not shown: it comes from a variable)";
    case Shown::no_secret:
      return "the value (not shown: it is a secret)";
  }
  return "";
}

void Reading::wrong(Position position, std::string path, std::string text) {
  mistakes_.push_back({file_, position.line, position.column, std::move(path), std::move(text)});
}

std::string Reading::position_in_words(Position position) const {
  return file_ + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::optional<Scalar> Reading::scalar(const Node& node, const std::string& path, bool secret) {
  if (node.kind == Node::Kind::null) {
    wrong(node.position, path, "has no value; write one, or leave the option out");
    return std::nullopt;
  }
  if (node.kind != Node::Kind::scalar) {
    wrong(node.position, path, "expected one value, not " + std::string(kind_name(node.kind)));
    return std::nullopt;
  }
  auto expanded = expand(node.text, environment_);
  if (const auto* mistake = std::get_if<ExpandMistake>(&expanded)) {
    wrong(node.position, path, mistake->text);
    return std::nullopt;
  }
  Expanded& value = std::get<Expanded>(expanded);
  const Scalar::Shown shown = secret                ? Scalar::Shown::no_secret
                              : value.from_variable ? Scalar::Shown::no_variable
                                                    : Scalar::Shown::yes;
  return Scalar{std::move(value.text), node.position, path, node.plain && !value.from_variable,
                shown};
}

Mistakes Reading::take_mistakes() {
  std::stable_sort(mistakes_.begin(), mistakes_.end(), [](const Mistake& a, const Mistake& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return std::move(mistakes_);
}

}  // namespace einlass::config
