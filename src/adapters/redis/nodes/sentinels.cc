#include "adapters/redis/nodes/sentinels.h"

#include <cstdint>
#include <utility>

#include "adapters/redis/nodes/node.h"
#include "text/number.h"

namespace einlass::redis {

std::optional<Address> read_primary(const Value& answer) {
  if (!answer.is_array_of(2)) return std::nullopt;
  const std::string& host = answer.elements[0].text;
  const auto port = whole_number<std::uint16_t>(answer.elements[1].text);
  if (host.empty() || port.value_or(0) == 0) return std::nullopt;
  return Address{host, *port};
}

Sentinels::Sentinels(boost::asio::io_context& io, const StoreOptions& options)
    : io_(io),
      options_(options),
      current_(options.run[0] % options.sentinels.size()),
      why_not_(options.sentinels.size()) {}

void Sentinels::find(Done done) {
  done_ = std::move(done);
  ask(0);
}

void Sentinels::cancel() {
  if (inquiry_) inquiry_->cancel();
  inquiry_.reset();
  done_ = nullptr;
}

void Sentinels::ask(std::size_t tried) {
  if (tried == options_.sentinels.size()) {
    const Done done = std::exchange(done_, nullptr);
    return done(std::nullopt, nobody_names_it());
  }
  const std::string_view words[] = {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options_.sentinel_name};
  inquiry_ = Inquiry::start(
      io_, endpoint(options_, options_.sentinels[current_]), options_.sentinel_login, words,
      std::chrono::microseconds(options_.timeout.us),
      [this, tried](const Value* answer, const std::string& why) { answered(tried, answer, why); });
}

void Sentinels::answered(std::size_t tried, const Value* answer, const std::string& why) {
  inquiry_.reset();
  const std::optional<Address> found = answer ? read_primary(*answer) : std::nullopt;
  if (found) {
    const Done done = std::exchange(done_, nullptr);
    return done(found, "");
  }
  why_not_[current_] = answer ? "it knows no primary of this name (redis.sentinel.name)" : why;
  pass_over();
  ask(tried + 1);
}

// In the same words as long as it is the same, whoever was asked first.
std::string Sentinels::nobody_names_it() const {
  std::string text = "No Sentinel names the Redis primary '" + options_.sentinel_name + "': ";
  for (std::size_t i = 0; i < why_not_.size(); ++i) {
    text.append(to_string(options_.sentinels[i])).append(": ").append(why_not_[i]).append("; ");
  }
  return text + "they are asked again";
}

}  // namespace einlass::redis
