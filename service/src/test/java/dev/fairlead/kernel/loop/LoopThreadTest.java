package dev.fairlead.kernel.loop;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.work.event.WakeUps;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopThreadTest {
  private static final Duration REST = Duration.ofMillis(30);
  private static final int TURNS = 5;
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final AtomicLong nanos = new AtomicLong();
  private final LoopThreads threads =
      new LoopThreads((topic, listener) -> () -> {}, metrics, nanos::get);

  /** Fails when the rest time of a loop is ignored. */
  @Test
  void immediatelyWokenLoopRestsForItsConfiguredTime() throws InterruptedException {
    CountDownLatch turns = new CountDownLatch(TURNS);
    long start = System.nanoTime();
    try (LoopThread thread =
        threads.of(
            new Turning(
                REST,
                () -> {
                  turns.countDown();
                  return true;
                }))) {
      thread.start();
      assertThat(turns.await(1, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo((TURNS - 1) * REST.toNanos());
  }

  /** Fails when a loop pauses while jobs wait: 300 passes of 200 ms would be a minute of pauses. */
  @Test
  void loopWithWaitingJobsDoesNotRestAsLongAsItsTurn() throws InterruptedException {
    CountDownLatch turns = new CountDownLatch(60 * TURNS);
    long start = System.nanoTime();
    try (LoopThread thread =
        threads.of(
            new Turning(
                Duration.ZERO,
                true,
                () -> {
                  nanos.addAndGet(Duration.ofMinutes(1).toNanos());
                  turns.countDown();
                  return true;
                }))) {
      thread.start();
      assertThat(turns.await(2, TimeUnit.MINUTES)).isTrue();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
  }

  /** Fails when only exceptions are caught: the thread would end unnoticed. */
  @ParameterizedTest
  @ValueSource(
      classes = {StackOverflowError.class, NoClassDefFoundError.class, AssertionError.class})
  void loopContinuesAfterAnErrorAndCountsIt(Class<? extends Error> error)
      throws InterruptedException {
    BlockingQueue<Integer> turns = new LinkedBlockingQueue<>();
    try (LoopThread thread =
        threads.of(
            new Turning(
                Duration.ZERO,
                () -> {
                  turns.add(1);
                  throw made(error);
                }))) {
      thread.start();
      assertThat(turns.poll(1, TimeUnit.MINUTES)).isNotNull();
      thread.wake();
      assertThat(turns.poll(1, TimeUnit.MINUTES)).isNotNull();
      assertThat(metrics.counter("fairlead.loop.failures", "loop", "turning").count()).isPositive();
      assertThat(threads.statuses()).allMatch(LoopStatus::alive);
    }
  }

  /** Fails when an error inside a task of the pass counts as an ordinary failure. */
  @Test
  void outOfMemoryErrorEndsTheThreadAndItsHandlerEndsTheProcess() throws InterruptedException {
    BlockingQueue<Throwable> uncaught = new LinkedBlockingQueue<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, failed) -> uncaught.add(failed));
    try (LoopThread thread =
        threads.of(
            new Turning(
                Duration.ZERO,
                () -> {
                  throw new IllegalStateException("a task failed", new OutOfMemoryError("heap"));
                }))) {
      thread.start();
      assertThat(uncaught.poll(1, TimeUnit.MINUTES)).isInstanceOf(OutOfMemoryError.class);
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  /** Fails when an interrupt of a pass ends the loop. */
  @Test
  void anInterruptedTurnIsFollowedByTheNext() throws InterruptedException {
    BlockingQueue<Integer> turns = new LinkedBlockingQueue<>();
    try (LoopThread thread =
        threads.of(
            new Turning(
                Duration.ZERO,
                () -> {
                  turns.add(1);
                  Thread.currentThread().interrupt();
                  return false;
                }))) {
      thread.start();
      assertThat(turns.poll(1, TimeUnit.MINUTES)).isNotNull();
      thread.wake();
      assertThat(turns.poll(1, TimeUnit.MINUTES)).isNotNull();
    }
  }

  /** Fails when a pass without end, or the time since the last success, is not measured. */
  @Test
  void endlessTurnHangsAndTheAgeOfTheLastSuccessGrows() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    try (LoopThread thread =
        threads.of(
            new Turning(
                Duration.ZERO,
                () -> {
                  entered.countDown();
                  released.await();
                  return false;
                }))) {
      thread.start();
      assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
      nanos.set(Duration.ofMinutes(11).toNanos());

      LoopStatus status = threads.statuses().getFirst();

      assertThat(status.hangs(Duration.ofMinutes(10))).isTrue();
      assertThat(status.hangs(Duration.ofMinutes(12))).isFalse();
      assertThat(status.sinceSuccess()).isEqualTo(Duration.ofMinutes(11));
      assertThat(metrics.get("fairlead.loop.last.success.age").timeGauge().value(TimeUnit.MINUTES))
          .isEqualTo(11);
      released.countDown();
    }
    assertThat(threads.statuses()).isEmpty();
    assertThat(metrics.find("fairlead.loop.last.success.age").timeGauge()).isNull();
  }

  /** Fails when a late loop is reported as healthy, or the next step does not name it. */
  @Test
  void constantlyFailingLoopIsADoctorProblemOnceLate() throws InterruptedException {
    CountDownLatch turned = new CountDownLatch(1);
    LoopDiagnosis doctor =
        new LoopDiagnosis(threads, new LoopTimes(Duration.ofMinutes(10), Duration.ofMinutes(1)));
    try (LoopThread thread =
        threads.of(
            new Turning(
                Duration.ZERO,
                () -> {
                  turned.countDown();
                  throw new IllegalStateException("planted");
                }))) {
      thread.start();
      assertThat(turned.await(1, TimeUnit.MINUTES)).isTrue();
      assertThat(doctor.look())
          .extracting(DoctorCheck::verdict)
          .containsExactly(DoctorCheck.Verdict.OK);

      nanos.set(Duration.ofSeconds(61).toNanos());

      DoctorCheck late = doctor.look().getFirst();
      assertThat(late.verdict()).isEqualTo(DoctorCheck.Verdict.PROBLEM);
      assertThat(late.subject()).isEqualTo("turning");
      assertThat(late.found()).isEqualTo("last success 61 s ago");
      assertThat(late.next()).satisfies(reason("loop-thread.loop-turning-failed-log"));
    }
  }

  private static Error made(Class<? extends Error> error) {
    try {
      return error.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private interface Turn {
    boolean run() throws InterruptedException;
  }

  private record Turning(Duration rest, boolean awaited, Turn turn) implements Loop {
    Turning(Duration rest, Turn turn) {
      this(rest, false, turn);
    }

    @Override
    public String name() {
      return "turning";
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
    public Set<WakeUps.Topic> wakesOn() {
      return Set.of();
    }

    @Override
    public boolean tick() {
      try {
        return turn.run();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {}
  }
}
