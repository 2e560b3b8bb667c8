package dev.fairlead.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.event.WakeUps;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopThreadTest {
  private static final Duration REST = Duration.ofMillis(30);
  private static final int TURNS = 5;

  /** Fails when a loop is not asked how long it rests. */
  @Test
  void aLoopThatIsWokenAtOnceRestsAsLongAsItWantsTo() throws InterruptedException {
    CountDownLatch turns = new CountDownLatch(TURNS);
    long start = System.nanoTime();
    try (LoopThread thread =
        new LoopThread(
            new Resting(turns), (topic, listener) -> () -> {}, new SimpleMeterRegistry())) {
      thread.start();
      assertThat(turns.await(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo((TURNS - 1) * REST.toNanos());
  }

  private record Resting(CountDownLatch turns) implements Loop {
    @Override
    public String name() {
      return "resting";
    }

    @Override
    public String role() {
      return "scheduler";
    }

    @Override
    public Duration idle() {
      return Duration.ofHours(1);
    }

    @Override
    public Duration rest() {
      return REST;
    }

    @Override
    public Set<WakeUps.Topic> wakesOn() {
      return Set.of();
    }

    @Override
    public boolean tick() {
      turns.countDown();
      return true;
    }

    @Override
    public void close() {}
  }
}
