package dev.fairlead.kernel.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lease handling of every loop under a lease. */
class LeasedLoopTest {
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
  private final MemoryStores stores = MemoryStores.empty(1);
  private long seconds;

  private Leases process(String holder) {
    return new Leases(stores.leases(), TIMES, () -> Duration.ofSeconds(seconds).toNanos(), holder);
  }

  /** Records its passes and losses of state. */
  private static final class Noting extends LeasedLoop {
    private final List<String> notes = new ArrayList<>();
    private boolean deposed;

    Noting(Leases leases) {
      super("noting", "background", Duration.ofMinutes(1), leases);
    }

    @Override
    protected boolean turn(HeldLease lease) {
      notes.add("turn of " + lease.holder());
      if (deposed) {
        throw new FenceLost(lease);
      }
      return true;
    }

    @Override
    protected void forget() {
      notes.add("forget");
    }
  }

  /** A loop whose passes handle three objects, of which one changed and one fails. */
  private static final class Guarding extends LeasedLoop {
    private final List<String> handled = new ArrayList<>();

    Guarding(Leases leases) {
      super("guarding", "background", Duration.ofMinutes(1), leases);
    }

    @Override
    protected boolean turn(HeldLease lease) {
      guarded(
          "changed",
          () -> {
            throw new Conflict(Conflict.Guard.VERSION, "changed");
          });
      guarded(
          "failing",
          () -> {
            throw new IllegalStateException("failing");
          });
      guarded("sound", () -> handled.add("sound"));
      return false;
    }
  }

  /** Fails when the alert misses a failure, or counts a changed object as a failure. */
  @Test
  void failingObjectIsCountedAndTheOthersAreHandled() {
    Guarding loop = new Guarding(process("one"));
    SimpleMeterRegistry metrics = new SimpleMeterRegistry();
    LoopThreads threads = new LoopThreads((topic, listener) -> () -> {}, metrics, () -> 0);
    try (LoopThread thread = threads.of(loop)) {
      loop.tick();

      assertThat(loop.handled).containsExactly("sound");
      assertThat(
              metrics
                  .get("fairlead.loop.passed-over")
                  .tag("loop", "guarding")
                  .functionCounter()
                  .count())
          .isEqualTo(1);
      thread.end();
      assertThat(metrics.find("fairlead.loop.passed-over").functionCounter()).isNull();
    }
  }

  /** Fails when a loop runs a pass without the lease, or retains state from the time under it. */
  @Test
  void onlyTheHolderRunsATurn() {
    Noting one = new Noting(process("one"));
    Noting two = new Noting(process("two"));

    assertThat(one.tick()).isTrue();
    assertThat(two.tick()).isFalse();

    assertThat(one.notes).containsExactly("turn of one");
    assertThat(two.notes).containsExactly("forget");
  }

  /** Fails when a replaced holder counts its pass as failed, or acts under the old epoch again. */
  @Test
  void lostFenceEndsTheTurnAndTheLease() {
    Noting one = new Noting(process("one"));
    one.deposed = true;

    assertThat(one.tick()).isFalse();
    assertThat(one.tick()).isFalse();

    assertThat(one.notes).containsExactly("turn of one", "forget", "forget");
  }

  /** Fails when the lease is not released: the other waits for its whole duration. */
  @Test
  void endingLoopReleasesItsLeaseImmediately() {
    Noting one = new Noting(process("one"));
    Noting two = new Noting(process("two"));
    assertThat(one.tick()).isTrue();

    one.close();

    assertThat(two.tick()).isTrue();
  }

  /** Fails when a loop may sleep through the renewals of its lease. */
  @Test
  void loopSleepsNoLongerThanItsLeaseAllows() {
    assertThat(new Noting(process("one")).idle()).isEqualTo(Duration.ofSeconds(5));
  }

  /** A loop that has work after four passes. */
  private static final class Quiet extends LeasedLoop {
    private int passes;

    Quiet(Leases leases) {
      super("quiet", "background", Duration.ofSeconds(1), leases);
    }

    @Override
    protected boolean turn(HeldLease lease) {
      if (++passes <= 4) {
        quiet();
      }
      return false;
    }
  }

  /** Fails when a loop without work retains its interval, or when a loop with work rests longer. */
  @Test
  void passesWithoutWorkDoubleTheInterval() {
    Quiet loop = new Quiet(process("one"));
    List<Duration> pauses = new ArrayList<>(List.of(loop.idle()));
    for (int i = 0; i < 5; i++) {
      loop.tick();
      pauses.add(loop.idle());
    }

    assertThat(pauses).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 5L, 5L, 1L);
  }

  /** Fails when work is due relative to its start, or its interval does not restart. */
  @Test
  void recurringWorkIsDueOneIntervalAfterItsEnd() {
    MonotonicClock clock = () -> Duration.ofSeconds(seconds).toNanos();
    Recurring later = Recurring.after(clock, Duration.ofSeconds(10));
    assertThat(Recurring.fromNowOn(clock, Duration.ofSeconds(10)).due()).isTrue();
    assertThat(later.due()).isFalse();

    seconds = 15;
    assertThat(later.due()).isTrue();
    later.done();
    seconds = 24;
    assertThat(later.due()).isFalse();
    seconds = 25;
    assertThat(later.due()).isTrue();
  }
}
