// A limit that this program shares with gates and with everybody else who asks the same Redis.
//
// Needs JDK 17 and Lettuce, here from Maven (the pom lies beside this file):
//   mvn -q -f lua/examples/pom.xml dependency:copy-dependencies -DoutputDirectory=$PWD/build/java
//   java -cp 'build/java/*' lua/examples/EinlassLimit.java SCRIPTS [redis://localhost:6379/0]
// SCRIPTS is the folder with acquire.lua and release.lua: build/<preset>/lua, or share/einlass
// where Einlass is installed. lua/README.md describes keys, arguments and replies.

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

public class EinlassLimit {
  /** One bucket: what it is called in Redis, and its limit. */
  record Bucket(String key, String algorithm, int cost, long... parameters) {}

  /** Due on the server's clock, in microseconds, as everything here. */
  record Permit(byte[] id, long due) {}

  /** retry: when to ask again, from now; -1: asking again helps nothing; -2: all were granted. */
  record Answer(List<Permit> permits, long now, long retry, long reason, List<Long> remaining) {}

  /** A script by its digest, and by its text where the server does not know it. */
  private record Script(byte[] text, String digest) {}

  private static final long SLACK_MS = 2000; // Clocks differ after a failover.

  private final RedisCommands<byte[], byte[]> redis;
  private final List<Bucket> buckets;
  private final Script acquire;
  private final Script release;
  private final byte[] run = new byte[8];
  private final byte[] memo;
  private long asks = 0;
  private boolean open = false; // The last ask has no answer yet.

  EinlassLimit(RedisCommands<byte[], byte[]> redis, Path scripts, Bucket... buckets)
      throws IOException {
    this.redis = redis;
    this.buckets = List.of(buckets);
    acquire = load(scripts.resolve("acquire.lua"));
    release = load(scripts.resolve("release.lua"));
    new SecureRandom().nextBytes(run);
    memo = bytes(buckets[0].key() + ":asked:" + Long.toHexString(ByteBuffer.wrap(run).getLong()));
  }

  /** If Redis does not answer, call it again: what the lost answer granted is not paid twice. */
  synchronized Answer acquire(int least, int most, long horizon) {
    if (!open) asks++;
    final byte[] prefix =
        ByteBuffer.allocate(14).put(run).putShort((short) (asks >> 32)).putInt((int) asks).array();
    final List<byte[]> arguments = bucketArguments();
    for (long number : new long[] {least, most, horizon}) arguments.add(bytes(number));
    arguments.add(prefix);
    arguments.add(bytes("1")); // It may have been sent before, also by Lettuce, after a reconnect.
    arguments.add(bytes("")); // The server's clock.
    arguments.add(bytes(SLACK_MS));
    open = true;
    final List<Long> reply = call(acquire, ScriptOutputType.MULTI, keys(memo), arguments);
    open = false;
    final int head = 4 + buckets.size();
    final List<Permit> permits = new ArrayList<>();
    for (int i = 0; i < reply.get(0); i++) {
      final byte[] id = ByteBuffer.allocate(16).put(prefix).putShort((short) i).array();
      permits.add(new Permit(id, reply.get(1) + reply.get(head + i)));
    }
    return new Answer(
        permits, reply.get(1), reply.get(2), reply.get(3), List.copyOf(reply.subList(4, head)));
  }

  /** Gives back what was not used, or (ended) tells concurrency limits that the work is over. */
  long release(List<Permit> permits, boolean ended) {
    final List<byte[]> arguments = bucketArguments();
    arguments.add(bytes(ended ? "ended" : "unused"));
    arguments.add(bytes(""));
    arguments.add(bytes(SLACK_MS));
    for (Permit permit : permits) {
      arguments.add(permit.id());
      arguments.add(bytes(permit.due()));
    }
    return call(release, ScriptOutputType.INTEGER, keys(null), arguments);
  }

  private <T> T call(Script script, ScriptOutputType type, byte[][] keys, List<byte[]> arguments) {
    final byte[][] values = arguments.toArray(new byte[0][]);
    try {
      return redis.evalsha(script.digest(), type, keys, values);
    } catch (RedisNoScriptException unknown) {
      return redis.eval(script.text(), type, keys, values);
    }
  }

  private Script load(Path path) throws IOException {
    final byte[] text = Files.readAllBytes(path);
    return new Script(text, redis.digest(text));
  }

  private List<byte[]> bucketArguments() {
    final List<byte[]> arguments = new ArrayList<>();
    for (Bucket bucket : buckets) {
      arguments.add(bytes(bucket.algorithm()));
      arguments.add(bytes(bucket.cost()));
      for (long parameter : bucket.parameters()) arguments.add(bytes(parameter));
    }
    return arguments;
  }

  private byte[][] keys(byte[] last) {
    final List<byte[]> keys = new ArrayList<>();
    for (Bucket bucket : buckets) keys.add(bytes(bucket.key()));
    if (last != null) keys.add(last);
    return keys.toArray(new byte[0][]);
  }

  private static byte[] bytes(Object value) {
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** At most 20 calls a second to a partner, and at most 5 of them at once. */
  public static void main(String[] args) throws Exception {
    final RedisClient client =
        RedisClient.create(args.length > 1 ? args[1] : "redis://localhost:6379/0");
    try (var connection = client.connect(ByteArrayCodec.INSTANCE)) {
      final EinlassLimit limit =
          new EinlassLimit(
              connection.sync(),
              Path.of(args[0]),
              new Bucket("einlass:{einlass}:partner:", "token_bucket", 1, 1, 50_000, 5),
              new Bucket("einlass:{einlass}:at_once:", "concurrency", 1, 5, 30_000_000));
      for (int call = 0; call < 10; call++) {
        Answer answer = limit.acquire(1, 1, 0);
        while (answer.permits().isEmpty()) {
          if (answer.retry() < 0) throw new IllegalStateException("this will never be granted");
          long wait = Math.min(answer.retry(), 20_000); // Others' calls may end before that.
          Thread.sleep(wait / 1000, (int) (wait % 1000) * 1000);
          answer = limit.acquire(1, 1, 0);
        }
        System.out.printf(
            "call %d at %d, remaining %s%n", call, answer.now(), answer.remaining());
        limit.release(answer.permits(), true);
      }
    } finally {
      client.shutdown();
    }
  }
}
