package dev.fairlead.work.workload.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.data.volume.service.VolumeLosses;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.lease.LeaseRow;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.service.attempt.VolumeRepository;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Changes of claims while no job is launched. */
class VolumeUpkeepTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimulatedCluster cluster =
      new SimulatedCluster("eu-1", List.of(new FleetPool(1, 8, "H100", 1, 1)), stores.clock(), 1);
  private HeldLease lease = stores.leases().create("cluster/1", "me").orElseThrow();
  private final VolumeRepository repository =
      ServiceParts.attempts(stores, stores.jobs()).volumes();
  private long nanos;
  private VolumeUpkeep upkeep = newUpkeep();
  private final VolumeLosses losses =
      new VolumeLosses(stores.transactions(), stores.volumes(), stores.inventory(), stores.audit());
  private final Actor operator = new Actor(world.tenant().id(), "olga", Role.OPERATOR);

  private VolumeUpkeep newUpkeep() {
    return new VolumeUpkeep(world.cluster().id(), repository, Runnable::run, () -> nanos);
  }

  /** Lets another process supervise the cluster. */
  private void takeOver() {
    LeaseRow mine = stores.leases().read(lease.name()).orElseThrow();
    lease = stores.leases().takeOver(mine, "other").orElseThrow();
    upkeep = newUpkeep();
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    upkeep.carry(lease, cluster);
  }

  private Volume provisioned() {
    cluster.claims().binds(false);
    return provisioned("training");
  }

  private Volume provisioned(String name) {
    Volume placed =
        Volumes.stored(
            stores, Volumes.kept(stores, world.project(), name).placed(world.cluster().id()));
    VolumeOutcome made =
        cluster.provide(
            new VolumeOrder(stores.leases().installation(), 1, world.project(), placed));
    return repository.noted(lease, placed, made).orElseThrow();
  }

  private Volume now(Volume volume) {
    return stores.volumes().find(volume.tenant(), volume.project(), volume.name()).orElseThrow();
  }

  /** Fails when a claim that its cluster binds late stays in provisioning. */
  @Test
  void lateBoundClaimIsBoundSoon() {
    Volume volume = provisioned();
    pass(Duration.ofSeconds(5));
    assertThat(now(volume).state()).isEqualTo(VolumeState.PROVISIONING);

    cluster.claims().binds(true);
    pass(Duration.ofSeconds(5));

    assertThat(now(volume).state()).isEqualTo(VolumeState.BOUND);
    assertThat(now(volume).message()).isNull();
  }

  private Volume bound() {
    Volume volume = provisioned();
    cluster.claims().binds(true);
    pass(Duration.ofSeconds(5));
    return volume;
  }

  private void passes(int seconds) {
    for (int passed = 0; passed < seconds; passed += 5) {
      pass(Duration.ofSeconds(5));
    }
  }

  /** Fails when a deleted claim is reported only at the next launch, or after one check. */
  @Test
  void externallyDeletedClaimIsReportedWithinAMinuteAndLostAfterFive() {
    Volume volume = bound();
    cluster.claims().delete(world.project().namespace(), volume.claimName());

    passes(60);
    assertThat(now(volume).state()).isEqualTo(VolumeState.BOUND);
    assertThat(now(volume).message()).contains("no longer exists", "LOST after five minutes");
    passes(300);

    assertThat(now(volume).state()).isEqualTo(VolumeState.LOST);
    assertThat(now(volume).message()).contains("claim ", "no longer exists");
    assertThat(cluster.claims().made()).hasSize(1);
  }

  /** Fails when an earlier absence of the claim counts. */
  @Test
  void temporarilyMissingClaimIsNotLost() {
    Volume volume = bound();
    for (int time = 0; time < 3; time++) {
      cluster.claims().delete(world.project().namespace(), volume.claimName());
      passes(240);
      assertThat(now(volume).message()).isNotNull();
      assertThat(now(volume).state()).isEqualTo(VolumeState.BOUND);
      cluster.claims().restore(world.project().namespace(), volume.claimName());
      passes(60);
      assertThat(now(volume).message()).isNull();
    }
  }

  /** Fails when a check from before another process supervised the cluster counts. */
  @Test
  void claimIsMissingSinceTheFirstCheckOfTheEpoch() {
    Volume volume = bound();
    cluster.claims().delete(world.project().namespace(), volume.claimName());
    passes(240);
    LeaseRow mine = stores.leases().read(lease.name()).orElseThrow();
    lease = stores.leases().takeOver(mine, "me").orElseThrow();
    passes(240);
    assertThat(now(volume).state()).isEqualTo(VolumeState.BOUND);
    passes(120);
    assertThat(now(volume).state()).isEqualTo(VolumeState.LOST);
  }

  /** Fails when a lost volume is never checked again, or its time without a claim is billed. */
  @Test
  void lostVolumeIsFoundByTheUidOfItsClaim() {
    Volume volume = bound();
    cluster.claims().delete(world.project().namespace(), volume.claimName());
    passes(420);
    assertThat(now(volume).state()).isEqualTo(VolumeState.LOST);
    stores.clock().advance(Duration.ofHours(1));
    cluster.claims().restore(world.project().namespace(), volume.claimName());

    passes(60);

    Volume found = now(volume);
    assertThat(found.state()).isEqualTo(VolumeState.BOUND);
    assertThat(found.claimUid()).isEqualTo(volume.claimUid());
    List<VolumeStay> stays = new ArrayList<>();
    Instant later = stores.jobs().now().plus(Duration.ofHours(1));
    stores.volumes().stays(volume.tenant(), Instant.EPOCH, later, stays::add);
    assertThat(stays).hasSize(2);
    assertThat(Duration.between(stays.getFirst().to(), stays.getLast().from()))
        .isGreaterThanOrEqualTo(Duration.ofHours(1));
    assertThat(stays.getLast().to()).isEqualTo(later);
  }

  private List<Volume> bound(int volumes) {
    List<Volume> all = new ArrayList<>();
    for (int number = 0; number < volumes; number++) {
      all.add(provisioned("data-" + number));
    }
    return all;
  }

  private void delete(List<Volume> volumes) {
    volumes.forEach(v -> cluster.claims().delete(world.project().namespace(), v.claimName()));
  }

  private void restore(List<Volume> volumes) {
    volumes.forEach(v -> cluster.claims().restore(world.project().namespace(), v.claimName()));
  }

  private static Consumer<@Nullable VolumeBreaker> missing(int missing, int claims) {
    return open -> {
      assertThat(open).isNotNull();
      assertThat(open.missing()).isEqualTo(missing);
      assertThat(open.claims()).isEqualTo(claims);
    };
  }

  private void confirm(int missing) {
    VolumeLosses.View _ = losses.confirm(operator, world.cluster().name(), missing, false);
  }

  private List<VolumeState> states(List<Volume> volumes) {
    return volumes.stream().map(volume -> now(volume).state()).distinct().toList();
  }

  /** Fails when a restored etcd without the claims, or another API server, loses all volumes. */
  @Test
  void manyThatVanishTogetherAreNotLostUntilAllAreShownAgain() {
    List<Volume> all = bound(25);
    delete(all);
    passes(900);

    assertThat(states(all)).containsExactly(VolumeState.BOUND);
    assertThat(now(all.getFirst()).message())
        .contains("no longer exists", "becomes LOST only when");
    assertThat(upkeep.breaker()).satisfies(missing(25, 25));

    all.subList(5, 25)
        .forEach(v -> cluster.claims().restore(world.project().namespace(), v.claimName()));
    passes(900);
    assertThat(states(all)).containsExactly(VolumeState.BOUND);
    assertThat(upkeep.breaker()).satisfies(missing(5, 25));

    all.subList(0, 5)
        .forEach(v -> cluster.claims().restore(world.project().namespace(), v.claimName()));
    passes(65);
    assertThat(upkeep.breaker()).isNull();
    assertThat(now(all.getFirst()).message()).isNull();
  }

  /**
   * Fails when a new process does not know that the circuit breaker was open, so that the remaining
   * missing claims count as a few separate losses.
   */
  @Test
  void breakerIsOpenAfterATakeoverUntilTheLastClaimIsShown() {
    List<Volume> all = bound(25);
    delete(all);
    passes(300);
    restore(all.subList(5, 25));
    passes(120);
    assertThat(upkeep.breaker()).satisfies(missing(5, 25));

    takeOver();
    passes(900);

    assertThat(states(all)).containsExactly(VolumeState.BOUND);
    assertThat(upkeep.breaker()).satisfies(missing(5, 25));
    restore(all.subList(0, 5));
    passes(65);
    assertThat(upkeep.breaker()).isNull();
    assertThat(stores.volumes().breakers()).isEmpty();
  }

  /** Fails when a confirmation covers claims that vanished later, or another number of claims. */
  @Test
  void confirmedLossMarksOnlyTheVolumesThatTheOperatorSaw() {
    List<Volume> all = bound(60);
    delete(all.subList(0, 25));
    passes(420);
    assertThat(states(all)).containsExactly(VolumeState.BOUND);

    assertThatExceptionOfType(Refusal.class)
        .isThrownBy(() -> confirm(24))
        .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(ProblemCode.ILLEGAL_STATE))
        .withMessageContaining("25 claims are missing now, not 24");
    delete(all.subList(25, 50));
    confirm(25);
    takeOver();
    passes(900);

    assertThat(states(all.subList(0, 25))).containsExactly(VolumeState.LOST);
    assertThat(states(all.subList(25, 60))).containsExactly(VolumeState.BOUND);
    assertThat(losses.breakers(operator))
        .extracting(VolumeLosses.View::missing)
        .containsExactly(25);
    assertThat(stores.auditEntries())
        .filteredOn(row -> row.operation().equals("confirmVolumeLoss"))
        .singleElement()
        .satisfies(row -> assertThat(row.detail()).containsEntry("missing", 25));
  }

  /** Fails when a confirmation of an earlier loss remains valid after the claims returned. */
  @Test
  void aConfirmationEndsWhenTheClaimsReturn() {
    List<Volume> all = bound(25);
    delete(all);
    passes(65);
    confirm(25);
    restore(all);
    passes(65);
    delete(all);

    passes(900);

    assertThat(states(all)).containsExactly(VolumeState.BOUND);
    assertThat(upkeep.breaker()).satisfies(missing(25, 25));
  }

  /**
   * Fails when marks remain after a commit without an answer, so jobs wait for claims that exist.
   */
  @Test
  void existingClaimsAreNoLongerMarkedAsMissing() {
    List<Volume> all = bound(25);
    passes(65);
    stores.volumes().mark(world.cluster().id(), all.stream().map(Volume::id).toList(), world.now());

    passes(5);

    assertThat(stores.volumes().breakers()).isEmpty();
  }

  /** Fails when a volume that is found again is still marked, so jobs that mount it wait. */
  @Test
  void volumeFoundAfterAConfirmedLossIsNotMarked() {
    List<Volume> all = bound(25);
    delete(all);
    passes(420);
    confirm(25);
    passes(65);
    assertThat(states(all)).containsExactly(VolumeState.LOST);
    stores.volumes().mark(world.cluster().id(), all.stream().map(Volume::id).toList(), world.now());
    restore(all);

    passes(65);

    assertThat(states(all)).containsExactly(VolumeState.BOUND);
    assertThat(all).allSatisfy(volume -> assertThat(now(volume).missingSince()).isNull());
  }

  /** Fails when volumes are lost while it is not known whether the others have their claims. */
  @Test
  void partialClusterResponseMarksNoVolumeLost() {
    List<Volume> all = bound(25);
    delete(all);
    List<UUID> answered = all.subList(0, 4).stream().map(Volume::id).toList();
    ClusterGateway partly =
        (ClusterGateway)
            Proxy.newProxyInstance(
                ClusterGateway.class.getClassLoader(),
                new Class<?>[] {ClusterGateway.class},
                (self, method, arguments) -> {
                  VolumeOrder order = (VolumeOrder) arguments[0];
                  return answered.contains(order.volume().id())
                      ? cluster.provide(order)
                      : new VolumeOutcome.Not(new ActionOutcome.Unavailable("503"));
                });
    for (int passed = 0; passed < 900; passed += 5) {
      nanos += Duration.ofSeconds(5).toNanos();
      upkeep.carry(lease, partly);
    }
    assertThat(states(all)).containsExactly(VolumeState.BOUND);
  }

  /** Fails when volumes that their owners deleted hold the circuit breaker open forever. */
  @Test
  void deletedVolumesAreNotMissing() {
    List<Volume> all = bound(25);
    delete(all);
    passes(300);
    assertThat(upkeep.breaker()).satisfies(missing(25, 25));

    stores
        .transactions()
        .run(() -> all.forEach(volume -> stores.volumes().update(now(volume).ended())));
    passes(65);

    assertThat(upkeep.breaker()).isNull();
  }

  /** Fails when the circuit breaker opens for volumes that may vanish together on any cluster. */
  @Test
  void twentyThatVanishTogetherAreLost() {
    List<Volume> all = bound(20);
    delete(all);

    passes(420);

    assertThat(states(all)).containsExactly(VolumeState.LOST);
    assertThat(upkeep.breaker()).isNull();
  }

  /** Fails when a claim with other data replaces the lost one. */
  @Test
  void foreignClaimOfThatNameFindsNothing() {
    Volume volume = bound();
    cluster.claims().replace(world.project().namespace(), volume.claimName());

    passes(900);

    assertThat(now(volume).state()).isEqualTo(VolumeState.LOST);
  }

  /** Fails when a missing answer counts as a deleted claim. */
  @Test
  void unresponsiveClusterMarksNoVolumeLost() {
    Volume volume = provisioned();
    cluster.claims().binds(true);
    pass(Duration.ofSeconds(5));
    cluster.partition(true);

    passes(420);

    assertThat(now(volume).state()).isEqualTo(VolumeState.BOUND);
    assertThat(now(volume).message()).isNull();
  }
}
