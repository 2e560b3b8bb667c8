package dev.fairlead.care.health.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A rule is tried on stored events against each circuit breaker, in clusters of one GPU node. */
class RulesTest {
  private static final int APPLICATION = 31;
  private final MemoryStores stores = MemoryStores.empty(31);
  private final List<HealthHistory.Seen> seen = new ArrayList<>();
  private final Rules rules =
      new Rules(
          (xid, since, most) -> new HealthHistory.Excerpt(seen, since),
          stores.health(),
          stores.inventory(),
          new RuleBreakers(stores.inventory(), stores.health()),
          stores.clock());

  /** A node with a report of the code. */
  private TestWorld faulty() {
    TestWorld world = TestWorld.in(stores);
    int _ = world.report(NodeReports.node("node-1").build());
    Node node = world.node("node-1");
    seen.add(
        new HealthHistory.Seen(
            node.cluster(),
            node.id(),
            node.name(),
            "GPU-" + seen.size(),
            "",
            stores.clock().instant(),
            stores.clock().instant(),
            stores.clock().instant(),
            null));
    return world;
  }

  private List<String> refusals(int code) {
    return rules.replay(code, FaultScope.NODE, false, Duration.ofDays(7)).refusals();
  }

  private void pool(String name, TestWorld... clusters) {
    List<String> names = new ArrayList<>();
    for (TestWorld world : clusters) {
      names.add(world.cluster().name());
    }
    stores
        .pools()
        .insert(
            new Pool(
                new PoolId(stores.ids().next()),
                name,
                null,
                new PoolSelector(names, List.of(), new TreeMap<>(), List.of()),
                "",
                Spares.NONE,
                PoolWindows.NONE,
                1));
    int _ = stores.inventory().assign(stores.pools().pools());
  }

  /** Fails when a rule that isolates a whole pool is accepted because no cluster loses too much. */
  @Test
  void ruleAboveThePoolBreakerIsRejected() {
    TestWorld one = faulty();
    TestWorld two = faulty();
    assertThat(refusals(APPLICATION)).isEmpty();

    pool("research", one, two);

    assertThat(refusals(APPLICATION))
        .singleElement()
        .satisfies(
            reason("rules.would-quarantine-nodes-pool", 2, "research", 2, 1, "node-1", "node-1"));
  }

  /** Fails when a rule that isolates a node of each of many small clusters is accepted. */
  @Test
  void ruleAboveTheFleetBreakerIsRejected() {
    for (int i = 0; i < 8; i++) {
      faulty();
    }
    assertThat(refusals(APPLICATION)).isEmpty();

    faulty();

    assertThat(refusals(APPLICATION))
        .singleElement()
        .asString()
        .satisfies(reason("rules.would-quarantine-nodes-fleet", 9, 9));
  }

  /** Fails when a rule is refused for isolations that the current rule would also make. */
  @Test
  void ruleNoStricterThanTheStoredOneIsAccepted() {
    pool("research", faulty(), faulty());
    int fallenOffTheBus = 79;

    assertThat(refusals(fallenOffTheBus)).isEmpty();
  }
}
