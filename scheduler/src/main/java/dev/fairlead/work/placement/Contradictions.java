package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.placement.Contradiction.Kind;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the rows that the plan ignored. */
final class Contradictions {
  private final List<Contradiction> found = new ArrayList<>();

  private Contradictions() {}

  /** Returns the contradictions, sorted by kind, then subject, then text. */
  static List<Contradiction> of(World world, Admission admission) {
    Contradictions all = new Contradictions();
    world.quotaNodes().forEach(node -> all.quota(node, admission));
    world.quotaUses().forEach(all::use);
    all.clusters(world);
    all.nodes(world);
    all.found.sort(
        Comparator.comparing(Contradiction::kind)
            .thenComparing(Contradiction::subject)
            .thenComparing(Contradiction::text));
    return all.found.stream().distinct().toList();
  }

  private void quota(QuotaNode node, Admission admission) {
    admission
        .broken(node.id())
        .ifPresent(why -> add(Kind.BROKEN_QUOTA, node.name(), why + "; it admits no job"));
    for (QuotaLimit limit : node.limits()) {
      if (negative(limit.nominal())
          || negative(limit.borrowingLimit())
          || negative(limit.lendingLimit())) {
        add(Kind.NEGATIVE_AMOUNT, node.name(), "a limit is negative: " + limit);
      }
    }
    if (node.weight() < 0) {
      add(Kind.NEGATIVE_AMOUNT, node.name(), "its weight is negative: " + node.weight());
    }
  }

  private void use(QuotaUse use) {
    if (use.used() < 0 || use.nonPreemptible() < 0) {
      add(Kind.NEGATIVE_AMOUNT, use.node().text(), "its use is negative: " + use.cell());
    }
  }

  private void clusters(World world) {
    SortedSet<ClusterId> ids = new TreeSet<>();
    SortedSet<String> names = new TreeSet<>();
    for (Cluster cluster : world.clusters()) {
      boolean newId = ids.add(cluster.id());
      if (!names.add(cluster.name()) || !newId) {
        add(
            Kind.DUPLICATE_CLUSTER,
            cluster.name(),
            "two clusters have this name, and the newer one is used");
      }
    }
  }

  private void nodes(World world) {
    SortedSet<ClusterId> clusters = new TreeSet<>();
    world.clusters().forEach(cluster -> clusters.add(cluster.id()));
    Map<ClusterId, Set<String>> seen = new TreeMap<>();
    for (Node node : world.nodes()) {
      if (node.state() == NodeState.RETIRED) {
        continue;
      }
      if (!clusters.contains(node.cluster())) {
        add(Kind.NODE_WITHOUT_CLUSTER, node.name(), "its cluster does not exist");
      } else if (!seen.computeIfAbsent(node.cluster(), c -> new LinkedHashSet<>())
          .add(node.name())) {
        add(
            Kind.DUPLICATE_NODE,
            node.name(),
            "two nodes of its cluster have this name, and the newer one is used");
      }
      if (node.allocatable().cpuMilli() < 0
          || node.allocatable().memoryMiB() < 0
          || node.allocatable().gpuMilli() < 0) {
        add(Kind.NEGATIVE_AMOUNT, node.name(), "it offers less than nothing");
      }
    }
  }

  private void add(Kind kind, String subject, String text) {
    found.add(new Contradiction(kind, subject, text));
  }

  private static boolean negative(@Nullable Long amount) {
    return amount != null && amount < 0;
  }
}
