package dev.fairlead.fleet.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.quota.Counters.Drift;
import dev.fairlead.fleet.quota.Counters.Kind;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Drift detection and repair of every {@link Counters}. */
public abstract class CountersContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  /** Of this world: others share the database. */
  private List<Drift> drifts() {
    Set<UUID> ours =
        stores.inventory().nodes(world.cluster().id()).stream()
            .map(node -> node.id().value())
            .collect(Collectors.toSet());
    ours.add(world.queue().id().value());
    ours.add(world.root().id().value());
    return stores.counters().compare().stream().filter(d -> ours.contains(d.subject())).toList();
  }

  private List<Drift> repair(List<Drift> found) {
    return stores.transactions().call(() -> stores.counters().repair(found));
  }

  private Attempt running() {
    return world.run(world.place(world.submit(Specs.job("runs").gpus(1)), 0, "node-1"));
  }

  @Test
  void chargesAndReleasesLeaveNoDrift() {
    Attempt attempt = running();
    assertThat(drifts()).isEmpty();
    world.succeed(attempt);
    assertThat(drifts()).isEmpty();
  }

  @Test
  void disagreeingCounterIsNamedWithBothNumbers() {
    Attempt attempt = running();

    stores.miscount(world.queue(), attempt.members().getFirst());

    assertThat(drifts()).extracting(Drift::kind).contains(Kind.QUOTA, Kind.NODE, Kind.GPU);
    assertThat(drifts())
        .filteredOn(d -> d.kind() == Kind.NODE && d.counter().equals("gpu"))
        .singleElement()
        .matches(d -> d.counted() == 2000 && d.held() == 1000);
  }

  /** Fails when a wrong counter is only reported. */
  @Test
  void repairRecountsAndTheNextAllocationContinuesFromIt() {
    Attempt attempt = running();
    stores.miscount(world.queue(), attempt.members().getFirst());
    List<Drift> found = drifts();

    assertThat(repair(found)).isNotEmpty();

    assertThat(drifts()).isEmpty();
    Node node = world.node("node-1");
    assertThat(node.allocated().gpuMilli()).isEqualTo(1000);
    world.succeed(attempt);
    world.place(world.submit(Specs.job("next").gpus(8)), 0, "node-1");
    assertThat(drifts()).isEmpty();
  }

  /** Fails when non-preemptible use is not compared with its rows. */
  @Test
  void nonPreemptibleUseIsComparedAndRecountedToo() {
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    world.limit(
        world.queue(),
        new QuotaLimit(flavor, "gpu", 8000L, null, null),
        new QuotaLimit(flavor, "cpu", null, null, null),
        new QuotaLimit(flavor, "memory", null, null, null));
    Specs firm = Specs.job("firm").gpus(1).priority(PriorityClass.HIGH);
    Attempt attempt = world.run(world.place(world.submit(firm), 0, "node-1"));
    assertThat(drifts()).isEmpty();

    stores.miscount(world.queue(), attempt.members().getFirst());

    assertThat(drifts())
        .extracting(Drift::counter)
        .contains("H100/RESERVED/gpu", "H100/RESERVED/gpu, not preemptible");
    repair(drifts());
    assertThat(drifts()).isEmpty();
    world.succeed(attempt);
    assertThat(stores.quotas().uses(world.tenant().id()))
        .allMatch(use -> use.nonPreemptible() == 0);
  }

  /** Fails when offered slices count as a different resource than their allocation. */
  @Test
  void earlierSlicesCountAsTheirFractionOfAGpu() {
    world.report(
        NodeReports.node("node-1").offers("nvidia.com/mig-1g.10gb", 7).build(),
        NodeReports.node("node-2").build());
    Job job =
        world.submit(
            Specs.job("slices")
                .gpu(new GpuRequest(GpuRequest.Kind.MIG, 2, 0, 0, "1g.10gb", List.of(), 0)));
    Node node = world.node("node-1");
    Member member =
        Member.planned(
            job.spec().roles().getFirst().name(),
            0,
            node.id(),
            node.name(),
            new Flavor("H100", CapacityType.RESERVED),
            new ResourceVector(100, 100, 0, 1, new TreeMap<>(Map.of("nvidia.com/mig-1g.10gb", 2L))),
            List.of());
    Attempt planned = world.attempt(job, 0, List.of(member));
    world.append(world.admission(planned));
    Attempt attempt = world.run(world.attempt(planned));

    assertThat(drifts()).filteredOn(d -> d.kind() == Kind.QUOTA).isEmpty();
    assertThat(stores.quotas().uses(world.tenant().id()))
        .filteredOn(use -> use.cell().resource().equals("gpu"))
        .isNotEmpty()
        .allMatch(use -> use.used() == 2 * 125);
    world.succeed(attempt);
  }

  /** Fails when a drift is written as found instead of computed again under locks. */
  @Test
  void countersThatAgreeAgainAreUnchanged() {
    Attempt attempt = running();
    Drift stale = new Drift(Kind.NODE, world.node("node-1").id().value(), "gpu", 1000, 0);

    assertThat(repair(List.of(stale))).isEmpty();

    assertThat(world.node("node-1").allocated().gpuMilli()).isEqualTo(1000);
    world.succeed(attempt);
  }
}
