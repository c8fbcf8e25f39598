#include "app/tracing/trace_context.h"

#include <gtest/gtest.h>

namespace einlass::app {
namespace {

constexpr const char* kTrace = "0af7651916cd43dd8448eb211c80319c";
constexpr const char* kParent = "b7ad6b7169203331";

TEST(TraceContext, IsReadAsItWasWritten) {
  const auto context = parse_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace, kTrace);
  EXPECT_EQ(context->parent, kParent);
  EXPECT_TRUE(context->sampled);
}

TEST(TraceContext, TheLastBitOfTheFlagsSaysSampled) {
  const std::string start = std::string("00-") + kTrace + "-" + kParent + "-";
  for (const auto& [flags, sampled] : {std::pair{"00", false},
                                       {"01", true},
                                       {"02", false},
                                       {"03", true},
                                       {"fe", false},
                                       {"ff", true}}) {
    const auto context = parse_traceparent(start + flags);
    ASSERT_TRUE(context) << flags;
    EXPECT_EQ(context->sampled, sampled) << flags;
  }
}

TEST(TraceContext, OfALaterVersionMayGoOn) {
  const std::string rest = std::string("-") + kTrace + "-" + kParent + "-01";
  EXPECT_TRUE(parse_traceparent("cc" + rest));
  EXPECT_TRUE(parse_traceparent("cc" + rest + "-what-the-future-brings"));
  EXPECT_FALSE(parse_traceparent("cc" + rest + "what"));
  EXPECT_FALSE(parse_traceparent("ff" + rest)) << "the one that is forbidden";
}

// The examples of what is no traceparent are those of the recommendation.
TEST(TraceContext, WhatIsNone) {
  for (const char* text : {
           "",
           "00-",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-.1",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
           "00-0af7651916cd43dd8448eb211c80319-cb7ad6b7169203331-01",
           "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
       }) {
    EXPECT_FALSE(parse_traceparent(text)) << text;
  }
}

TEST(TraceContext, OfARecordIsFoundInAnyCaseOfLetters) {
  const std::string value = std::string("00-") + kTrace + "-" + kParent + "-01";
  const std::vector<kafka::Header> headers = {{"tracestate", "a=b"}, {"TraceParent", value}};
  kafka::Message message;
  message.headers = headers;
  StoredRecord record;
  record.fill(message, core::RouteId{0});
  ASSERT_TRUE(trace_context_of(record));
  EXPECT_EQ(trace_context_of(record)->trace, kTrace);
  message.headers = {};
  record.fill(message, core::RouteId{0});
  EXPECT_FALSE(trace_context_of(record));
}

}  // namespace
}  // namespace einlass::app
