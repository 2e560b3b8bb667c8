package dev.fairlead.work.log.chunk;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.log.ChunkStore;
import dev.fairlead.work.log.ChunkStoreContract;
import dev.fairlead.work.log.memory.MemoryChunkStore;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedChunkStoreTest extends ChunkStoreContract {
  private static final Duration PATIENT = Duration.ofSeconds(30);

  @Override
  protected ChunkStore store() {
    return new BoundedChunkStore(new MemoryChunkStore(), PATIENT);
  }

  @Test
  void aLargeChunkIsReadBlockByBlock() throws IOException {
    byte[] bytes = new byte[2 * BoundedChunkStore.BLOCK];
    new Random(1).nextBytes(bytes);
    ChunkStore store = store();
    store.put(key(1), bytes);

    try (InputStream chunk = store.open(key(1))) {
      assertThat(chunk.readAllBytes()).isEqualTo(bytes);
    }
  }

  /** Fails when callers wait for a hanging directory, or each use a thread. */
  @Test
  void hangingStoreIsSkippedUntilItReturns() throws Exception {
    CountDownLatch away = new CountDownLatch(1);
    AtomicInteger asked = new AtomicInteger();
    BoundedChunkStore store = new BoundedChunkStore(hanging(away, asked), Duration.ofMillis(20));
    int patient = 0;
    while (waits(store)) {
      patient++;
    }
    assertThat(patient).as("half of the threads at least").isGreaterThanOrEqualTo(8);
    for (int call = 0; call < 100; call++) {
      assertThatThrownBy(store::probe)
          .satisfies(problem("bounded-chunk-store.log-store-does-answer"));
    }
    assertThat(asked).as("a thread is left").hasValueLessThan(16);

    away.countDown();
    while (asked.get() > 0) {
      Thread.onSpinWait();
    }
    assertThat(answers(store)).isTrue();
  }

  /** Returns whether a call waited for its deadline and was not rejected immediately. */
  private static boolean waits(ChunkStore store) {
    try {
      store.probe();
      return true;
    } catch (IOException away) {
      return String.valueOf(away.getMessage()).contains("did not respond within");
    }
  }

  private static boolean answers(ChunkStore store) {
    while (true) {
      try {
        store.probe();
        return true;
      } catch (IOException away) {
        Thread.onSpinWait(); // the last call is about to be subtracted
      }
    }
  }

  private static ChunkStore hanging(CountDownLatch away, AtomicInteger asked) {
    return (ChunkStore)
        Proxy.newProxyInstance(
            BoundedChunkStoreTest.class.getClassLoader(),
            new Class<?>[] {ChunkStore.class},
            (proxy, method, args) -> {
              asked.incrementAndGet();
              away.await();
              asked.decrementAndGet();
              return null;
            });
  }
}
