#include "config/limits/parameters.h"

#include <algorithm>
#include <span>
#include <variant>

#include "config/limits/pace.h"
#include "config/tables/tables.h"
#include "limits/permits/refusal.h"

namespace einlass::config {
namespace {

using limits::ConcurrencyParameters;
using limits::CounterParameters;
using limits::FixedWindowParameters;
using limits::GcraParameters;
using limits::LeakyBucketParameters;
using limits::SlidingLogParameters;
using limits::SlidingWindowParameters;
using limits::SmoothParameters;
using limits::TokenBucketParameters;
using limits::WarmUpParameters;

constexpr std::int64_t kMostPermits = 1'000'000'000;

template <class P>
Field<P> permits(Permits P::*member, std::int64_t most = kMostPermits) {
  return number(member, 1, most).required("100").live();
}

template <class P>
Field<P> span(Duration P::*member) {
  return duration(member, {1}, hours(366 * 24)).required("1s").live();
}

template <class P>
Field<P> rate(limits::Rate P::*member) {
  const auto parse = [](const Scalar& s) { return parse_rate(s.text); };
  return value(Kind::rate, "rate", member, parse, [](limits::Rate r) { return to_text(r); })
      .required("100/s")
      .live();
}

// Of those that count a window.
template <class P>
Rows<P> windowed(std::int64_t most, const Rows<P>& more = {}) {
  Rows<P> rows = {{"limit", permits(&P::limit, most)}, {"window", span(&P::window)}};
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

// The burst of a limit that warms up, and who pays for it, follow from its warm-up.
void refuse_burst(Section& section, WarmUpParameters&) {
  if (section.find() == nullptr) return;
  section.wrong(
      "means nothing with warm_up, which says how many permits a quiet time is worth; leave it "
      "out");
}

void refuse_pay_now(Section& section, WarmUpParameters&) {
  std::size_t payer = 1;
  section.read(payer, [](const Scalar& s) { return parse_choice(s.text, {"now", "next"}); });
  if (payer == 1) return;
  section.wrong("a limit that warms up is paid by who comes next; write next, or leave it out");
}

// The parameters of each algorithm, in the order in which they are written. Made when they are
// asked for: the table of limits does so before the program has begun.
const Rows<SlidingLogParameters>& rows_of(const SlidingLogParameters&) {
  static const Rows<SlidingLogParameters> kRows = windowed<SlidingLogParameters>(
      limits::kMostLogEntries,
      {
          {"even", percent(&SlidingLogParameters::even, 0, limits::kMostEven).live()},
          {"burst", number(&SlidingLogParameters::burst, 1, limits::kMostLogEntries).live()},
      });
  return kRows;
}

const Rows<FixedWindowParameters>& rows_of(const FixedWindowParameters&) {
  static const Rows<FixedWindowParameters> kRows = windowed<FixedWindowParameters>(
      kMostPermits, {
                        {"align", choice(&FixedWindowParameters::by_key, {"epoch", "key"})},
                    });
  return kRows;
}

const Rows<CounterParameters>& rows_of(const CounterParameters&) {
  static const Rows<CounterParameters> kRows = windowed<CounterParameters>(kMostPermits);
  return kRows;
}

const Rows<SlidingWindowParameters>& rows_of(const SlidingWindowParameters&) {
  static const Rows<SlidingWindowParameters> kRows = windowed<SlidingWindowParameters>(
      kMostPermits,
      {
          {"slices", number(&SlidingWindowParameters::slices, 1, limits::kMostSlices).live()},
          {"log", choice(&SlidingWindowParameters::log_newest, {"none", "newest"})},
      });
  return kRows;
}

const Rows<LeakyBucketParameters>& rows_of(const LeakyBucketParameters&) {
  static const Rows<LeakyBucketParameters> kRows = {
      {"rate", rate(&LeakyBucketParameters::rate)},
      {"capacity", permits(&LeakyBucketParameters::capacity)},
      {"mode", choice(&LeakyBucketParameters::queue, {"meter", "queue"})},
  };
  return kRows;
}

const Rows<TokenBucketParameters>& rows_of(const TokenBucketParameters&) {
  static const Rows<TokenBucketParameters> kRows = {
      {"rate", rate(&TokenBucketParameters::rate)},
      {"burst", permits(&TokenBucketParameters::burst)},
      {"start", choice(&TokenBucketParameters::starts_empty, {"full", "empty"}).live()},
  };
  return kRows;
}

const Rows<GcraParameters>& rows_of(const GcraParameters&) {
  static const Rows<GcraParameters> kRows = {
      {"rate", rate(&GcraParameters::rate)},
      {"burst", permits(&GcraParameters::burst)},
  };
  return kRows;
}

const Rows<SmoothParameters>& rows_of(const SmoothParameters&) {
  static const Rows<SmoothParameters> kRows = {
      {"rate", rate(&SmoothParameters::rate)},
      {"burst", permits(&SmoothParameters::burst)},
      {"timeout", duration(&SmoothParameters::timeout, {}, hours(1)).live()},
      {"pay", choice(&SmoothParameters::pay_next, {"now", "next"})},
  };
  return kRows;
}

const Rows<WarmUpParameters>& rows_of(const WarmUpParameters&) {
  static const Rows<WarmUpParameters> kRows = {
      {"rate", rate(&WarmUpParameters::rate)},
      {"burst", custom<WarmUpParameters>(Kind::number, "whole number", refuse_burst,
                                         [](PrintedPage&, auto&) {})},
      {"timeout", duration(&WarmUpParameters::timeout, {}, hours(1)).live()},
      {"pay", custom<WarmUpParameters>(Kind::choice, "now or next", refuse_pay_now,
                                       [](PrintedPage& page, auto&) { page.text("next"); })},
      {"warm_up", span(&WarmUpParameters::warm_up)},
  };
  return kRows;
}

const Rows<ConcurrencyParameters>& rows_of(const ConcurrencyParameters&) {
  static const Rows<ConcurrencyParameters> kRows = {
      {"limit", permits(&ConcurrencyParameters::limit, limits::kMostLogEntries)},
      {"lease", span(&ConcurrencyParameters::lease).required("30s")},
  };
  return kRows;
}

struct Algorithm {
  std::string_view name;
  limits::Parameters defaults;
  bool is_paced = false;         // Its `burst` is the limit's, and kept by another one (pace.h).
  std::string_view marked_by{};  // Of two with one name this is the one where that is written.
};

std::span<const Algorithm> algorithms() {
  static const Algorithm kAll[] = {
      {"sliding_log", SlidingLogParameters{.limit = {}, .window = {}, .even = kDefaultEven}},
      {"fixed_window", FixedWindowParameters{}, true},
      {"counter", CounterParameters{}, true},
      {"sliding_window", SlidingWindowParameters{}, true},
      {"leaky_bucket", LeakyBucketParameters{}},
      {"token_bucket", TokenBucketParameters{}},
      {"gcra", GcraParameters{}},
      {"smooth", SmoothParameters{.rate = {}, .burst = {}, .timeout = seconds(1)}},
      {"smooth", WarmUpParameters{.rate = {}, .timeout = seconds(1), .warm_up = {}}, false,
       "warm_up"},
      {"concurrency", ConcurrencyParameters{}},
  };
  return kAll;
}

// A burst that another limit keeps.
const Rows<Limit>& row_of_burst() {
  static const Rows<Limit> kRow = {
      {"burst", number(&Limit::burst, 1, limits::kMostLogEntries).live()}};
  return kRow;
}

const Algorithm& algorithm_of(const limits::Parameters& parameters) {
  return *std::ranges::find_if(algorithms(), [&](const Algorithm& one) {
    return one.defaults.index() == parameters.index();
  });
}

void add(Section::Names& names, const Section::Names& more) {
  for (const std::string_view name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

// What one takes by its name, or all of them together.
Section::Names taken_by(std::string_view name = "") {
  Section::Names names;
  for (const Algorithm& one : algorithms()) {
    if (!name.empty() && name != one.name) continue;
    add(names, parameter_names(one.defaults));
    if (one.is_paced) add(names, {"burst"});
  }
  return names;
}

// Says that parameters of other algorithms mean nothing here.
void refuse_others(Section& section, std::string_view algorithm) {
  const Section::Names own = taken_by(algorithm);
  for (const std::string_view name : taken_by()) {
    if (!section.has(name) || std::find(own.begin(), own.end(), name) != own.end()) continue;
    section.wrong(name,
                  "means nothing to " + std::string(algorithm) + ", which takes " + all_of(own));
  }
}

void read_algorithm(Section& section, Limit& limit) {
  Section::Names names;
  for (const Algorithm& one : algorithms()) add(names, {one.name});
  std::size_t index = 0;
  const auto parse = [&](const Scalar& s) { return parse_choice(s.text, names); };
  if (!section.read(index, parse)) return;
  refuse_others(section, names[index]);
  const Algorithm* algorithm = nullptr;
  for (const Algorithm& one : algorithms()) {
    const bool marked = one.marked_by.empty() || section.has(one.marked_by);
    if (one.name == names[index] && marked) algorithm = &one;
  }
  limit.limit.parameters = algorithm->defaults;
  std::visit([&](auto& p) { read(section, rows_of(p), p); }, limit.limit.parameters);
  if (algorithm->is_paced) read(section, row_of_burst(), limit);
  if (!section.sound(taken_by(names[index]))) section.mark_wrong(section.option());
}

limits::Parameters as_written(const Limit& limit) {
  limits::Parameters parameters = limit.limit.parameters;
  if (limit.strict) lengthen_window(parameters, Duration{} - kStrictUse);
  return parameters;
}

template <class P>
Rows<P> live_rows(Rows<P> rows) {
  std::erase_if(rows, [](const Row<P>& row) { return !row.field.is_live; });
  return rows;
}

void print_algorithm(PrintedPage& page, const Limit& limit) {
  const limits::Parameters parameters = as_written(limit);
  page.text(std::string(algorithm_name(parameters)));
  std::visit([&](const auto& p) { print(page, rows_of(p), p); }, parameters);
  if (algorithm_of(parameters).is_paced) print(page, row_of_burst(), limit);
}

}  // namespace

Field<Limit> algorithm() {
  Field<Limit> field = custom<Limit>(Kind::choice, "name", read_algorithm, print_algorithm);
  for (const Algorithm& one : algorithms()) add(field.choices, {one.name});
  field.advice = "write " + either(field.choices);
  return field;
}

// As the first that has it tells it, with the widest bounds.
Field<Limit> parameter(std::string_view name) {
  std::vector<Option> all;
  for (const Algorithm& one : algorithms()) {
    std::visit([&](const auto& p) { describe(rows_of(p), "", p, all); }, one.defaults);
  }
  describe(row_of_burst(), "", Limit{}, all);
  std::erase_if(all, [&](const Option& one) { return one.name != name; });
  Field<Limit> field = read_elsewhere<Limit>();
  static_cast<OptionTraits&>(field) = all.front();
  for (const Option& one : all) widen(field, one);
  field.advice.clear();
  field.default_words = all.front().default_value;
  return field;
}

bool read_parameters(Section& section, Limit& limit) {
  const Section::Scope scope(section, "algorithm");
  read_algorithm(section, limit);
  return section.sound();
}

std::vector<WrittenOption> written(const Limit& limit) {
  static const Config kNone;
  PrintedPage page(kNone);
  print(page, Rows<Limit>{{"algorithm", algorithm()}}, limit);
  return page.take_options();
}

Section::Names parameter_names(const limits::Parameters& parameters) {
  return std::visit([](const auto& p) { return names_in(rows_of(p)); }, parameters);
}

Section::Names all_parameters() { return taken_by(); }

Section::Names live_parameters(const Limit& limit) {
  Section::Names names = std::visit([](const auto& p) { return names_in(live_rows(rows_of(p))); },
                                    limit.limit.parameters);
  if (has_pace(limit)) names.push_back("burst");
  return names;
}

void print_live(PrintedPage& page, const Limit& limit) {
  const limits::Parameters parameters = as_written(limit);
  std::visit([&](const auto& p) { print(page, live_rows(rows_of(p)), p); }, parameters);
  if (has_pace(limit)) print(page, row_of_burst(), limit);
}

std::string_view algorithm_name(const limits::Parameters& parameters) {
  return algorithm_of(parameters).name;
}

void lengthen_window(limits::Parameters& parameters, Duration by) {
  if (auto* log = std::get_if<limits::SlidingLogParameters>(&parameters)) {
    log->window = log->window + by;
  } else if (auto* slices = std::get_if<limits::SlidingWindowParameters>(&parameters)) {
    slices->window = slices->window + by;
  }
}

void complete(LimitValue& value, const Limit& limit) {
  if (limit.strict) lengthen_window(value.parameters, kStrictUse);
  if (!has_pace(limit)) return;
  Limit of_key = limit;
  of_key.limit.parameters = value.parameters;
  of_key.burst = value.burst;
  value.pace = pace_or_none(of_key);
}

}  // namespace einlass::config
