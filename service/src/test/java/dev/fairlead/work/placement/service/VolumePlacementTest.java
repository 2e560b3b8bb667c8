package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A volume is placed on one cluster, regardless of plans. */
class VolumePlacementTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final ClusterId elsewhere = new ClusterId(stores.ids().next());
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), t -> {});
  private final PlanApplier applier = ServiceParts.applier(stores, stores.jobs(), writer, metrics);
  private final HeldLease lease = stores.leases().create("scheduler", "me").orElseThrow();

  private Decision.Place place(Job job, ClusterId cluster) {
    return place(job, cluster, "node-1");
  }

  private Decision.Place place(Job job, ClusterId cluster, String node) {
    return new Decision.Place(
        job.id(),
        job.version(),
        0,
        cluster,
        Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED),
        List.of(),
        List.of(),
        null);
  }

  private int dropped(Decision... decisions) {
    return dropped(List.of(), decisions);
  }

  private int dropped(List<Volume> read, Decision... decisions) {
    Plan plan = Plan.of(world.now(), List.of(decisions), new TreeMap<>(), List.of());
    return applier.apply(lease, plan, read).dropped();
  }

  private Job job(String name, String volume) {
    return world.submit(Specs.job(name).gpus(1).volume(volume));
  }

  private Volume claim(String name) {
    return Volumes.kept(stores, world.project(), name);
  }

  private Volume now(Volume volume) {
    return stores.volumes().find(volume.tenant(), volume.project(), volume.name()).orElseThrow();
  }

  private JobState state(Job job) {
    return world.job(job).state();
  }

  private ClusterId here() {
    Cluster cluster = world.cluster();
    return cluster.id();
  }

  /** Fails when a placement leaves its volume in the state CLAIMED. */
  @Test
  void aPlacementPlacesTheVolumesOfItsJob() {
    Volume volume = claim("training");
    Job job = job("first", "training");

    assertThat(dropped(place(job, here()))).isZero();

    assertThat(now(volume)).isEqualTo(volume.placed(here()));
  }

  /** Fails without the guard: the second job would run without the data of the first. */
  @Test
  void secondJobOfABatchThatWouldPlaceTheVolumeTwiceIsReplanned() {
    Volume volume = claim("training");
    Job first = job("first", "training");
    Job second = job("second", "training");
    Job third = job("third", "training");

    assertThat(
            dropped(place(first, here()), place(second, elsewhere), place(third, here(), "node-2")))
        .isOne();

    assertThat(state(first)).isEqualTo(JobState.ADMITTED);
    assertThat(state(second)).isEqualTo(JobState.QUEUED);
    assertThat(state(third)).isEqualTo(JobState.ADMITTED);
    assertThat(now(volume).cluster()).isEqualTo(here());
    assertThat(metrics.counter("fairlead.plan.dropped", "guard", "VOLUME").count()).isOne();
  }

  /** Fails when a plan from before the placement of the volume by another process is applied. */
  @Test
  void aPlanFromBeforeTheVolumeWasPlacedElsewhereIsDropped() {
    Volume volume = claim("training");
    Job job = job("late", "training");
    Decision.Place planned = place(job, here());
    Volumes.stored(stores, volume.placed(elsewhere));

    assertThat(dropped(planned)).isOne();

    assertThat(state(job)).isEqualTo(JobState.QUEUED);
    assertThat(now(volume).cluster()).isEqualTo(elsewhere);
  }

  /** Fails when a plan from before the claim was missing holds GPUs for pods that cannot start. */
  @Test
  void aPlanFromBeforeTheClaimWasMissingIsDropped() {
    Volume volume = Volumes.stored(stores, claim("training").placed(here()));
    Volume made = Volumes.stored(stores, volume.provisioned("uid-1", world.now()));
    Job job = job("late", "training");
    Decision.Place planned = place(job, here());
    stores.volumes().mark(here(), List.of(volume.id()), world.now());

    assertThat(dropped(List.of(made), planned)).isOne();

    assertThat(state(job)).isEqualTo(JobState.QUEUED);
    stores.volumes().mark(here(), List.of(), world.now());
    assertThat(dropped(List.of(made), planned)).isZero();
  }

  /**
   * Fails when a job is placed on a node that was selected before the topology of its disk was
   * known.
   */
  @Test
  void planFromBeforeItsNodesWereKnownIsDropped() {
    Volume claimed = claim("training");
    Volume placed = Volumes.stored(stores, claimed.placed(here()));
    Volume made = Volumes.stored(stores, placed.provisioned("uid", world.now()));
    Volume bound = Volumes.stored(stores, made.bound(world.now()));
    Volume known =
        Volumes.stored(stores, bound.reachedWith(new TreeMap<>(Map.of("disk", "node-2"))));
    Job job = job("late", "training");

    assertThat(dropped(List.of(bound), place(job, here()))).isOne();
    assertThat(state(job)).isEqualTo(JobState.QUEUED);

    assertThat(dropped(List.of(known), place(job, here()))).isZero();
    assertThat(state(job)).isEqualTo(JobState.ADMITTED);
  }

  /** Fails when a volume stays placed although the placement of its job was not written. */
  @Test
  void whereThePlacementFailsTheVolumeStaysClaimed() {
    Volume volume = claim("training");
    Decision.Place late = place(job("late", "training"), here());
    Job full = world.submit(Specs.job("full").gpus(8));
    assertThat(dropped(place(full, here()))).isZero();

    assertThat(dropped(late)).isOne();

    assertThat(now(volume).state()).isEqualTo(VolumeState.CLAIMED);
  }
}
