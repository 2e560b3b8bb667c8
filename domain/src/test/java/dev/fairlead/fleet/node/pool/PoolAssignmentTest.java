package dev.fairlead.fleet.node.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector.Operator;
import dev.fairlead.fleet.node.pool.PoolSelector.Requirement;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Assignment of nodes to pools. */
class PoolAssignmentTest {
  private static final TenantId TENANT = new TenantId(new UUID(1, 1));
  private static final PoolSelector ALL_OF_EU =
      new PoolSelector(List.of("eu-1"), List.of(), new TreeMap<>(), List.of());

  private static Pool pool(int age, @Nullable TenantId owner, PoolSelector selector) {
    return new Pool(
        new PoolId(new UUID(7, age)),
        "p" + age,
        owner,
        selector,
        "",
        Spares.NONE,
        PoolWindows.NONE,
        1);
  }

  private static Node node(String... label) {
    return node(ResourceVector.ZERO, label);
  }

  private static Node node(ResourceVector allocated, String... label) {
    SortedMap<String, String> labels = new TreeMap<>();
    if (label.length > 0) {
      labels.put(label[0], label[1]);
    }
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(NodeState.ACTIVE)
            .gpuModel("H100-SXM")
            .gpuMemoryMiB(81_559)
            .allocated(allocated)
            .build()
            .labelled(labels);
    return new Node(
        new NodeId(new UUID(2, 1)), new ClusterId(new UUID(3, 1)), "n1", 1, null, status);
  }

  private static String of(Node node, Pool... pools) {
    NodePool pool = new PoolAssignment(List.of(pools), Instant.EPOCH).of("eu-1", node);
    return pool == null ? "" : pool.name();
  }

  /** Fails when a later shared pool gets an assigned node, or an owner's pool does not get it. */
  @Test
  void dedicatedPoolsPrecedeSharedOnesThenByAge() {
    Pool first = pool(1, null, ALL_OF_EU);
    Pool second = pool(2, null, ALL_OF_EU);
    Pool owned = pool(3, TENANT, ALL_OF_EU);

    assertThat(of(node(), second, first)).isEqualTo("p1");
    assertThat(of(node(), second, first, owned)).isEqualTo("p3");
  }

  /**
   * Open at the given time, like the current pool of the node. Fails when windows reassign a node
   * with work of another pool, or of none.
   */
  @ParameterizedTest
  @CsvSource({"p1, 0, p3", "p1, 1, p1", ", 0, p3", ", 1, p1", "gone, 1, p1"})
  void windowsReassignNoNodeWithWork(@Nullable String in, int pods, String next) {
    RecurringWindow always =
        RecurringWindow.of(Cron.parse("0 0 * * *"), Duration.ofHours(24), ZoneId.of("UTC"));
    PoolWindows open =
        new PoolWindows(List.of(always), Duration.ZERO, LeftoverPolicy.EVICT, Duration.ZERO);
    Pool owned = pool(3, TENANT, ALL_OF_EU).with(TENANT, ALL_OF_EU, "", Spares.NONE, open);
    NodePool nodePool = in == null ? null : new NodePool(in, null, Spares.NONE, PoolWindows.NONE);
    Node node = node(ResourceVector.of(0, 0, 0, pods)).in(nodePool);

    assertThat(of(node, pool(1, null, ALL_OF_EU), owned)).isEqualTo(next);
    assertThat(of(node(), owned)).isEqualTo("p3");
  }

  @ParameterizedTest
  @CsvSource({
    "IN, nlp, true",
    "IN, vision, false",
    "IN, , false",
    "NOT_IN, nlp, false",
    "NOT_IN, vision, true",
    "NOT_IN, , true",
    "EXISTS, vision, true",
    "EXISTS, , false",
    "DOES_NOT_EXIST, vision, false",
    "DOES_NOT_EXIST, , true"
  })
  void expressionsMatchKubernetesSemantics(
      Operator operator, @Nullable String label, boolean selected) {
    boolean compares = operator == Operator.IN || operator == Operator.NOT_IN;
    List<String> values = compares ? List.of("nlp", "speech") : List.of();
    PoolSelector selector =
        new PoolSelector(
            List.of(),
            List.of(),
            new TreeMap<>(),
            List.of(new Requirement("team", operator, values)));

    Node node = label == null ? node() : node("team", label);

    assertThat(selector.selects("eu-1", node)).isEqualTo(selected);
  }

  @Test
  void everyPartOfASelectorHasToBeMet() {
    PoolSelector selector =
        new PoolSelector(
            List.of("eu-1"), List.of("H100"), new TreeMap<>(Map.of("team", "nlp")), List.of());

    assertThat(selector.selects("eu-1", node("team", "nlp"))).isTrue();
    assertThat(selector.selects("us-2", node("team", "nlp"))).isFalse();
    assertThat(selector.selects("eu-1", node("team", "vision"))).isFalse();
    PoolSelector other = new PoolSelector(List.of(), List.of("L4"), new TreeMap<>(), List.of());
    assertThat(other.selects("eu-1", node())).isFalse();
  }
}
