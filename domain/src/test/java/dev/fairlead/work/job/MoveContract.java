package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.judgement.BoundPlaces;
import dev.fairlead.work.workload.judgement.PlaceTransitions;
import dev.fairlead.work.workload.judgement.PlaceTransitions.Place;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Resources of members that follow their pods to nodes that another scheduler chose. */
public abstract class MoveContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void capacityAndGpusFollowThePodAndQuotaIsUnchanged() {
    Attempt attempt = place("alone", "node-1");
    List<QuotaUse> before = stores.quotas().uses(world.tenant().id());

    assertThat(follow(bound(attempt, "node-2"))).isEqualTo(1);

    assertThat(world.node("node-1").allocated()).isEqualTo(ResourceVector.ZERO);
    assertThat(held("node-1")).isZero();
    assertThat(held("node-2")).isEqualTo(8);
    assertThat(only(attempt).node()).isEqualTo(world.node("node-2").id());
    assertThat(only(attempt).nodeName()).isEqualTo("node-2");
    assertThat(stores.quotas().uses(world.tenant().id())).isEqualTo(before);
  }

  @Test
  void twoJobsExchangeFullNodes() {
    Attempt one = place("one", "node-1");
    Attempt other = place("other", "node-2");

    assertThat(follow(bound(one, "node-2"), bound(other, "node-1"))).isEqualTo(2);

    assertThat(only(one).nodeName()).isEqualTo("node-2");
    assertThat(only(other).node()).isEqualTo(world.node("node-1").id());
    assertThat(held("node-1")).isEqualTo(8);
    assertThat(held("node-2")).isEqualTo(8);
  }

  @Test
  void nodePlannedForAnotherPodIsFullUntilThatPodIsBound() {
    Attempt one = place("one", "node-1");
    Attempt waits = place("waits", "node-2");

    assertThat(follow(bound(one, "node-2"), waits)).isZero();
    assertThat(only(one).node()).isEqualTo(world.node("node-1").id());

    assertThat(follow(bound(one, "node-2"), bound(waits, "node-1"))).isEqualTo(2);
  }

  @Test
  void endReleasesTheCapacityOnTheNodeOfThePod() {
    Attempt attempt = place("ends", "node-1");
    follow(bound(attempt, "node-2"));

    world.succeed(world.run(world.attempt(attempt)));

    assertThat(world.node("node-2").allocated()).isEqualTo(ResourceVector.ZERO);
    assertThat(held("node-2")).isZero();
    assertThat(stores.quotas().uses(world.tenant().id()))
        .allSatisfy(use -> assertThat(use.used()).isZero());
  }

  private Attempt place(String name, String node) {
    return world.place(world.submit(Specs.job(name).gpus(8)), 0, node);
  }

  private Member only(Attempt attempt) {
    return world.attempt(attempt).members().getFirst();
  }

  private long held(String node) {
    return world.node(node).gpus().stream()
        .filter(gpu -> gpu.allocatedMilli() == Gpu.WHOLE_MILLI)
        .count();
  }

  private Attempt bound(Attempt attempt, String node) {
    Attempt stored = world.attempt(attempt);
    return stored.with(stored.members().stream().map(m -> m.boundTo(node)).toList());
  }

  /** Returns how many attempts were moved. */
  private int follow(Attempt... attempts) {
    List<Node> nodes = stores.inventory().nodes(world.cluster().id());
    Map<AttemptId, Map<MemberKey, Place>> found = new BoundPlaces(nodes).of(List.of(attempts));
    List<Transition> moves = new ArrayList<>();
    for (Attempt attempt : attempts) {
      PlaceTransitions.moved(
              world.jobOf(attempt),
              attempt,
              found.getOrDefault(attempt.id(), Map.of()),
              TestWorld.ACTOR)
          .ifPresent(moves::add);
    }
    world.append(moves.toArray(Transition[]::new));
    return moves.size();
  }
}
