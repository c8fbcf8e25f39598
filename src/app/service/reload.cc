#include "app/service/reload.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "app/setup/refused.h"
#include "config/file/located.h"

namespace einlass::app {

Reload::Reload(std::string path, Config config, Shards& shards, const Clock& clock, Notify notify,
               Applied applied)
    : path_(std::move(path)),
      config_(std::move(config)),
      shards_(shards),
      clock_(clock),
      notify_(std::move(notify)),
      applied_(std::move(applied)) {
  state_.succeeded_at = clock_.now();
}

void Reload::begin(const Done& done) {
  if (under_way_) return done({409, "a reload is under way; ask again when it is done\n"});
  if (shards_.stopping()) {
    return done({409, "the gate drains and ends: the next one reads the file\n"});
  }
  auto read = config::read_config(path_, config::process_environment());
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) {
    return done(refuse_wrong(*mistakes));
  }
  const auto& next = std::get<config::Config>(read);
  if (const std::string refusal = refused_by_kafka(next); !refusal.empty()) {
    return done(refuse_wrong(config::located(next, path_, refusal)));
  }
  const std::vector<config::Changed> changes = config::changes(*config_, next);
  const bool restart = std::any_of(changes.begin(), changes.end(), [](const config::Changed& it) {
    return !it.needs_restart.empty();
  });
  if (restart) return done(refuse_restart(changes));
  apply(next, changes, done);
}

void Reload::begin_in_turn(const Done& done) {
  if (!under_way_) return begin(done);
  next_ = done;
}

void Reload::begin_next() {
  if (next_) begin(std::exchange(next_, nullptr));
}

void Reload::apply(const config::Config& as_written, const std::vector<config::Changed>& changes,
                   const Done& done) {
  auto config = std::make_shared<const config::Config>(config::in_order_of(*config_, as_written));
  std::string text;
  for (const config::Changed& change : changes) text += change.to_string() + "\n";
  if (text.empty()) text = "nothing has changed\n";
  under_way_ = true;
  try {
    shards_.reconfigure(config, [this, text, done](const Views& views) {
      under_way_ = false;
      std::string late;
      for (std::size_t i = 0; i < views.answered.size(); ++i) {
        if (views.answered[i]) continue;
        late += "shard " + std::to_string(i) +
                " does not answer; it takes the change when it does again\n";
      }
      done({200, text + late});
      begin_next();
    });
  } catch (const std::exception& error) {  // A target that cannot be made so.
    under_way_ = false;
    const std::string file = refused_files(*config);  // Names the option.
    const std::string why = file.empty() ? error.what() : file;
    return done(refuse_wrong(config::located(*config, path_, why)));
  }
  config_ = std::move(config);
  applied_(*config_, as_written);
  ++state_.applied;
  state_.succeeded_at = clock_.now();
  keep(true, {200, text});
  std::replace(text.begin(), text.end(), '\n', ';');
  text.pop_back();
  notify_({Severity::info, "config_reloaded", path_ + ": " + text});
}

Reload::Outcome Reload::refuse_wrong(const config::Mistakes& mistakes) {
  std::string text;
  for (const config::Mistake& mistake : mistakes) {
    notify_({Severity::error, "config_wrong", mistake.to_string()});
    text += mistake.to_string() + "\n";
  }
  ++state_.wrong;
  return keep(false, {400, text});
}

Reload::Outcome Reload::refuse_wrong(const std::string& text) {
  notify_({Severity::error, "config_wrong", text});
  ++state_.wrong;
  return keep(false, {400, text + "\n"});
}

Reload::Outcome Reload::refuse_restart(const std::vector<config::Changed>& changes) {
  std::string text;
  for (const config::Changed& change : changes) {
    if (change.needs_restart.empty()) continue;
    const std::string line = path_ + ": " + change.to_string() +
                             " needs a restart: " + std::string(change.needs_restart) +
                             "; nothing was changed";
    notify_({Severity::error, "config_needs_restart", line});
    text += line + "\n";
  }
  ++state_.needs_restart;
  return keep(false, {409, text});
}

Reload::Outcome Reload::keep(bool successful, Outcome outcome) {
  state_.successful = successful;
  state_.at = clock_.now();
  state_.said = outcome.text;
  return outcome;
}

}  // namespace einlass::app
