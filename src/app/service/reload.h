// Takes the configuration's file anew while the gate runs: all of it or nothing, so that what runs
// is always what one file says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/clock/clock.h"
#include "app/service/shards.h"
#include "config/file/changes.h"
#include "config/file/read_config.h"
#include "config/model/config.h"
#include "units/notice.h"

namespace einlass::app {

// What came of the reloads so far, for the admin pages.
struct ReloadState {
  bool successful = true;     // The last one; also true while there was none.
  Instant succeeded_at;       // When the running configuration was read.
  std::optional<Instant> at;  // When the last one was.
  std::string said;           // What was answered then, without shards that were late.
  std::uint64_t applied = 0;
  std::uint64_t wrong = 0;
  std::uint64_t needs_restart = 0;
};

// REQUIRES: used on the main thread; outlived by what the constructor is given.
class Reload {
 public:
  using Config = std::shared_ptr<const config::Config>;

  // Called with each new configuration once it is on its way to the shards, and with the same as it
  // stands in the file: what is said of its options goes by their positions there.
  using Applied =
      std::function<void(const config::Config& config, const config::Config& as_written)>;

  Reload(std::string path, Config config, Shards& shards, const Clock& clock, Notify notify,
         Applied applied);

  // What is said to whoever asked: an HTTP status and text of one line or more. 200: what has
  // changed, if anything, and which shards have yet to take it. 400: all mistakes of the file,
  // which changed nothing. 409: what would need a restart, so that nothing was changed; or that
  // another reload is under way, or the gate drains.
  struct Outcome {
    unsigned status = 200;
    std::string text;
  };
  using Done = std::function<void(const Outcome& outcome)>;

  // `done` is called when the shards run under the new configuration, or those that do not answer
  // have been waited for (kViewPatience), or nothing came of it.
  void begin(const Done& done);

  // The same for those to whom nobody answers: while a reload is under way, which may have read the
  // file before, this one waits for it. Of several that wait one is enough, and only the last one's
  // `done` is called.
  void begin_in_turn(const Done& done);

  // What runs.
  const config::Config& config() const { return *config_; }
  const ReloadState& state() const { return state_; }

 private:
  Outcome refuse_wrong(const config::Mistakes& mistakes);
  Outcome refuse_wrong(const std::string& text);
  Outcome refuse_restart(const std::vector<config::Changed>& changes);
  void apply(const config::Config& as_written, const std::vector<config::Changed>& changes,
             const Done& done);
  void begin_next();
  Outcome keep(bool successful, Outcome outcome);

  const std::string path_;
  Config config_;
  Shards& shards_;
  const Clock& clock_;
  const Notify notify_;
  const Applied applied_;
  ReloadState state_;
  bool under_way_ = false;
  Done next_;  // Waits for what is under way.
};

}  // namespace einlass::app
