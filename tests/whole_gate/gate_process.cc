#include "whole_gate/gate_process.h"

#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "config/file/read_config.h"
#include "whole_gate/gate_file.h"

namespace einlass::whole {
namespace {

struct Crash {};

constexpr Duration kDrain = Duration::seconds(10);

}  // namespace

GateProcess::GateProcess(Kernel& kernel, Judge& judge, InFlight& in_flight, TableBook& table,
                         Group& group, const Plan& plan, std::string redis, bool debug)
    : kernel_(kernel),
      judge_(judge),
      in_flight_(in_flight),
      table_(table),
      group_(group),
      plan_(plan),
      redis_(std::move(redis)),
      debug_(debug) {}

std::string GateProcess::text() const {
  return configuration(plan_, redis_, edition_) + (debug_ ? "log: {level: debug}\n" : "");
}

const config::Config& GateProcess::read() {
  auto read = config::parse_config(text(), "F",
                                   [](const std::string&) { return std::optional<std::string>(); });
  if (const auto* wrong = std::get_if<config::Mistakes>(&read)) {
    throw Broken("the configuration is refused: " + wrong->front().to_string());
  }
  configs_.push_back(
      std::make_shared<const config::Config>(std::get<config::Config>(std::move(read))));
  in_flight_.allow(most_in_flight(plan_, edition_));
  return *configs_.back();
}

void GateProcess::run() {
  while (!live()) kernel_.trace("the gate is started again");
}

// One life; false if it crashed.
bool GateProcess::live() {
  const config::Config& config = read();
  const Notify notify = [this](const Notice& notice) { told(notice); };
  boost::asio::io_context io(1);
  app::ProcessLimits limits(config);
  const app::KafkaLogins logins(io, config, notify);
  const Clock clock;
  const app::MakeSource make_source = [this](boost::asio::io_context& of_shard,
                                             core::Events& events, kafka::MessageSink& sink,
                                             const Notify&) {
    auto feed = std::make_unique<RecordFeed>(kernel_, judge_, group_, plan_.origins, of_shard,
                                             events, sink);
    feed_ = feed.get();
    return feed;
  };
  app::Shard shard(io, {}, config, limits, logins, clock, notify, make_source);
  io_ = &io;
  shard_ = &shard;
  std::optional<TableFollower> follower;
  if (config.quotas) {
    follower.emplace(io, config, limits, logins, clock, shard, table_, notify);
    follower_ = &*follower;
  }
  const bool ended = lives_on();
  follower_ = nullptr;
  feed_ = nullptr;
  shard_ = nullptr;
  io_ = nullptr;
  return ended;
}

// Not before the table is known, unless it is to leave at once. False if it crashed.
bool GateProcess::lives_on() {
  try {
    while (follower_ != nullptr && !follower_->is_ready() && !stopping_) io_->run_one();
    if (!shard_->run()) throw Broken("it gave up");
    look_at_books();
    return true;
  } catch (const Crash&) {
    judge_.forgets_uncommitted();
    return false;
  }
}

void GateProcess::crash() { throw Crash(); }

void GateProcess::reload() {
  if (io_ == nullptr || stopping_) return;
  kernel_.trace("reload");
  boost::asio::post(*io_, [this] {
    const config::Config& before = *configs_.back();
    ++edition_;
    const config::Config& after = read();
    shard_->reconfigure(configs_.back(), shard_->make_targets(before, after));
    if (follower_ != nullptr) follower_->reconfigure(after);
  });
}

void GateProcess::stop() {
  stopping_ = true;
  boost::asio::post(*io_, [this] { shard_->stop(kDrain); });
}

void GateProcess::take_away(std::size_t partition) {
  if (feed_ != nullptr) feed_->take_away(partition);
}

void GateProcess::wake() {
  if (feed_ != nullptr) feed_->wake();
}

void GateProcess::look_at_table() {
  if (follower_ != nullptr) follower_->look_at_table();
}

void GateProcess::look_at_books() const {
  for (std::uint16_t route = 0; route <= plan_.origins.back().route; ++route) {
    const core::RouteStats& stats = shard_->gate().stats(core::RouteId{route});
    if (stats.received != stats.delivered + stats.returned) throw Broken("the books do not close");
  }
}

// Redis' answers are those of a real one, so the gate must understand them.
void GateProcess::told(const Notice& notice) {
  kernel_.trace("notice " + notice.what + ": " + notice.detail);
  if (notice.detail.find("shape of its own") != notice.detail.npos) throw Broken(notice.detail);
}

}  // namespace einlass::whole
