package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.placement.Contradiction;
import dev.fairlead.work.placement.Contradiction.Kind;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots with contradictory rows, or with amounts at the limits of their type, are planned
 * normally: each such row is reported, no exception occurs, every job has a result, and the order
 * of the rows has no effect. Fails when Contradictions or SoundTree omits a kind.
 */
final class TornRows implements Law.Check {
  private static final int MOST = 4;
  private static final ClusterId NOWHERE = new ClusterId(new UUID(80, 80));
  private static final long[] EXTREMES = {
    0, 1, Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE / 2, Integer.MAX_VALUE
  };

  /** A world with one more contradictory row, and the expected report, null if none is expected. */
  private record Torn(World world, @Nullable Kind kind) {}

  @Override
  public Optional<String> broken(World world, Random random) {
    World torn = world;
    List<Kind> expected = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(MOST); i++) {
      Torn next = tear(torn, random);
      torn = next.world;
      if (next.kind != null) {
        expected.add(next.kind);
      }
    }
    Planned planned = Planned.of(torn);
    List<Kind> told = planned.plan().contradictions().stream().map(Contradiction::kind).toList();
    if (!told.containsAll(expected)) {
      return Optional.of("of " + expected + " only " + told + " is told");
    }
    Optional<String> unanswered = new Explained().broken(torn, random);
    return unanswered.isPresent() ? unanswered : new SameForAnyOrder().broken(torn, random);
  }

  private static Torn tear(World world, Random random) {
    int what = random.nextInt(9);
    if (what < 4 && !world.quotaNodes().isEmpty()) {
      return quota(world, one(world.quotaNodes(), random), what, random);
    }
    List<Node> there = world.nodes().stream().filter(n -> !n.cluster().equals(NOWHERE)).toList();
    if (what >= 4 && what < 7 && !there.isEmpty()) {
      return node(world, one(there, random), what, random);
    }
    if (what == 7 && !world.quotaUses().isEmpty()) {
      return use(world, one(world.quotaUses(), random), random);
    }
    Cluster twin = world.clusters().isEmpty() ? null : one(world.clusters(), random);
    return twin == null ? new Torn(world, null) : clusters(world, twin);
  }

  private static Torn quota(World world, QuotaNode node, int what, Random random) {
    return switch (what) {
      case 0 ->
          new Torn(
              with(world, node, new QuotaNodeId(new UUID(77, 77)), node.weight(), node.limits()),
              Kind.BROKEN_QUOTA);
      case 1 ->
          new Torn(with(world, node, node.id(), node.weight(), node.limits()), Kind.BROKEN_QUOTA);
      case 2 -> new Torn(with(world, node, node.parent(), -5, node.limits()), Kind.NEGATIVE_AMOUNT);
      default -> {
        boolean already =
            node.limits().stream().anyMatch(l -> l.nominal() != null && l.nominal() < 0);
        boolean negative = already || random.nextBoolean() && !node.limits().isEmpty();
        List<QuotaLimit> limits =
            node.limits().stream().map(l -> torn(l, negative, random)).toList();
        World torn = with(world, node, node.parent(), node.weight(), limits);
        yield new Torn(torn, negative ? Kind.NEGATIVE_AMOUNT : null);
      }
    };
  }

  private static QuotaLimit torn(QuotaLimit limit, boolean negative, Random random) {
    return negative
        ? new QuotaLimit(limit.flavor(), limit.resource(), -1L, Long.MIN_VALUE, -7L)
        : new QuotaLimit(
            limit.flavor(), limit.resource(), extreme(random), extreme(random), extreme(random));
  }

  private static long extreme(Random random) {
    return EXTREMES[random.nextInt(EXTREMES.length)];
  }

  private static Torn use(World world, QuotaUse use, Random random) {
    boolean negative = use.used() < 0 || random.nextBoolean();
    long amount = negative ? -1 - random.nextInt(100) : extreme(random);
    long nonPreemptible = amount % 2 == 0 ? amount : use.nonPreemptible();
    QuotaUse torn = new QuotaUse(use.node(), use.cell(), amount, nonPreemptible);
    List<QuotaUse> uses = Changed.replaced(world.quotaUses(), use, torn);
    return new Torn(Changed.uses(world, uses), negative ? Kind.NEGATIVE_AMOUNT : null);
  }

  private static Torn node(World world, Node node, int what, Random random) {
    long end = extreme(random);
    List<Node> nodes = new ArrayList<>(world.nodes());
    switch (what) {
      case 4 -> {
        NodeId twin = new NodeId(new UUID(78, random.nextInt(100)));
        nodes.add(node(node, twin, node.cluster(), node.allocatable()));
        return new Torn(Changed.nodes(world, nodes), Kind.DUPLICATE_NODE);
      }
      case 5 -> {
        NodeId lost = new NodeId(new UUID(79, random.nextInt(100)));
        nodes.add(node(node, lost, NOWHERE, node.allocatable()));
        return new Torn(Changed.nodes(world, nodes), Kind.NODE_WITHOUT_CLUSTER);
      }
      default -> {
        boolean negative = node.allocatable().cpuMilli() < 0 || random.nextBoolean();
        ResourceVector all =
            negative ? ResourceVector.of(-1, -1, -1, -1) : ResourceVector.of(end, end, end, end);
        Node torn = node(node, node.id(), node.cluster(), all);
        List<Node> replaced = Changed.replaced(nodes, node, torn);
        return new Torn(Changed.nodes(world, replaced), negative ? Kind.NEGATIVE_AMOUNT : null);
      }
    }
  }

  private static Torn clusters(World world, Cluster of) {
    List<Cluster> clusters = new ArrayList<>(world.clusters());
    clusters.add(of.withTrouble("twin"));
    clusters.sort(Comparator.comparing(Cluster::toString));
    return new Torn(Changed.clusters(world, clusters), Kind.DUPLICATE_CLUSTER);
  }

  private static World with(
      World world,
      QuotaNode n,
      @Nullable QuotaNodeId parent,
      long weight,
      List<QuotaLimit> limits) {
    QuotaNode torn = n.with().parent(parent).weight(weight).limits(limits).build();
    return Changed.quotas(world, Changed.replaced(world.quotaNodes(), n, torn));
  }

  private static Node node(Node n, NodeId id, ClusterId cluster, ResourceVector all) {
    return new Node(id, cluster, n.name(), n.version(), null, n.status().withAllocatable(all));
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }
}
