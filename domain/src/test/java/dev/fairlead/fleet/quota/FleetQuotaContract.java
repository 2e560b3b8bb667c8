package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of every {@link FleetQuotaStore}, with the counters and limits of the root above
 * tenants. The suite has a separate installation, because its tests limit all tenants.
 */
public abstract class FleetQuotaContract {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private static final QuotaCell GPUS = new QuotaCell(H100, ResourceNames.GPU);

  private Stores stores;
  private TestWorld ours;
  private TestWorld theirs;

  protected abstract Stores stores();

  @BeforeEach
  void twoTenantsAndNoLimits() {
    stores = stores();
    for (QuotaNode node : stores.fleetQuotas().fleet()) {
      if (!node.limits().isEmpty()) {
        limit(node.id());
      }
    }
    ours = TestWorld.in(stores);
    theirs = TestWorld.in(stores);
  }

  /** Fails when a tenant is created without its node: none of its jobs would be admitted. */
  @Test
  void newTenantGetsANodeBelowTheRoot() {
    assertThat(stores.fleetQuotas().fleet())
        .extracting(QuotaNode::id)
        .contains(FleetQuota.ROOT, of(ours), of(theirs));
  }

  /** Fails when placements lock or count the root although it has no limits. */
  @Test
  void fleetQuotaIsInactiveWithoutLimits() {
    running(ours, 2);

    assertThat(stores.forest().platformNodes()).isEmpty();
    assertThat(stores.forest().fleetUses()).isEmpty();
    assertThat(stores.forest().allNodes()).noneMatch(QuotaNode::ofFleet);
  }

  /** Fails when only placements after the first limit are counted. */
  @Test
  void useBeforeTheFirstLimitIsCounted() {
    running(ours, 2);
    running(theirs, 1);
    long others = taken(FleetQuota.ROOT) - 3000;

    limit(FleetQuota.ROOT, gpus(100_000L, null, null));

    assertThat(used(of(ours))).isEqualTo(2000);
    assertThat(used(of(theirs))).isEqualTo(1000);
    assertThat(used(FleetQuota.ROOT)).isEqualTo(others + 3000);
  }

  @Test
  void countersAreDeletedWithTheLastLimit() {
    running(ours, 2);
    limit(of(ours), gpus(8000L, null, null));
    assertThat(used(of(ours))).isEqualTo(2000);
    assertThat(stores.forest().fleetUses(ours.tenant().id()))
        .as("Fails when a placement reads the use of every tenant")
        .extracting(QuotaUse::node)
        .containsOnly(FleetQuota.ROOT, of(ours));

    limit(of(ours));

    assertThat(stores.forest().fleetUses()).isEmpty();
  }

  /** Fails when the write of a placement does not check the quota of the fleet. */
  @Test
  void tenantIsCappedByItsFleetQuota() {
    limit(of(ours), gpus(1000L, 0L, null));
    Attempt first = running(ours, 1);

    refused(ours);

    assertThat(used(of(ours))).isEqualTo(1000);
    ours.succeed(first);
    assertThat(used(of(ours))).isZero();
    running(ours, 1);
  }

  /** Fails when a tenant's own quota adds to its quota from the platform. */
  @Test
  void tenantCannotRaiseItsFleetQuota() {
    limit(of(ours), gpus(1000L, 0L, null));
    ours.limit(ours.queue(), gpus(800_000L, null, null));
    running(ours, 1);

    refused(ours);
  }

  /** Fails when a tenant's use is not counted at the root. */
  @Test
  void tenantsShareTheQuotaOfTheRoot() {
    leave(1000);
    Attempt first = running(ours, 1);

    refused(theirs);

    ours.succeed(first);
    running(theirs, 1);
    refused(ours);
  }

  /** Fails when a tenant that may not borrow can use another tenant's quota. */
  @Test
  void tenantLendsUnusedQuotaToBorrowers() {
    leave(0);
    limit(of(ours), gpus(1000L, 0L, 1000L));

    Attempt borrowed = running(theirs, 1);
    refused(ours);

    theirs.succeed(borrowed);
    limit(of(ours), gpus(1000L, 0L, 0L));
    refused(theirs);
    running(ours, 1);
  }

  /** Fails when non-preemptible jobs can use lent quota of another tenant. */
  @Test
  void nonPreemptibleJobsBorrowNothing() {
    leave(4000);
    limit(of(theirs), gpus(1000L, null, null));
    theirs.place(
        theirs.submit(Specs.job("firm").gpus(1).priority(PriorityClass.HIGH)), 0, "node-1");

    Refused.by(
        Guard.QUOTA,
        () ->
            theirs.place(
                theirs.submit(Specs.job("more").gpus(1).priority(PriorityClass.HIGH)),
                0,
                "node-2"));
  }

  @Test
  void staleUpdateIsRejected() {
    QuotaNode old = node(of(ours));
    limit(of(ours), gpus(1000L, null, null));

    Refused.by(Guard.VERSION, () -> stores.fleetQuotas().updateFleet(with(old, 500)));
    assertThat(node(of(ours)).weight()).isEqualTo(1000);
  }

  @Test
  void weightAndLimitsAreReadBack() {
    QuotaLimit limit = gpus(8000L, 4000L, 2000L);
    stores.fleetQuotas().updateFleet(with(node(of(ours)), 2500, limit));

    assertThat(node(of(ours)).weight()).isEqualTo(2500);
    assertThat(node(of(ours)).limits()).containsExactly(limit);
  }

  /** Fails when the fleet's counters are not compared. */
  @Test
  void fleetCountersMatchAllocations() {
    limit(of(ours), gpus(8000L, null, null));
    Attempt attempt = running(ours, 1);
    assertThat(drifts()).isEmpty();

    stores.miscount(node(of(ours)), attempt.members().getFirst());

    List<Drift> found = drifts();
    assertThat(found)
        .anyMatch(d -> d.counter().contains("gpu") && d.counted() == 2000 && d.held() == 1000);
    stores.transactions().run(() -> stores.counters().repair(stores.counters().compare()));
    assertThat(drifts()).isEmpty();
    assertThat(used(of(ours))).isEqualTo(1000);
  }

  private List<Drift> drifts() {
    return stores.counters().compare().stream()
        .filter(d -> d.subject().equals(of(ours).value()))
        .toList();
  }

  private static Attempt running(TestWorld world, int gpus) {
    return world.run(world.place(world.submit(Specs.job("runs").gpus(gpus)), 0, "node-1"));
  }

  private static void refused(TestWorld world) {
    Refused.by(
        Guard.QUOTA, () -> world.place(world.submit(Specs.job("waits").gpus(1)), 0, "node-2"));
  }

  /** Limits the root to the current use and this amount. */
  private void leave(long milli) {
    limit(FleetQuota.ROOT, gpus(taken(FleetQuota.ROOT) + milli, null, null));
  }

  /** The current use, also without a limit. */
  private long taken(QuotaNodeId node) {
    limit(FleetQuota.ROOT, gpus(1_000_000L, null, null));
    long used = used(node);
    limit(FleetQuota.ROOT);
    return used;
  }

  private long used(QuotaNodeId node) {
    return stores.forest().fleetUses().stream()
        .filter(use -> use.node().equals(node) && use.cell().equals(GPUS))
        .mapToLong(QuotaUse::used)
        .sum();
  }

  private static QuotaNodeId of(TestWorld world) {
    return FleetQuota.of(world.tenant().id());
  }

  private QuotaNode node(QuotaNodeId id) {
    return stores.fleetQuotas().fleet().stream()
        .filter(n -> n.id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private void limit(QuotaNodeId id, QuotaLimit... limits) {
    stores.fleetQuotas().updateFleet(with(node(id), 1000, limits));
  }

  private static QuotaNode with(QuotaNode node, long weight, QuotaLimit... limits) {
    return node.with()
        .weight(weight)
        .limits(List.of(limits))
        .queue(null)
        .version(node.version() + 1)
        .build();
  }

  private static QuotaLimit gpus(Long nominal, Long borrowing, Long lending) {
    return new QuotaLimit(H100, ResourceNames.GPU, nominal, borrowing, lending);
  }
}
