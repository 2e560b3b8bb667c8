package dev.fairlead.work.workload.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BoundPlacesTest {
  private final Stores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  @Test
  void aPodOnAnEqualNodeIsAccepted() {
    assertThat(refused(bound("node-2"))).isEmpty();
  }

  @Test
  void aPodOnAQuarantinedNodeIsRefusedWithTheNameOfTheNode() {
    Attempt attempt = bound("node-2");
    stores.moveNode(world.node("node-2").id(), NodeState.QUARANTINED);

    assertThat(refused(attempt).orElseThrow()).contains("worker-0", "node-2", "is quarantined");
  }

  @Test
  void podOnADifferentlyPricedNodeIsRefusedAndQuotaStaysCharged() {
    Attempt attempt = bound("node-9");
    world.report(
        NodeReports.node("node-1").build(), NodeReports.node("node-9").model("A100").build());

    assertThat(refused(attempt).orElseThrow()).contains("has another GPU model");
    assertThat(places().of(List.of(attempt))).isEmpty();
  }

  @Test
  void podOnAnUnstoredNodeIsFollowedLater() {
    Attempt attempt = bound("node-9");

    assertThat(places().misplaced(attempt)).isTrue();
    assertThat(places().of(List.of(attempt))).isEmpty();

    world.report(
        NodeReports.node("node-1").build(),
        NodeReports.node("node-2").build(),
        NodeReports.node("node-9").build());

    assertThat(places().of(List.of(attempt))).containsKey(attempt.id());
  }

  private Attempt bound(String node) {
    Attempt attempt = world.place(world.submit(Specs.job("alone").gpus(1)), 0, "node-1");
    return attempt.with(attempt.members().stream().map(m -> m.boundTo(node)).toList());
  }

  private Optional<String> refused(Attempt attempt) {
    return places().refused(attempt);
  }

  private BoundPlaces places() {
    return new BoundPlaces(stores.inventory().nodes(world.cluster().id()));
  }
}
