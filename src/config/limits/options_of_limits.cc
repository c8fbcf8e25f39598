// limits.NAME, and the parameters of each algorithm.
#include <algorithm>
#include <utility>
#include <variant>

#include "config/limits/pace.h"
#include "config/limits/parameters.h"
#include "config/tables/tables.h"
#include "limits/permits/refusal.h"
#include "units/check.h"

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

// The parameters of each algorithm, in the order in which they are written.
template <class P>
extern const Rows<P> kRows;

template <>
const Rows<SlidingLogParameters> kRows<SlidingLogParameters> = windowed<SlidingLogParameters>(
    limits::kMostLogEntries,
    {
        {"even", share(&SlidingLogParameters::even, 0, limits::kMostEven).live()},
        {"burst", number(&SlidingLogParameters::burst, 1, limits::kMostLogEntries).live()},
    });

template <>
const Rows<FixedWindowParameters> kRows<FixedWindowParameters> = windowed<FixedWindowParameters>(
    kMostPermits, {
                      {"align", choice(&FixedWindowParameters::by_key, {"epoch", "key"})},
                  });

template <>
const Rows<CounterParameters> kRows<CounterParameters> = windowed<CounterParameters>(kMostPermits);

template <>
const Rows<SlidingWindowParameters> kRows<SlidingWindowParameters> =
    windowed<SlidingWindowParameters>(
        kMostPermits,
        {
            {"slices", number(&SlidingWindowParameters::slices, 1, limits::kMostSlices).live()},
            {"log", choice(&SlidingWindowParameters::log_newest, {"none", "newest"})},
        });

template <>
const Rows<LeakyBucketParameters> kRows<LeakyBucketParameters> = {
    {"rate", rate(&LeakyBucketParameters::rate)},
    {"capacity", permits(&LeakyBucketParameters::capacity)},
    {"mode", choice(&LeakyBucketParameters::queue, {"meter", "queue"})},
};

template <>
const Rows<TokenBucketParameters> kRows<TokenBucketParameters> = {
    {"rate", rate(&TokenBucketParameters::rate)},
    {"burst", permits(&TokenBucketParameters::burst)},
    {"start", choice(&TokenBucketParameters::starts_empty, {"full", "empty"}).live()},
};

template <>
const Rows<GcraParameters> kRows<GcraParameters> = {{"rate", rate(&GcraParameters::rate)},
                                                    {"burst", permits(&GcraParameters::burst)}};

template <>
const Rows<SmoothParameters> kRows<SmoothParameters> = {
    {"rate", rate(&SmoothParameters::rate)},
    {"burst", permits(&SmoothParameters::burst)},
    {"timeout", duration(&SmoothParameters::timeout, {}, hours(1)).live()},
    {"pay", choice(&SmoothParameters::pay_next, {"now", "next"})},
};

template <>
const Rows<WarmUpParameters> kRows<WarmUpParameters> = {
    {"rate", rate(&WarmUpParameters::rate)},
    {"burst", custom<WarmUpParameters>(Kind::number, "whole number", refuse_burst,
                                       [](PrintedPage&, auto&) {})},
    {"timeout", duration(&WarmUpParameters::timeout, {}, hours(1)).live()},
    {"pay", custom<WarmUpParameters>(Kind::choice, "now or next", refuse_pay_now,
                                     [](PrintedPage& page, auto&) { page.text("next"); })},
    {"warm_up", span(&WarmUpParameters::warm_up)},
};

template <>
const Rows<ConcurrencyParameters> kRows<ConcurrencyParameters> = {
    {"limit", permits(&ConcurrencyParameters::limit, limits::kMostLogEntries)},
    {"lease", span(&ConcurrencyParameters::lease).required("30s")},
};

struct Algorithm {
  std::string_view name;
  limits::Parameters defaults;
  bool is_paced = false;         // Its `burst` is the limit's, and kept by another one (pace.h).
  std::string_view marked_by{};  // Of two with one name this is the one where that is written.
};

const Algorithm kAlgorithms[] = {
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

const Rows<Limit> kBurst = {{"burst", number(&Limit::burst, 1, limits::kMostLogEntries).live()}};

const Algorithm& algorithm_of(const limits::Parameters& parameters) {
  return *std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                       [&](const auto& one) { return one.defaults.index() == parameters.index(); });
}

void add(Section::Names& names, const Section::Names& more) {
  for (const std::string_view name : more) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

// What one takes by its name, or all of them together.
Section::Names taken_by(std::string_view name = "") {
  Section::Names names;
  for (const Algorithm& one : kAlgorithms) {
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
  for (const Algorithm& one : kAlgorithms) add(names, {one.name});
  std::size_t index = 0;
  const auto parse = [&](const Scalar& s) { return parse_choice(s.text, names); };
  if (!section.read(index, parse)) return;
  refuse_others(section, names[index]);
  const Algorithm* algorithm = nullptr;
  for (const Algorithm& one : kAlgorithms) {
    const bool marked = one.marked_by.empty() || section.has(one.marked_by);
    if (one.name == names[index] && marked) algorithm = &one;
  }
  limit.limit.parameters = algorithm->defaults;
  std::visit([&]<class P>(P& p) { read(section, kRows<P>, p); }, limit.limit.parameters);
  if (algorithm->is_paced) read(section, kBurst, limit);
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
  std::visit([&]<class P>(const P& p) { print(page, kRows<P>, p); }, parameters);
  if (algorithm_of(parameters).is_paced) print(page, kBurst, limit);
}

// The algorithm with all its parameters.
Field<Limit> algorithm() {
  Field<Limit> field = custom<Limit>(Kind::choice, "name", read_algorithm, print_algorithm);
  for (const Algorithm& one : kAlgorithms) add(field.choices, {one.name});
  field.advice = "write " + either(field.choices);
  return field;
}

// A parameter where people look it up: as the first that has it tells it, with the widest bounds.
Field<Limit> parameter(std::string_view name) {
  std::vector<Option> all;
  for (const Algorithm& one : kAlgorithms) {
    std::visit([&]<class P>(const P& p) { describe(kRows<P>, "", p, all); }, one.defaults);
  }
  describe(kBurst, "", Limit{}, all);
  std::erase_if(all, [&](const Option& one) { return one.name != name; });
  Field<Limit> field = read_elsewhere<Limit>();
  static_cast<OptionTraits&>(field) = all.front();
  for (const Option& one : all) widen(field, one);
  field.advice.clear();
  field.default_words = all.front().default_value;
  return field;
}

}  // namespace

const Rows<Limit> kLimit = {
    {"algorithm", algorithm(),
     "What the limit promises. `sliding_log`: never more than `limit` in any `window`; "
     "`sliding_window`: the same, counted in slices; `fixed_window`: at most `limit` in each "
     "window, so up to twice that across an edge; `counter`: the same with windows that open at "
     "the first record; `token_bucket`: `rate` in the long run and at most `burst` at once; "
     "`gcra`: the same, kept as one instant; `leaky_bucket`: the same with `mode: meter`, evenly "
     "spaced with `mode: queue`; `smooth`: a token bucket whose waits are at most `timeout`, "
     "optionally with a warm-up; `concurrency`: at most `limit` attempts in flight."},
    {"limit", parameter("limit"),
     "Permits in a window, or attempts in flight; with `sliding_window` (`log: newest`: at most "
     "100,000), `fixed_window`, `counter`, `sliding_log` and `concurrency` (10,000,000)."},
    {"window", parameter("window"),
     "The window's length; with `sliding_log`, `sliding_window`, `fixed_window` and `counter`."},
    {"align", parameter("align"),
     "Where windows begin: at multiples of their length since 1970, or at an offset that differs "
     "from key to key; with `fixed_window`."},
    {"slices", parameter("slices"),
     "Number of slices of the window that are counted separately; the partly expired one counts in "
     "full; with `sliding_window`."},
    {"log", parameter("log"),
     "`newest` keeps the time of each permit in the newest slice, which regains up to one slice of "
     "throughput; with `sliding_window`."},
    {"rate", parameter("rate"),
     "Permits that come back; with `token_bucket`, `gcra`, `leaky_bucket` and `smooth`. `0/s` "
     "denies everything: records wait, or go to the `dead_letter` topic if there is one."},
    {"even", parameter("even"),
     "The part of the window over which permits that must wait are spread, in groups of 5 ms, "
     "instead of all coming at once when the window frees them; 0% to 95%; with `sliding_log`."},
    {"burst", parameter("burst").defaults_to("see text"),
     "The most permits at once; required with `token_bucket`, `gcra` and `smooth`. Optional with "
     "`sliding_log`, `sliding_window`, `fixed_window` and `counter`: at most this many at once, "
     "and the rest evenly spread."},
    {"start", parameter("start"),
     "How a new bucket starts: full, so that `burst` plus a second's rate pass in its first "
     "second, or empty. A bucket that was not used for an hour is new again; with `token_bucket`."},
    {"capacity", parameter("capacity"),
     "Size of the bucket: with `mode: meter` the most at once, with `mode: queue` the most that "
     "wait for their turn; with `leaky_bucket`."},
    {"mode", parameter("mode"),
     "`meter` lets a burst through and denies what does not fit, `queue` spaces permits evenly; "
     "with `leaky_bucket`."},
    {"timeout", parameter("timeout"),
     "No permit is promised further ahead than this; with `smooth`."},
    {"pay", parameter("pay").defaults_to("see text"),
     "`now` (default): an expensive record waits for its own cost. `next` (default with "
     "`warm_up`): it leaves at once and the record after it waits, as in Guava; with `smooth`."},
    {"warm_up", parameter("warm_up").defaults_to("none"),
     "How long it takes, after a quiet time, to rise from a third of the rate to all of it; "
     "replaces `burst`; with `smooth`."},
    {"lease", parameter("lease"),
     "After this time a permit is freed if its gate has died; must be longer than the targets' "
     "`timeout`, `use_within` and `redis.timeout` together; with `concurrency`."},
    {"store", choice(&Limit::store, {"memory", "redis"}),
     "`redis` is shared by all gates, `memory` is for this process only."},
    {"key", key(&Limit::key).called("text"),
     "One bucket for each value of: `record_key`, `topic`, `partition`, `header:NAME`, "
     "`json:/pointer`; `none` is one bucket for all."},
    {"cost", limit_cost().live(),
     "Permits that one delivery attempt takes: a whole number, `header:NAME` or `json:/pointer` "
     "for a number in the record, or `bytes` for the size of its value."},
    {"default_cost",
     number(&Limit::default_cost, 1, kMostCost)
         .only_where(
             [](const Limit& limit) { return limit.limit.cost_from_record; }, {"cost"},
             "is for records whose cost cannot be read, but here all cost the same; leave it out")
         .defaults_to("see text")
         .live(),
     "Cost of a record whose own cost cannot be read (default 1); only with a cost from the "
     "record."},
    {"bad_key", choice(&Limit::bad_key, {"default", "dead_letter"}).live(),
     "What happens to a record whose key or cost cannot be read: it uses the bucket of the empty "
     "key with `default_cost`, or it goes to the route's dead letter topic."},
    {"spread", truth(&Limit::spread),
     "Let a Redis Cluster spread the buckets of different keys over its nodes. All limits of a "
     "route must be spread by the same key, or none."},
    {"horizon", duration(&Limit::horizon, {}, hours(1)).defaults_to("see text").live(),
     "How far ahead permits may be granted; 0 is plain deny and retry. The default is 500ms, with "
     "`smooth` its `timeout`, and 0 for algorithms that grant nothing ahead."},
    {"strict", truth(&Limit::strict).live(),
     "Use a permit within 1ms of its instant or give it back; the window of `sliding_log` and "
     "`sliding_window` is then 1ms longer."},
    {"use_within",
     duration(&Limit::use_within, {1}, seconds(4))
         .only_where([](const Limit& limit) { return !limit.strict; }, {"strict"},
                     "stands beside strict, which uses permits within 1ms; leave one out")
         .live(),
     "A permit that is not used this long after its instant is given back and requested again."},
    {"on_outage", choice(&Limit::on_outage, {"hold", "pass", "local_share"}).live(),
     "What happens while the store does not answer: records wait, pass without this limit, or pass "
     "under this gate's share of it (limit / `instances`)."},
    {"share", reference(&Limit::share, "share", &Config::shares),
     "The share by which the flows of all gates divide this limit; its routes have the same. "
     "Without `key`, and for algorithms that grant permits ahead."},
    {"shadow", truth(&Limit::shadow),
     "Evaluate the limit on live records and count what it would have done, without enforcing it."},
    {"overrides", overrides(),
     "Other numbers for single keys: a key, or `BEGIN*` for keys that begin with BEGIN (the "
     "longest match wins)."},
    {"schedule", schedule(),
     "Other numbers at some times of the week: `HH:MM-HH:MM DAYS ZONE`, as `08:00-18:00 Mon-Fri "
     "Europe/Berlin`. Keys with a quota or an entry of `overrides` keep theirs."},
};

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
  return std::visit([]<class P>(const P&) { return names_in(kRows<P>); }, parameters);
}

Section::Names all_parameters() { return taken_by(); }

Section::Names live_parameters(const Limit& limit) {
  Section::Names names = std::visit([]<class P>(const P&) { return names_in(live_rows(kRows<P>)); },
                                    limit.limit.parameters);
  if (has_pace(limit)) names.push_back("burst");
  return names;
}

void print_live(PrintedPage& page, const Limit& limit) {
  const limits::Parameters parameters = as_written(limit);
  std::visit([&]<class P>(const P& p) { print(page, live_rows(kRows<P>), p); }, parameters);
  if (limit.burst.value > 0) print(page, kBurst, limit);
}

std::string_view algorithm_name(const limits::Parameters& parameters) {
  return algorithm_of(parameters).name;
}

}  // namespace einlass::config
