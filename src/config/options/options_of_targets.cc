// targets.NAME, whatever its kind.
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

// A target has one of the kinds.
template <class T>
Field<Target> kind(const Rows<T>& rows, Check<T> check) {
  return section_of<Target>(
      false, rows, check, [](Target& target) -> T& { return target.kind.emplace<T>(); },
      [](const Target& target) { return std::get_if<T>(&target.kind); });
}

void check_retry(Section& section, TargetRetry& retry) {
  refuse_longer(section, "initial", retry.initial, "max", retry.max);
}

// A budget of 0% would starve retries for as long as new records come.
const Rows<TargetRetry> kRetry = {
    {"initial", duration(&TargetRetry::initial, millis(1), hours(1)).live(),
     "Upper bound of the first delay; it doubles with each attempt."},
    {"max", duration(&TargetRetry::max, millis(1), hours(24)).live(), "Upper bound of the delay."},
    {"budget", percent(&TargetRetry::budget, 1, 100),
     "Most of the target's attempts that may be retries while fresh records could go instead; 100% "
     "is first come, first served."},
};

void check_breaker(Section& section, Breaker& breaker) {
  refuse_longer(section, "wait", breaker.wait, "max_wait", breaker.max_wait);
}

const Rows<Breaker> kBreaker = all_live<Breaker>({
    {"failures", number(&Breaker::failures, 0, 1'000'000),
     "After this many consecutive failed attempts the breaker opens, and single attempts probe the "
     "target; 0 = no breaker."},
    {"wait", duration(&Breaker::wait, millis(1), hours(1)),
     "How long nothing is sent before one attempt probes the target; doubled once three different "
     "records have failed as probes."},
    {"max_wait", duration(&Breaker::max_wait, millis(1), hours(24)), "Upper bound of the delay."},
});

// A request with fresh records and retries in it is neither.
void refuse_budget(Section& section, TargetRetry& retry, const char* beside) {
  if (section.has("budget") && retry.budget < 100) {
    section.wrong("budget", std::string("cannot be kept with ") + beside +
                                ", for a request may hold both kinds; write 100%, or leave it "
                                "out");
  }
  retry.budget = 100;
}

}  // namespace

const Rows<Target> kTarget = {
    {"http", kind(kHttp, check_http).defaults_to("see text"),
     "Deliver to an HTTP server; a target has this or `kafka`."},
    {"kafka", kind(kKafkaTarget, check_kafka_target).defaults_to("see text"),
     "Deliver to a Kafka topic; a target has this or `http`."},
    {"retry", section(&Target::retry, kRetry, check_retry),
     "When failed attempts are retried, unless a route says otherwise."},
    {"breaker", section(&Target::breaker, kBreaker, check_breaker),
     "The circuit breaker: when nothing is sent to a failing target."},
};

void refuse_longer(Section& section, std::string_view shorter, Duration first,
                   std::string_view longer, Duration second) {
  if (first <= second) return;
  const std::string_view name = section.has(shorter) ? shorter : longer;
  if (!section.has(name)) return;
  section.wrong(name, std::string(shorter) + " (" + to_text(first) + ") is longer than " +
                          std::string(longer) + " (" + to_text(second) + ")");
}

void check_target(Section& section, Target& target) {
  if (section.has("http") && section.has("kafka")) {
    section.wrong("kafka", "stands beside http; a target is one of them");
  } else if (!section.has("kafka")) {
    section.require("http", "write http: {url: http://HOST:PORT/PATH}, or kafka: {topic: TOPIC}");
  }
  Section& retry = section.opened("retry");
  const HttpTarget* http = target.http();
  if (http != nullptr && http->batch) refuse_budget(retry, target.retry, "http.batch");
  if (target.exactly_once()) refuse_budget(retry, target.retry, "kafka.exactly_once");
}

}  // namespace einlass::config
