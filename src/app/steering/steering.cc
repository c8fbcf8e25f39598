#include "app/steering/steering.h"

#include <chrono>
#include <utility>

#include "app/steering/entry_check.h"

namespace einlass::app {
namespace {

constexpr std::chrono::milliseconds kTick{100};

// Entries that another configuration is held against at once: each takes some 20 us, and whoever
// else is served on this thread waits meanwhile.
constexpr int kRecheckedAtOnce = 500;
constexpr std::chrono::milliseconds kBetweenRechecks{1};

// Of a key that is too long to be one, for those who are to find it.
constexpr std::size_t kShownOfLongKey = 100;

// One that has ended by itself: the table keeps it until somebody takes it out.
bool is_over(const std::string& key, std::string_view text, std::int64_t now_ms) {
  const auto subject = subject_of(key);
  const bool may_end = text.size() <= kLongestTableValue && text.find("until") != text.npos;
  if (!subject || !may_end) return false;
  const auto read = read_steer(*subject, text);
  const auto* steer = std::get_if<Steer>(&read);
  return steer != nullptr && steer->over(now_ms);
}

}  // namespace

Steering::Steering(boost::asio::io_context& io, const config::Config& config, LimitValues& values,
                   FlowWeights& weights, const Clock& clock, Callbacks callbacks)
    : io_(io),
      config_(&config),
      values_(values),
      weights_(weights),
      clock_(clock),
      callbacks_(std::move(callbacks)),
      tick_(io) {
  pauses_.routes.resize(config.routes.size());
  pauses_.targets.resize(config.targets.size());
  pauses_.keys.resize(config.limits.size());
}

Steering::~Steering() = default;

void Steering::start(const MakeTable& make) {
  if (!config_->quotas) return callbacks_.ready();
  table_ = make(*this);
  away_since_ = clock_.now();
  away_ = "it was not read yet";
  tick();
}

// Ends what is over, and the patience of who waits.
void Steering::tick() {
  ticks_soon_ = false;
  end_over();
  const Instant now = clock_.now();
  while (!awaited_.empty() && awaited_.front().patience <= now) {
    const Awaited awaited = std::move(awaited_.front());
    awaited_.pop_front();
    awaited.done({202, ""});
  }
  if (recheck_from_) recheck_some();
  if (whole_) tell_pauses();
  tick_after(recheck_from_ ? kBetweenRechecks : kTick);
}

void Steering::tick_after(std::chrono::milliseconds pause) {
  tick_.expires_after(pause);
  tick_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Steering::reconfigure(const config::Config& config) {
  config_ = &config;
  if (!table_) return;
  recheck_from_ = Recheck{};
  tick();
}

// First those that are in force, then those that are not.
void Steering::recheck_some() {
  if (recheck_from_->in_force) recheck_entries();
  if (!recheck_from_->in_force) recheck_refused();
}

void Steering::recheck_entries() {
  auto at = entries_.lower_bound(recheck_from_->key);
  for (int i = 0; i < kRecheckedAtOnce && at != entries_.end(); ++i) {
    const auto here = at++;
    const std::string key(here->key());
    const std::string why = put_in_force(key, here->text());
    if (why.empty()) continue;
    // Where something newer was refused already, that is what the table has.
    const auto newer = refused_.find(key);
    std::string text = newer == refused_.end() ? std::string(here->text()) : newer->second.text;
    const bool seen = newer == refused_.end() ? here->seen() : newer->second.seen;
    forget(here);
    refuse(key, why, std::move(text));
    if (!seen) unsee(key);
  }
  const bool more = at != entries_.end();
  recheck_from_ = {more, more ? std::string(at->key()) : ""};
}

void Steering::recheck_refused() {
  auto at = refused_.lower_bound(recheck_from_->key);
  for (int i = 0; i < kRecheckedAtOnce && at != refused_.end(); ++i) {
    const auto [key, refused] = *at++;
    if (refused.text.empty()) continue;
    entry(key, refused.text);
    if (!refused.seen) unsee(key);
  }
  if (at == refused_.end()) return recheck_from_.reset();
  recheck_from_->key = at->first;
}

// ---- what the table says ----

void Steering::reading() {
  is_reading_ = true;
  for (const KnownEntry& known : entries_) known.set_seen(false);
  for (auto& [key, refused] : refused_) refused.seen = false;
  for (auto& [key, seen] : over_) seen = false;
}

// The table was not heard to have it still, since it is being read again.
void Steering::unsee(const std::string& key) {
  if (const auto at = entries_.find(key); at != entries_.end()) at->set_seen(false);
  if (const auto at = refused_.find(key); at != refused_.end()) at->second.seen = false;
  if (const auto at = over_.find(key); at != over_.end()) at->second = false;
}

void Steering::entry(std::string_view key_view, std::optional<std::string_view> text) {
  if (key_view.size() > kLongestTableKey) {
    const std::string shown = std::string(key_view, 0, kShownOfLongKey).append("...");
    if (!text) return refuse_no_more(shown);
    return refuse(shown, "its key is longer than " + std::to_string(kLongestTableKey), "");
  }
  const std::string key(key_view);
  const auto at = entries_.find(key);
  if (at != entries_.end()) at->set_seen(true);
  if (const auto refused = refused_.find(key); refused != refused_.end()) {
    refused->second.seen = true;
  }
  const bool over = text && is_over(key, *text, now_ms());
  over_.erase(key);
  if (over) remember_over(key, true);
  if (!text || over) {
    refuse_no_more(key);
    if (at != entries_.end()) forget(at);
  } else if (at == entries_.end() || at->text() != *text) {
    std::string why = at == entries_.end() && entries_.size() >= kMostEntries
                          ? "there are too many; at most " + std::to_string(kMostEntries)
                          : put_in_force(key, *text);
    if (why.empty()) {
      refuse_no_more(key);
    } else {
      refuse(key, why, std::string(*text));
    }
  } else {
    refuse_no_more(key);  // It is what holds, once more.
  }
  if (whole_ && pauses_changed_ && !std::exchange(ticks_soon_, true)) tick_after({});
  read_back(key, text ? std::optional(std::string(*text)) : std::nullopt);
}

void Steering::whole() {
  std::size_t gone = 0;
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto here = at++;
    if (here->seen()) continue;
    forget(here);
    ++gone;
  }
  if (gone > 0) {
    // What somebody takes out while it is followed is heard by itself: the table may have lost
    // these.
    const bool all = entries_.empty();
    callbacks_.notify(
        {all ? Severity::warning : Severity::info, "quotas_gone",
         std::to_string(gone) +
             " of the quotas and pauses hold no more: the table was read again and does not "
             "have them" +
             (all ? "; it is empty" : "")});
  }
  is_reading_ = false;
  std::erase_if(refused_, [](const auto& one) { return !one.second.seen; });
  for (auto& [key, refused] : refused_) tell_of(key, refused);
  std::erase_if(over_, [](const auto& one) { return !one.second; });
  end_over();
  tell_pauses();
  read_back_gone();
  away("");
  if (!std::exchange(whole_, true)) callbacks_.ready();
}

void Steering::away(const std::string& why) {
  if (why == away_) return;
  if (!why.empty() && away_.empty()) away_since_ = clock_.now();
  const bool was = !away_.empty();
  away_ = why;
  if (!why.empty()) {
    // Of a cluster another node is asked each time, and has words of its own.
    const bool told = told_away_.size() >= kMostReasons || !told_away_.insert(why).second;
    callbacks_.notify({told ? Severity::debug : Severity::warning, "quotas_away",
                       "the table of quotas and pauses cannot be read: " + why +
                           "; what was last read stays in force"});
    return;
  }
  told_away_.clear();
  if (was && whole_) {
    callbacks_.notify(
        {Severity::info, "quotas_ok", "the table of quotas and pauses is followed again"});
  }
}

// ---- what people ask for ----

void Steering::set(const Subject& subject, Steer steer, const std::string& who, Done done) {
  const std::string why = refusal_of(*config_, subject, steer, nullptr);
  if (!why.empty()) return done({400, why});
  if (steer.over(now_ms())) return done({400, "its end (until) is over already"});
  std::string text = text_of(subject, steer);
  if (text.size() > kLongestTableValue) return done({400, "that is too long"});
  write(subject, std::move(text), who, std::move(done));
}

void Steering::unset(const Subject& subject, const std::string& who, Done done) {
  const std::string key = table_key(subject);
  const bool known = entries_.contains(key) || refused_.contains(key) || over_.contains(key);
  if (!known) return done({404, not_there(subject)});
  write(subject, std::nullopt, who, std::move(done));
}

void Steering::write(const Subject& subject, std::optional<std::string> text,
                     const std::string& who, Done done) {
  if (!table_) {
    return done({409,
                 "the configuration has no quotas; write quotas: {topic: NAME} or "
                 "quotas: {redis: true}, and restart the gate"});
  }
  const std::string key = table_key(subject);
  if (key.size() > kLongestTableKey) return done({400, "the key is too long"});
  const auto before = entries_.find(key);
  const std::string said = "by " + who + ": " + to_text(subject) + ": " +
                           (before == entries_.end() ? "nothing" : std::string(before->text())) +
                           " -> " + text.value_or("nothing");
  table_->write(key, text, [this, key, text, said, done = std::move(done)](const std::string& why) {
    if (!why.empty()) {
      callbacks_.notify(
          {Severity::warning, "steered", said + "; may not have been written: " + why});
      return done({503, "it may not have been written: " + why});
    }
    callbacks_.notify({Severity::info, "steered", said});
    const auto now = entries_.find(key);
    const bool holds = text ? now != entries_.end() && now->text() == *text : now == entries_.end();
    if (holds) {
      tell_pauses();
      return done({200, ""});
    }
    awaited_.push_back({key, text, clock_.now() + kReadBack, done});
  });
}

// Of an entry that was taken out just before the table was read again nothing is told.
void Steering::read_back_gone() {
  std::vector<std::string> gone;
  for (const Awaited& one : awaited_) {
    if (!one.text && !entries_.contains(one.key)) gone.push_back(one.key);
  }
  for (const std::string& key : gone) read_back(key, std::nullopt);
}

void Steering::read_back(const std::string& key, const std::optional<std::string>& text) {
  for (auto at = awaited_.begin(); at != awaited_.end();) {
    const auto here = at++;
    if (here->key != key || here->text != text) continue;
    const Done done = std::move(here->done);
    awaited_.erase(here);
    tell_pauses();
    const auto refused = refused_.find(key);
    const bool holds = refused == refused_.end();
    done(holds ? Outcome{200, ""}
               : Outcome{400, "the table has it, and it is refused: " + refused->second.why});
  }
}

}  // namespace einlass::app
