package dev.fairlead.work.log.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ChunkStoreContract;
import dev.fairlead.work.log.S3Server;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a real server. */
class S3ChunkStoreTest extends ChunkStoreContract {
  private static S3Server server;

  @BeforeAll
  static void start() {
    server = S3Server.get();
  }

  private static LogPlaceSettings.S3 settings(String bucket, String prefix, String secretKey) {
    return new LogPlaceSettings.S3(
        bucket, prefix, server.endpoint(), "", true, S3Server.ACCESS_KEY, secretKey, "");
  }

  private static S3Bucket bucket(LogPlaceSettings.S3 settings) {
    return bucket(settings, Duration.ofMinutes(1));
  }

  private static S3Bucket bucket(LogPlaceSettings.S3 settings, Duration call) {
    return new S3Bucket(S3Clients.of(settings, call), settings.bucket(), settings.folder());
  }

  private static S3ChunkStore store(LogPlaceSettings.S3 settings, MemoryStores of) {
    S3Bucket bucket = bucket(settings);
    PlaceOwner owner = new PlaceOwner(bucket, of.leases(), of.logs());
    return new S3ChunkStore(bucket, owner);
  }

  /** The database with these stores wrote the claim last. */
  private static S3ChunkStore owned(LogPlaceSettings.S3 settings) {
    MemoryStores of = MemoryStores.empty(1);
    S3ChunkStore store = store(settings, of);
    of.logs().addNonce("first");
    try {
      store.claim(store.claim().with("first"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return store;
  }

  private static LogPlaceSettings.S3 fresh() {
    return settings(S3Server.BUCKET, S3Server.newPrefix(), S3Server.SECRET_KEY);
  }

  @Override
  protected ChunkStore store() {
    return owned(fresh());
  }

  /** Fails when a range is read twice or left out, or when the end of a whole range is an error. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aLargeChunkIsReadRangeByRange(int more) throws IOException {
    byte[] bytes = new byte[2 * BoundedChunkStore.BLOCK + more - 1];
    new Random(1).nextBytes(bytes);
    ChunkStore store = new BoundedChunkStore(store(), Duration.ofMinutes(1));
    store.put(key(1), bytes);

    try (InputStream chunk = store.open(key(1))) {
      assertThat(chunk.readAllBytes()).isEqualTo(bytes);
    }
  }

  /** Fails when a new chunk without a row counts as an orphan. */
  @Test
  void newChunkIsNotListedAsOld() throws IOException {
    ChunkStore store = owned(fresh());
    store.put(key(1), new byte[1]);
    assertThat(store.old(Instant.now().minus(Duration.ofHours(1)), null, 5).chunks()).isEmpty();
  }

  /** Fails when a check continues through recent objects until it has enough. */
  @Test
  void scanOfManyNewObjectsReadsOnePage() throws IOException {
    ChunkStore store = owned(fresh());
    for (int sequence = 1; sequence <= 4; sequence++) {
      store.put(key(sequence), new byte[1]);
    }
    ChunkStore.Part first = store.old(Instant.now().minus(Duration.ofHours(1)), null, 3);
    assertThat(first.chunks()).isEmpty();
    assertThat(first.next()).isNotNull();
    assertThat(store.old(Instant.EPOCH, first.next(), 3).next()).isNull();
  }

  /** Fails when prefixes are not folders: "a" would include the chunks below "a-b". */
  @Test
  void aBucketIsSharedByPrefix() throws IOException {
    LogPlaceSettings.S3 one = fresh();
    owned(one).put(key(1), new byte[1]);
    store(settings(one.bucket(), one.prefix() + "-b", one.secretKey()), MemoryStores.empty(2))
        .put(key(2), new byte[1]);

    assertThat(owned(one).old(Instant.MAX, null, 5).chunks()).containsExactly(key(1));
  }

  /** Fails when a copy of a database removes the logs of the live one. */
  @Test
  void otherInstallationDeletesNoChunks() throws IOException {
    LogPlaceSettings.S3 place = fresh();
    store(place, MemoryStores.empty(1)).put(key(1), new byte[1]);
    bucket(place).claim("another 1");
    ChunkStore other = store(place, MemoryStores.empty(2));

    assertThatThrownBy(() -> other.put(key(2), new byte[1])).hasMessageContaining("another 1");
    assertThatThrownBy(() -> other.remove(List.of(key(1)))).hasMessageContaining("another 1");
    assertThatThrownBy(() -> other.old(Instant.MAX, null, 5)).hasMessageContaining("another 1");
    assertThatThrownBy(other::probe).hasMessageContaining("another 1");
    assertThat(bucket(place).read(key(1).path(), 0, 5)).hasSize(1);
  }

  /** Fails when a bucket with other objects is mistaken for an empty one. */
  @Test
  void prefixWithForeignObjectsIsNotTakenOver() throws IOException {
    LogPlaceSettings.S3 place = fresh();
    bucket(place).put("of-others", new byte[1]);
    assertThatThrownBy(store(place, MemoryStores.empty(1))::probe)
        .hasMessageContaining("bucket and prefix");
  }

  @Test
  void wrongKeyAndMissingBucketNameTheAddress() {
    LogPlaceSettings.S3 wrong = settings(S3Server.BUCKET, "", "wrong-wrong-wrong");
    assertThatThrownBy(store(wrong, MemoryStores.empty(1))::probe)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("s3://logs/installation: ")
        .hasMessageContaining("403");
    LogPlaceSettings.S3 missing = settings("no-such-bucket", "", S3Server.SECRET_KEY);
    assertThatThrownBy(store(missing, MemoryStores.empty(1))::probe)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no-such-bucket");
  }

  /** Fails when a write or a removal, which reads the claim first, is cut off without a reason. */
  @Test
  void twoCallTimeoutsFitIntoTheDeadline() {
    assertThat(LogPlaceConfiguration.CALL.multipliedBy(2))
        .isLessThan(LogPlaceConfiguration.DEADLINE);
  }

  /** Fails when a call has no timeout that includes its retries. */
  @Test
  void silentServerTimesOut() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      LogPlaceSettings.S3 place =
          new LogPlaceSettings.S3(
              "logs", "", "http://127.0.0.1:" + silent.getLocalPort(), "", true, "a", "b", "");
      assertThatThrownBy(bucket(place, Duration.ofMillis(200))::claim)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("s3://logs/installation: ")
          .hasMessageContaining("timeout");
    }
  }
}
