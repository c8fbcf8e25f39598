// The servers of one target: which of them takes a request, and which of them work.
//
// They are those of the configuration or, where each record names its host, at most kMostHosts at a
// time, from when they are first named until they are no longer used. One that asks for time by
// Retry-After gets nothing until then. Each has a circuit breaker of its own
// (core/delivery/breaker.h), which tells the server that fails from the records that it fails.
//
// A host that records name, and whose breaker is open, gets nothing but probes, of records that
// have not failed before if there are any: what else is for it is turned away. Of several from the
// configuration one rests that gives no answer or says that it is unavailable (502 to 504), or
// whose breaker is open: first for kFirstRest, twice as long after each further failure up to
// kLongestRest; then it gets one request, and all it should have once that is answered. While all
// rest, they take requests as if none did, but for those that have asked for time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/client/target_options.h"
#include "adapters/http/http2/suspects.h"
#include "adapters/http/target/health.h"
#include "adapters/http/target/origin.h"
#include "adapters/http/target/target.h"
#include "core/delivery/breaker.h"
#include "units/notice.h"

namespace einlass::http {

// That records name. More are turned away while so many have requests under way.
inline constexpr std::size_t kMostHosts = 256;

// REQUIRES: used on the thread that runs `io`; outlived by it and by `owner`.
class Origins {
 public:
  // `tls` is null where there is none, and outlives this. Throws as Origin does.
  Origins(boost::asio::io_context& io, const TargetOptions& options, const TlsContext* tls,
          KeptBody kept_body, OriginOwner& owner, const Notify& notify);

  // Goes on from the servers of a target that this one replaces: with what was said of them to
  // people, and with where they are. That one rests, or has asked for time, is forgotten, as all
  // hosts are that records named. REQUIRES: called before choose().
  void take_over(const Origins& before);

  // Which takes this request. Null if none can: records name too many hosts.
  Origin* choose(const Request& request, SteadyTime now);

  // An exchange with it begins, and what has become of it. REQUIRES: judged before works() or
  // fails() is said of it.
  void begins(const Origin& origin, core::RecordId record);
  void judged(const Origin& origin, const Exchange& exchange, core::Outcome outcome,
              const Answer& answer, SteadyTime now);
  void works(const Origin& origin);
  void fails(const Origin& origin, const Answer& answer, SteadyTime now);

  // Why the last attempt at it failed, as Health has it.
  const std::string& trouble(const Origin& origin) {
    return health_of(backend_of(origin)).trouble();
  }

  // Whether some other takes requests while this one does not.
  bool others_work(const Origin& origin, SteadyTime now) const;

  // For how long nothing is to be sent to any of them, now that this one has asked for time: until
  // the first of them may be asked again. None while some other takes requests.
  std::optional<Duration> hold_after(const Origin& origin, Duration asked, SteadyTime now) const;

  // For how long a host that records name is to get nothing yet of a record, which `failed_before`
  // or did not, and why; none: it may.
  struct Pause {
    std::string_view why;
    Duration wait;
  };
  std::optional<Pause> pause_of(const Origin& origin, bool failed_before, SteadyTime now);

  // Whether no other host takes the login, and some other has refused it too.
  bool others_refuse_login(const Origin& origin) const;

  void set_authorization(std::string value);

  // To be called every now and then.
  void look(SteadyTime now);

  std::size_t in_flight() const;
  std::size_t connections() const;

  // As TargetStatus has them, of all that have some.
  std::string trouble() const;
  std::string unusable() const;
  std::string warning() const;

 private:
  static constexpr std::chrono::seconds kFirstRest{1};
  static constexpr std::chrono::seconds kLongestRest{30};
  static constexpr std::chrono::seconds kUnused{
      60};  // Then a host that a record named is forgotten.
  static constexpr Duration kWhileProbed = Duration::millis(50);
  static constexpr Duration kFreshFirst = Duration::millis(100);

  struct Backend {
    std::string url;  // Without the scheme.
    std::unique_ptr<Origin> origin;
    Health health;
    core::Breaker breaker;
    std::chrono::microseconds rest{};  // After its last failure; none: it works.
    SteadyTime rests_until{};
    std::optional<core::RecordId> tried{};  // Of the last request since it failed, if under way.
    SteadyTime asked_until{};           // By Retry-After, whatever it says meanwhile.
    std::optional<bool> takes_login{};  // By its last word on it.
  };

  void add(const TargetOptions& options);
  Origin* of_record(std::string_view host, SteadyTime now);
  bool make_room(SteadyTime now);
  void close_surplus();
  static bool rests(const Backend& backend, SteadyTime now) {
    return now < backend.rests_until || now < backend.asked_until;
  }
  static Duration left_alone_for(const Backend& backend, SteadyTime now);
  static int preference(const Backend& backend, SteadyTime now);
  Backend& first_by_key(std::string_view key, SteadyTime now);
  Backend& next_in_turn(SteadyTime now);
  Backend& backend_of(const Origin& origin);
  Health& health_of(Backend& backend) { return options_.host_of_record ? of_all_ : backend.health; }
  std::string told(const std::string& (Health::*what)() const) const;

  boost::asio::io_context& io_;
  const TargetOptions options_;
  const TlsContext* const tls_;
  const KeptBody kept_body_;
  OriginOwner& owner_;
  const Notify notify_;
  Health of_all_;  // Where records name the hosts.
  std::string authorization_;
  Suspects suspects_;
  std::vector<Backend> backends_;
  std::size_t turn_ = 0;
};

}  // namespace einlass::http
