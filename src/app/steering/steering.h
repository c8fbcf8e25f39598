// The quotas, weights and pauses of the fleet, as its table has them: takes in what is written
// there, puts it in force in this process, writes what people ask for, and says what holds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/clock/clock.h"
#include "app/permits/limit_values.h"
#include "app/permits/pauses.h"
#include "app/record/flow_weights.h"
#include "app/steering/known_entry.h"
#include "app/steering/steer.h"
#include "config/model/config.h"
#include "units/fleet_table.h"
#include "units/notice.h"

namespace einlass::app {

// REQUIRES: used on the thread that runs `io`; outlived by what the constructor is given.
class Steering final : public FleetTable::Listener {
 public:
  // Entries of the table that are taken in; what is beyond is refused.
  static constexpr std::size_t kMostEntries = 200'000;

  // Refused and ended entries that are remembered, and entries on one page.
  static constexpr std::size_t kMostRefused = 10'000;
  static constexpr std::size_t kMostOver = 10'000;  // That have ended, and can be taken out.
  static constexpr std::size_t kMostNamed = 1'000;
  static constexpr std::size_t kMostReasons = 20;  // Why the table is away, that are told.

  // For how long who writes waits until this gate has read it, after the table has it.
  static constexpr Duration kReadBack = Duration::seconds(2);

  using MakeTable = std::function<std::unique_ptr<FleetTable>(FleetTable::Listener&)>;

  struct Callbacks {
    Notify notify;
    std::function<void(const Pauses&)> paused;  // Something else is paused now.
    std::function<void()>
        ready;  // Called once, when the whole table was read; at once without one.
  };

  Steering(boost::asio::io_context& io, const config::Config& config, LimitValues& values,
           FlowWeights& weights, const Clock& clock, Callbacks callbacks);
  ~Steering();

  // Begins to read. `make` is not called where the configuration has no quotas; it may throw.
  void start(const MakeTable& make);

  // Another configuration: each entry is looked at again, some at once and the others soon; until
  // then it holds as it did. REQUIRES: no change needs a restart; it outlives the next call.
  void reconfigure(const config::Config& config);

  struct Outcome {
    unsigned status = 200;  // Of HTTP: 200 in force here, 202 written, 400, 404, 409 no table, 503.
    std::string text;       // What is wrong, as a sentence; empty with 2xx.
  };
  using Done = std::function<void(const Outcome& outcome)>;

  // `who` is for the log: where the request came from.
  void set(const Subject& subject, Steer steer, const std::string& who, Done done);
  // Also takes out of the table what has ended by itself.
  void unset(const Subject& subject, const std::string& who, Done done);

  // ---- what holds ----

  struct Entry {
    std::string key;  // Of the table.
    Steer steer;
  };
  std::optional<Steer> find(const Subject& subject) const;

  // The same of a pause by what records know: of a key that is too long for them, its hash.
  std::optional<Steer> find_pause(const Subject& subject) const;

  // The weight that is set for a flow of a share, as FlowWeights has it.
  std::optional<std::uint16_t> weight(std::string_view share, std::string_view flow) const {
    return weights_.find(share, flow);
  }

  // At most `most` quotas of that limit, or weights of that `share:SHARE`, or of all where it is
  // empty, in the order of the table's keys, from behind the key `after`.
  std::vector<Entry> quotas(std::string_view limit, std::string_view after, std::size_t most) const;

  // At most `most`: first of the routes, targets and topics, and then of the keys, of which
  // there may be many.
  std::vector<Entry> pauses(std::size_t most = kMostNamed) const;

  // Of one limit, all of them: there may be more than can be named.
  struct PausedKeys {
    std::string limit;
    Entry first;
    std::int64_t since_ms = 0;  // Of the earliest; 0: not said.
    std::size_t number = 0;
  };
  std::vector<PausedKeys> paused_keys() const;

  struct Status {
    bool has_table = false;
    bool whole = false;      // It was read as a whole once.
    std::string away;        // Why what is known may be old; empty: it is not.
    Instant away_since;      // With `away`.
    std::size_t quotas = 0;  // The weights among them.
    std::size_t pauses = 0, refused = 0;
  };
  Status status() const;

  // The first of the refused entries, with what is wrong with each.
  std::vector<std::pair<std::string, std::string>> refused(std::size_t most) const;

  void reading() override;
  void entry(std::string_view key, std::optional<std::string_view> text) override;
  void whole() override;
  void away(const std::string& why) override;

 private:
  struct Refused {
    std::string why;
    std::string text;  // Another configuration may take it; empty: none would.
    bool seen = true;
    bool told = false;
  };
  struct Awaited {
    std::string key;
    std::optional<std::string> text;
    Instant patience;
    Done done;
  };
  using Entries = std::set<KnownEntry, KnownEntry::ByKey>;

  std::string put_in_force(const std::string& key, std::string_view text);
  void keep(const std::string& key, std::string_view text, const Steer& steer);
  void take_out_of_force(const Subject& subject);
  void ends_no_more(const KnownEntry& entry);
  void forget(Entries::iterator at);
  static Entry entry_of(const KnownEntry& known);
  void remember_over(const std::string& key, bool seen);
  void refuse(const std::string& key, const std::string& why, std::string text);
  void tell_of(const std::string& key, Refused& refused);
  void refuse_no_more(const std::string& key);
  void recheck_some();
  void recheck_entries();
  void recheck_refused();
  void unsee(const std::string& key);
  // Together, for each shard looks at all of its lines then: when all that has just come was taken
  // in, or before somebody who waits for one of them is answered.
  void tell_pauses();
  void write(const Subject& subject, std::optional<std::string> text, const std::string& who,
             Done done);
  void read_back_gone();
  void read_back(const std::string& key, const std::optional<std::string>& text);
  void end_over();
  void tick();
  void tick_after(std::chrono::milliseconds pause);
  // On the system's clock as it stands, for `until` is what people mean by a time of day.
  static std::int64_t now_ms() { return Clock::wall().us / 1000; }

  boost::asio::io_context& io_;
  const config::Config* config_;
  LimitValues& values_;
  FlowWeights& weights_;
  const Clock& clock_;
  const Callbacks callbacks_;
  std::unique_ptr<FleetTable> table_;              // Null without quotas in the configuration.
  Entries entries_;                                // In force, all of them.
  std::multimap<std::int64_t, std::string> ends_;  // By until_ms.
  std::map<std::string, Refused> refused_;
  std::map<std::string, bool> over_;  // Ended, and in the table still; whether seen, as above.
  std::size_t quotas_ = 0;            // And weights.
  Pauses pauses_;
  bool pauses_changed_ = false;
  bool whole_ = false;
  bool is_reading_ = true;  // What is wrong in the table may be mended by what comes behind it.
  std::string away_;
  Instant away_since_;
  std::set<std::string> told_away_;  // Since it was well.
  struct Recheck {
    bool in_force = true;  // Of the entries; else of the refused ones.
    std::string key{};     // From there on.
  };
  std::optional<Recheck> recheck_from_;  // Under a new configuration.
  std::list<Awaited> awaited_;
  boost::asio::steady_timer tick_;
  bool ticks_soon_ = false;
};

}  // namespace einlass::app
