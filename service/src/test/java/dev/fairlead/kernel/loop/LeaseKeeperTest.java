package dev.fairlead.kernel.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
  private static final LeaseTimes TIMES =
      new LeaseTimes(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(20));
  private final MemoryStores stores = MemoryStores.empty(1);
  private long seconds;

  private LeaseKeeper keeper(String holder) {
    return keeper(holder, stores.leases());
  }

  private LeaseKeeper keeper(String holder, LeaseStore store) {
    return new LeaseKeeper(
        "scheduler", holder, store, TIMES, () -> Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void firstProcessHoldsANewLease() {
    assertThat(keeper("a").tick()).map(HeldLease::holder).contains("a");
  }

  @Test
  void renewedLeaseIsNeverTakenOver() {
    LeaseKeeper a = keeper("a");
    LeaseKeeper b = keeper("b");
    for (seconds = 0; seconds < 300; seconds += 5) {
      assertThat(a.tick()).isPresent();
      assertThat(b.tick()).isEmpty();
    }
  }

  /**
   * Fails when a watermark is returned that the database does not have, or while another is ahead.
   */
  @Test
  void watermarkRisesOnlyWhenStoredAndWhileTheHolderActs() {
    Outage outage = new Outage(stores.leases());
    LeaseKeeper a = keeper("a", outage);
    long first = a.tick().orElseThrow().watermark();

    assertThat(a.raiseWatermark()).isEmpty();
    a.acts(true);
    assertThat(a.raiseWatermark()).map(HeldLease::watermark).contains(first + 1);
    assertThat(a.tick()).map(HeldLease::watermark).contains(first + 1);

    outage.away = true;
    assertThat(a.raiseWatermark()).isEmpty();
  }

  /** Fails when the challenger does not wait for an unchanged counter. */
  @Test
  void silentHolderIsReplacedOnlyAfterTheWholeLeaseDuration() {
    keeper("a").tick();
    LeaseKeeper b = keeper("b");
    for (seconds = 0; seconds < 30; seconds++) {
      assertThat(b.tick()).as("after %d s", seconds).isEmpty();
    }
    assertThat(b.tick()).map(HeldLease::holder).contains("b");
  }

  /**
   * Fails when self-stop counts from the response, or not at all: two processes would act at one
   * time.
   */
  @Test
  void holderThatCannotRenewStopsBeforeATakeoverIsPossible() {
    Outage outage = new Outage(stores.leases());
    LeaseKeeper a = keeper("a", outage);
    LeaseKeeper b = keeper("b");
    a.tick();
    b.tick();
    outage.away = true;
    long stopped = -1;
    long taken = -1;
    for (seconds = 1; seconds < 60; seconds++) {
      stopped = stopped < 0 && a.tick().isEmpty() ? seconds : stopped;
      taken = taken < 0 && b.tick().isPresent() ? seconds : taken;
    }
    assertThat(stopped).isEqualTo(20);
    assertThat(taken).isGreaterThanOrEqualTo(30);
  }

  /** Fails when a process that was paused for longer than self-stop waits for its own lease. */
  @Test
  void processThatSteppedDownHoldsTheLeaseAgainTwoTurnsLater() {
    LeaseKeeper a = keeper("a");
    long epoch = a.tick().orElseThrow().epoch();

    seconds = 21;
    a.beat();
    assertThat(a.tick()).as("a turn without the lease, in which its loop forgets").isEmpty();
    assertThat(a.tick()).hasValueSatisfying(held -> assertThat(held.epoch()).isGreaterThan(epoch));
  }

  /** Fails when a lease is released while its pass may still run. */
  @Test
  void leaseStoppedDuringATurnIsNotFreeUntilThatTurnEnds() {
    LeaseKeeper a = keeper("a");
    LeaseKeeper b = keeper("b");
    a.tick();

    seconds = 21;
    a.beat();
    assertThat(b.tick()).isEmpty();
    a.tick();
    assertThat(b.tick()).map(HeldLease::holder).contains("b");
  }

  /**
   * Fails when a lease whose release failed, because the database was unavailable, is never
   * released.
   */
  @Test
  void leaseIsReleasedOnceTheDatabaseRespondsAgain() {
    Outage outage = new Outage(stores.leases());
    LeaseKeeper a = keeper("a", outage);
    a.tick();
    seconds = 21;
    outage.away = true;
    assertThat(a.tick()).isEmpty();
    assertThat(a.tick()).isEmpty();

    outage.away = false;
    assertThat(a.tick()).isEmpty();
    assertThat(a.tick()).map(HeldLease::holder).contains("a");
  }

  /** Fails when a loop may sleep through its renewals: with short leases it would stop itself. */
  @Test
  void loopNeverSleepsPastItsRenewal() {
    assertThat(keeper("a").idle(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(5));
    assertThat(keeper("a").idle(Duration.ofSeconds(2))).isEqualTo(Duration.ofSeconds(2));
  }

  /** Fails when a lease is renewed only between passes. */
  @Test
  void turnLongerThanItsLeaseKeepsTheLease() {
    LeaseKeeper a = keeper("a");
    LeaseKeeper b = keeper("b");
    a.tick();
    for (seconds = 0; seconds < 200; seconds++) {
      a.beat();
      assertThat(b.tick()).isEmpty();
    }
    assertThat(a.tick()).isPresent();
  }

  /** Fails when a lease is renewed for a loop that never returns. */
  @Test
  void endlessTurnLosesItsLease() {
    LeaseKeeper a = keeper("a");
    LeaseKeeper b = keeper("b");
    a.tick();
    for (seconds = 0; seconds < 400; seconds++) {
      a.beat();
      b.tick();
    }
    assertThat(b.tick()).isPresent();
    assertThat(a.tick()).isEmpty();
  }

  /** Fails when a lease is renewed for a loop whose thread has ended. */
  @Test
  void leaseOfAnEndedThreadIsReleasedAtTheNextBeat() throws InterruptedException {
    LeaseKeeper a = keeper("a");
    Thread loop = Thread.ofPlatform().start(a::tick);
    loop.join();

    a.beat();

    assertThat(keeper("b").tick()).map(HeldLease::holder).contains("b");
  }

  /** Fails when a challenger waits for the duration although the holder's session has ended. */
  @Test
  void holderWithoutItsSessionIsReplacedImmediatelyAndStopsAtItsNextRenewal() {
    Outage store = new Outage(stores.leases());
    LeaseKeeper a = keeper("a", store);
    LeaseKeeper b = keeper("b", store);
    long epoch = a.tick().orElseThrow().epoch();
    assertThat(b.tick()).isEmpty();

    store.ended = "a";

    assertThat(b.tick())
        .hasValueSatisfying(taken -> assertThat(taken.epoch()).isGreaterThan(epoch));
    a.doubt();
    assertThat(a.tick()).isEmpty();
  }

  /**
   * Fails when a process continues for a renewal interval before it checks whether it was replaced.
   */
  @Test
  void processThatLostItsSessionRenewsAtTheNextBeat() {
    Outage store = new Outage(stores.leases());
    Leases leases = new Leases(store, TIMES, () -> 0, "a");
    leases.keeper("scheduler").tick();

    store.sessionEnds.run();
    leases.beat();

    assertThat(stores.leases().read("scheduler").orElseThrow().renewals()).isOne();
  }

  @Test
  void releasedLeaseIsAcquiredImmediatelyUnderAHigherEpoch() {
    LeaseKeeper a = keeper("a");
    long epoch = a.tick().orElseThrow().epoch();
    a.release();
    assertThat(keeper("b").tick())
        .map(HeldLease::epoch)
        .hasValueSatisfying(t -> assertThat(t).isGreaterThan(epoch));
  }

  @Test
  void deposedHolderDetectsItAtItsRenewal() {
    LeaseKeeper a = keeper("a");
    a.tick();
    stores.leases().takeOver(stores.leases().read("scheduler").orElseThrow(), "b");
    seconds = 10;
    assertThat(a.tick()).isEmpty();
  }

  /** Leases behind a network that can be cut. */
  private static final class Outage implements LeaseStore {
    private final LeaseStore store;
    private boolean away;
    private @Nullable String ended;
    private Runnable sessionEnds = () -> {};

    Outage(LeaseStore store) {
      this.store = store;
    }

    private LeaseRow seen(LeaseRow row) {
      return new LeaseRow(
          row.name(),
          row.holder(),
          row.epoch(),
          row.renewals(),
          row.watermark(),
          row.released(),
          row.holder().equals(ended));
    }

    @Override
    public void whenSessionEnds(Runnable listener) {
      sessionEnds = listener;
    }

    private LeaseStore reached() {
      if (away) {
        throw new IllegalStateException("no answer");
      }
      return store;
    }

    @Override
    public dev.fairlead.kernel.lease.Installation installation() {
      return reached().installation();
    }

    @Override
    public int incarnation() {
      return reached().incarnation();
    }

    @Override
    public List<String> names() {
      return reached().names();
    }

    @Override
    public void remove(String name) {
      reached().remove(name);
    }

    @Override
    public boolean raiseIncarnation(int from) {
      return reached().raiseIncarnation(from);
    }

    @Override
    public Optional<LeaseRow> read(String name) {
      return away
          ? Optional.of(new LeaseRow(name, "unknown", 0, System.nanoTime(), 0, false, false))
          : store.read(name).map(this::seen);
    }

    @Override
    public Optional<HeldLease> create(String name, String holder) {
      return reached().create(name, holder);
    }

    @Override
    public Optional<HeldLease> takeOver(LeaseRow seen, String holder) {
      return reached().takeOver(seen, holder);
    }

    @Override
    public Optional<HeldLease> renew(HeldLease lease, boolean raise) {
      return reached().renew(lease, raise);
    }

    @Override
    public void release(HeldLease lease) {
      reached().release(lease);
    }
  }
}
