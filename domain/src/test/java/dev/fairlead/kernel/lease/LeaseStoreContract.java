package dev.fairlead.kernel.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.work.world.Stores;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The compare-and-set operations of every {@link LeaseStore}. Fences are tested with transactions.
 */
public abstract class LeaseStoreContract {
  private static final int CHALLENGERS = 6;

  private LeaseStore leases;
  private String name;

  protected abstract Stores stores();

  @BeforeEach
  void aNameOfItsOwn() {
    Stores stores = stores();
    leases = stores.leases();
    name = "lease/" + IdText.encode(stores.ids().next());
  }

  @Test
  void aLeaseIsCreatedOnceWithTheFirstEpochOfTheIncarnation() {
    HeldLease held = leases.create(name, "a").orElseThrow();

    assertThat(held.epoch() >>> Integer.SIZE).isEqualTo(leases.installation().incarnation());
    assertThat(held.renewals()).isZero();
    assertThat(leases.create(name, "b")).isEmpty();
    assertThat(leases.read(name))
        .contains(new LeaseRow(name, "a", held.epoch(), 0, held.watermark(), false, false));
  }

  @Test
  void missingLeaseReadsAsAbsent() {
    assertThat(leases.read(name)).isEmpty();
  }

  @Test
  void installationIdIsStable() {
    assertThat(leases.installation()).isEqualTo(leases.installation());
    assertThat(leases.installation().incarnation()).isPositive();
  }

  /** Fails when a takeover raises the watermark: a restored state would catch up. */
  @Test
  void watermarkRisesOnlyWithConfirmingRenewalsAndSurvivesATakeover() {
    HeldLease held = leases.create(name, "a").orElseThrow();
    long first = held.watermark();
    held = leases.renew(held, true).orElseThrow();
    held = leases.renew(held, false).orElseThrow();
    assertThat(held.watermark()).isEqualTo(first + 1);

    HeldLease next = leases.takeOver(leases.read(name).orElseThrow(), "b").orElseThrow();

    assertThat(next.watermark()).isEqualTo(held.watermark());
    assertThat(leases.read(name).orElseThrow().watermark()).isEqualTo(held.watermark());
  }

  /** Fails when a holder continues under an epoch of the previous incarnation. */
  @Test
  void raisedIncarnationMakesEveryEpochHigherThanAllEarlierOnes() {
    HeldLease held = leases.create(name, "a").orElseThrow();
    Installation before = leases.installation();

    assertThat(leases.raiseIncarnation(before.incarnation() + 7)).isFalse();
    assertThat(leases.renew(held, false)).isPresent();
    assertThat(leases.raiseIncarnation(before.incarnation())).isTrue();
    assertThat(leases.raiseIncarnation(before.incarnation())).isFalse();

    Installation raised = leases.installation();
    assertThat(raised).isEqualTo(new Installation(before.id(), before.incarnation() + 1));
    assertThat(leases.incarnation()).isEqualTo(raised.incarnation());
    assertThat(leases.renew(held, false)).isEmpty();
    HeldLease next = leases.takeOver(leases.read(name).orElseThrow(), "b").orElseThrow();
    assertThat(next.epoch() >>> Integer.SIZE).isEqualTo(raised.incarnation());
    assertThat(next.watermark() >>> Integer.SIZE).isEqualTo(raised.incarnation());
  }

  @Test
  void eachRenewalIsCounted() {
    HeldLease held = leases.create(name, "a").orElseThrow();

    HeldLease once = leases.renew(held, false).orElseThrow();
    HeldLease twice = leases.renew(once, false).orElseThrow();

    assertThat(twice.renewals()).isEqualTo(2);
    assertThat(twice.epoch()).isEqualTo(held.epoch());
    assertThat(leases.read(name)).map(LeaseRow::renewals).contains(2L);
  }

  @Test
  void takeoverRaisesTheEpochAndNamesTheNewHolder() {
    HeldLease old = leases.create(name, "a").orElseThrow();
    leases.renew(old, false);

    HeldLease next = leases.takeOver(leases.read(name).orElseThrow(), "b").orElseThrow();

    assertThat(next.epoch()).isGreaterThan(old.epoch());
    assertThat(leases.read(name))
        .contains(new LeaseRow(name, "b", next.epoch(), 0, next.watermark(), false, false));
  }

  @Test
  void leaseRenewedSinceItsReadingIsNotTakenOver() {
    // Fails when takeOver compares only the epoch.
    HeldLease held = leases.create(name, "a").orElseThrow();
    LeaseRow seen = leases.read(name).orElseThrow();
    leases.renew(held, false);

    assertThat(leases.takeOver(seen, "b")).isEmpty();
    assertThat(leases.read(name)).map(LeaseRow::holder).contains("a");
  }

  @Test
  void takenOverLeaseCannotBeRenewedByTheOldHolder() {
    HeldLease old = leases.create(name, "a").orElseThrow();
    HeldLease next = leases.takeOver(leases.read(name).orElseThrow(), "b").orElseThrow();

    assertThat(leases.renew(old, false)).isEmpty();
    leases.release(old);

    assertThat(leases.read(name))
        .contains(new LeaseRow(name, "b", next.epoch(), 0, next.watermark(), false, false));
  }

  @Test
  void releasedLeaseIsAvailableImmediatelyAndCannotBeRenewed() {
    HeldLease held = leases.create(name, "a").orElseThrow();

    leases.release(held);

    LeaseRow row = leases.read(name).orElseThrow();
    assertThat(row.released()).isTrue();
    assertThat(leases.renew(held, false)).isEmpty();
    assertThat(leases.takeOver(row, "b")).map(HeldLease::holder).contains("b");
    assertThat(leases.read(name)).map(LeaseRow::released).contains(false);
  }

  /**
   * Fails when the former epoch or watermark of a cluster that is registered again counts as
   * foreign.
   */
  @Test
  void removedLeaseIsLostAndItsSuccessorHasAHigherEpoch() {
    leases.create(name, "a");
    HeldLease held = leases.takeOver(leases.read(name).orElseThrow(), "b").orElseThrow();
    HeldLease marked = leases.renew(held, true).orElseThrow();
    assertThat(leases.names()).contains(name);

    leases.remove(name);
    assertThat(leases.names()).doesNotContain(name);
    leases.remove(name);

    assertThat(leases.read(name)).isEmpty();
    assertThat(leases.renew(marked, false)).isEmpty();
    HeldLease next = leases.create(name + "-again", "b").orElseThrow();
    assertThat(next.epoch()).isGreaterThan(marked.epoch());
    assertThat(next.watermark()).isGreaterThanOrEqualTo(marked.watermark());
  }

  @Test
  void oneOfManyChallengersGetsTheLease() throws Exception {
    leases.create(name, "a");
    LeaseRow seen = leases.read(name).orElseThrow();
    List<Callable<Optional<HeldLease>>> challengers = new ArrayList<>();
    for (int i = 0; i < CHALLENGERS; i++) {
      String holder = "challenger-" + i;
      challengers.add(() -> leases.takeOver(seen, holder));
    }

    List<HeldLease> winners = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(CHALLENGERS)) {
      for (Future<Optional<HeldLease>> answer :
          threads.invokeAll(challengers, 60, TimeUnit.SECONDS)) {
        answer.get().ifPresent(winners::add);
      }
    }

    assertThat(winners).hasSize(1);
    assertThat(leases.read(name)).map(LeaseRow::holder).contains(winners.getFirst().holder());
  }
}
