// Which statuses of an answer mean what.
#include <algorithm>

#include "config/tables/tables.h"

namespace einlass::config {
namespace {

using Outcome = core::Outcome;

constexpr std::size_t kMostStatuses = 100;

constexpr std::string_view kMeanings[] = {"accept", "retry", "refuse"};

bool is_class(const StatusMeans& rule) { return rule.first != rule.last; }

// "202", or "2xx" for all of a hundred; from 200 on, for what lies before is no answer yet.
Parsed<StatusMeans> parse_status(const std::string& text, Outcome means) {
  const Refusal refusal{"is not a status; write 202, or 2xx for all of them, from 200 to 599"};
  if (text.size() != 3 || text[0] < '2' || text[0] > '5') return refusal;
  const int hundred = (text[0] - '0') * 100;
  if (text.substr(1) == "xx") return StatusMeans{hundred, hundred + 99, means};
  const auto status = as<int>(parse_whole(text, {200, 599}));
  if (refused(status)) return refusal;
  return StatusMeans{std::get<int>(status), std::get<int>(status), means};
}

std::string take_status(const Scalar& item, Outcome means, std::vector<StatusMeans>& rules) {
  const auto parsed = parse_status(item.text, means);
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return refusal->text;
  const StatusMeans& rule = std::get<StatusMeans>(parsed);
  std::string trouble;
  for (const StatusMeans& other : rules) {
    if (other.first != rule.first || other.last != rule.last) continue;
    const std::string_view there = kMeanings[static_cast<std::size_t>(other.means)];
    trouble = "stands under " + std::string(there) + " already; keep one of them";
  }
  rules.push_back(rule);
  return trouble;
}

void print_statuses(PrintedPage& page, Outcome means, const HttpTarget& http) {
  std::vector<std::string> written;
  for (const StatusMeans& rule : http.by_status) {
    if (rule.means != means) continue;
    const int shown = is_class(rule) ? rule.first / 100 : rule.first;
    written.push_back(std::to_string(shown) + (is_class(rule) ? "xx" : ""));
  }
  const bool none = means == Outcome::accepted && http.accept_written;
  if (none || !written.empty()) page.list(written);
}

}  // namespace

Field<HttpTarget> statuses(Outcome means) {
  const auto read = [=](Section& section, HttpTarget& http) {
    std::vector<StatusMeans>& rules = http.by_status;
    if (means == Outcome::accepted) http.accept_written = section.find() != nullptr;
    section.read_list(kMostStatuses,
                      [&](const Scalar& item) { return take_status(item, means, rules); });
    // A single status holds before all of its hundred.
    std::stable_partition(rules.begin(), rules.end(), is_class);
  };
  const auto print = [=](PrintedPage& page, const HttpTarget& http) {
    print_statuses(page, means, http);
  };
  return custom<HttpTarget>(Kind::list, "list of statuses", read, print).defaults_to("see text");
}

}  // namespace einlass::config
