#include "unit/config/wrong_config.h"

namespace einlass::config {
namespace {

// The library says it, and since 0.8 it names the anchor.
TEST(WrongFile, NamesNothingThatIsNotThere) {
  const std::string said = mistakes_in("a: *nothing\n");
  EXPECT_TRUE(said.starts_with("1:4: not YAML: the referenced anchor is not defined")) << said;
}

TEST(WrongFile, IsNoYaml) {
  expect_mistakes({
      {"", " the file is empty"},
      {"# nothing but a comment\n", " the file is empty"},
      {"just text\n", "1:1: expected a section, not one value"},
      {"- a\n", "1:1: expected a section, not a list"},
      {"\004instance: a\n", "1:1: control character 0x04; YAML does not allow it"},
      {"a\377", "1:2: byte 0xff is not UTF-8"},
      {"---\n" + top("instance: a") + "---\n" + top("instance: a"),
       "5:1: a second document begins here; a file holds one configuration"},
      {"a: [1, 2\n", "1:4: not YAML: the [ here is never closed"},
      {"a: {b: 1\n", "1:4: not YAML: the { here is never closed"},
      {"a: b: c\n",
       "1:5: not YAML: illegal map value; put quotes around a text that has a colon and a space in "
       "it, and check the indentation"},
      {"a:\n\t- b\n", "2:2: not YAML: illegal block entry; indent with spaces, not with tabs"},
      {"kafka:\n  brokers: [${BROKERS}]\n",
       R"(2:12: not YAML: the [ here is never closed; put quotes around a variable inside [ ] or { }, as ["${NAME}"])"},
      {"a: 'x\n", "1:4: a quote that is never closed"},
      {"a: &pw \"secret\nb: c\n", "1:4: a quote that is never closed"},
      {"a: &pw\n  'secret\nb: c\n", "1:4: a quote that is never closed"},
      {"a: &x [*x]\n", "1:8: the alias stands inside the value that it names"},
      {"? [a]\n: b\n", "1:3: a key has to be a text"},
      {top("instance: !!str a"), "1:11: tags (as !!str) mean nothing here; leave the tag out"},
      {top("instance: !secret a"), "1:11: tags (as !!str) mean nothing here; leave the tag out"},
      {top("%YAML"), "1:1: not YAML: YAML directives must have exactly one argument"},
  });
}

TEST(WrongFile, HasWrongKeys) {
  expect_mistakes({
      {top("shard: 1"), "1:1: shard: unknown option; did you mean `shards`?"},
      {top("kafka: {gruop: a}"), "1:9: kafka.gruop: unknown option; did you mean `group`?"},
      {top("kafka: {group_id: a}"), "1:9: kafka.group_id: unknown option; did you mean `group`?"},
      {top("kafka: {bootstrap.servers: a}"),
       "1:9: kafka.bootstrap.servers: unknown option; did you mean `brokers`?"},
      {top("kafka: {colour: red}"),
       "1:9: kafka.colour: unknown option; known here: brokers, group, static_membership, "
       "commit_interval, commit_records, revoke_timeout, auto_offset_reset, properties, security, "
       "aws_region or oauth"},
      {top("kafka: {group: a, group: b}"), "1:19: kafka.group: written twice; keep one of them"},
      {top("kafka: {group: a}\nkafka: {group: b}"), "2:1: kafka: written twice; keep one of them"},
      {top("kafka: &k {group: a}\nredis:\n  <<: *k"),
       "3:3: redis.<<: merge keys are not supported; write the options out, or use an alias for "
       "the whole value"},
      {top("kafka: a"), "1:8: kafka: expected a section, not one value"},
      {top("kafka: [a]"), "1:8: kafka: expected a section, not a list"},
      {top("instance: [a]"), "1:11: instance: expected one value, not a list"},
      {top("instance: {a: b}"), "1:11: instance: expected one value, not a section"},
      {top("instance:"), "1:1: instance: has no value; write one, or leave the option out"},
      {top("kafka: {group: }"),
       "1:16: kafka.group: has no value; write one, or leave the option out"},
      {top("~: 1"), "1:1: a key has to be a text"},
  });
}

}  // namespace
}  // namespace einlass::config
