// Replies in whole and in pieces, and what is refused.
#include "adapters/redis/wire/reply_reader.h"

#include <gtest/gtest.h>

namespace einlass::redis::testing {
namespace {

using Result = ReplyReader::Result;

TEST(RedisReplies, OfEveryKind) {
  ReplyReader reader;
  reader.feed(std::string("+OK\r\n-ERR no\r\n:-7\r\n*3\r\n:1\r\n:2\r\n:3\r\n$2\r\nhi\r\n*0\r\n"));
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().kind, Reply::Kind::status);
  EXPECT_EQ(reader.reply().text, "OK");
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().kind, Reply::Kind::error);
  EXPECT_EQ(reader.reply().text, "ERR no");
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().kind, Reply::Kind::integer);
  EXPECT_EQ(reader.reply().integers, (std::vector<std::int64_t>{-7}));
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().kind, Reply::Kind::array);
  EXPECT_EQ(reader.reply().integers, (std::vector<std::int64_t>{1, 2, 3}));
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().kind, Reply::Kind::other);
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().kind, Reply::Kind::array);
  EXPECT_TRUE(reader.reply().integers.empty());
  EXPECT_EQ(reader.next(), Result::more_needed);
}

TEST(RedisReplies, ANewerKindOfValueIsRefused) {
  for (const char* newer : {",1.5\r\n", "#t\r\n", "*2\r\n:1\r\n#f\r\n"}) {
    ReplyReader reader;
    reader.feed(std::string(newer));
    EXPECT_EQ(reader.next(), Result::broken) << newer;
  }
}

TEST(RedisReplies, ByteByByte) {
  ReplyReader reader;
  const std::string bytes = "*3\r\n:1\r\n:2\r\n:300\r\n:4\r\n";
  std::vector<std::vector<std::int64_t>> replies;
  for (const char& byte : bytes) {
    reader.feed({&byte, 1});
    while (reader.next() == Result::reply) replies.push_back(reader.reply().integers);
  }
  EXPECT_EQ(replies, (std::vector<std::vector<std::int64_t>>{{1, 2, 300}, {4}}));
}

TEST(RedisReplies, WhatIsNoIntegerSpoilsAnArrayWhereverItStands) {
  for (const char* inner :
       {"$1\r\nx\r\n", "$-1\r\n", "+x\r\n", "-x\r\n", "*1\r\n:5\r\n", "*0\r\n", "*-1\r\n"}) {
    ReplyReader reader;
    reader.feed(std::string("*3\r\n:1\r\n") + inner + ":3\r\n:9\r\n");
    ASSERT_EQ(reader.next(), Result::reply);
    EXPECT_EQ(reader.reply().kind, Reply::Kind::other) << inner;
    ASSERT_EQ(reader.next(), Result::reply) << "and only this one";
    EXPECT_EQ(reader.reply().kind, Reply::Kind::integer);
    EXPECT_EQ(reader.reply().integers, (std::vector<std::int64_t>{9}));
  }
}

TEST(RedisReplies, NoTextOfAnEarlierReplyIsLeft) {
  ReplyReader reader;
  reader.feed(std::string("*1\r\n+master\r\n*1\r\n:1\r\n"));
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().text, "master");
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().text, "");
}

TEST(RedisReplies, TheLongestArrayAndOneMore) {
  std::string bytes = "*4096\r\n";
  for (int i = 0; i < 4'096; ++i) bytes += ":1\r\n";
  ReplyReader reader;
  reader.feed(bytes);
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().integers.size(), kMaxReplyElements);
  reader.feed(std::string("*4097\r\n"));
  EXPECT_EQ(reader.next(), Result::broken);
  reader.feed(std::string(":1\r\n"));
  EXPECT_EQ(reader.next(), Result::broken);
}

TEST(RedisReplies, AnErrorsTextIsKeptUpToABound) {
  ReplyReader reader;
  reader.feed("-" + std::string(5'000, 'x') + "\r\n");
  ASSERT_EQ(reader.next(), Result::reply);
  EXPECT_EQ(reader.reply().text.size(), kMaxReplyText);
}

}  // namespace
}  // namespace einlass::redis::testing
