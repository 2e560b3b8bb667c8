package dev.fairlead.work.placement.blockers;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.MigSlices;
import dev.fairlead.fleet.cluster.SharedGpus;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.placement.filter.FabricFilter;
import dev.fairlead.work.placement.filter.NumaNodes;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Searches for a node that could hold one member if it were empty. Each check narrows the remaining
 * nodes.
 */
final class OneMember {
  private final MemberShape member;
  private List<NodeCapacity> left;
  private @Nullable Blocker found;

  private OneMember(MemberShape member, List<NodeCapacity> capacities) {
    this.member = member;
    left = capacities;
  }

  /**
   * Explains why no node of these clusters could ever hold the member. The result is empty if one
   * could.
   *
   * @param drawn whether volumes of the job also require labels
   */
  static Optional<Blocker> neverFits(
      MemberShape member, boolean drawn, List<ClusterCapacity> clusters) {
    List<NodeCapacity> capacities = new ArrayList<>();
    SortedMap<ClusterId, Cluster> sharing = new TreeMap<>();
    SortedMap<ClusterId, Cluster> byId = new TreeMap<>();
    for (ClusterCapacity cluster : clusters) {
      capacities.addAll(cluster.capacities());
      byId.put(cluster.cluster().id(), cluster.cluster());
      if (cluster.cluster().capabilities().sharing()) {
        sharing.put(cluster.cluster().id(), cluster.cluster());
      }
    }
    OneMember asked = new OneMember(member, capacities);
    asked.askLabels(drawn);
    if (member.asksGpu()) {
      asked.askGpu(sharing, byId);
    }
    asked.askFabric(byId);
    asked.askNuma();
    asked.askHost();
    return Optional.ofNullable(asked.found);
  }

  private void askLabels(boolean drawn) {
    String labels = Wording.labels(member.nodeLabels());
    int all = left.size();
    narrow(
        n -> n.labels().entrySet().containsAll(member.nodeLabels().entrySet()),
        () ->
            drawn
                ? NeverFits.never(
                    "none of %d eligible nodes has labels %s".formatted(all, labels),
                    "return a node that reaches its volumes to service, or correct"
                        + " placement.nodeLabels")
                : NeverFits.never("no node carries " + labels, "correct placement.nodeLabels"));
  }

  private void askGpu(
      SortedMap<ClusterId, Cluster> sharing, SortedMap<ClusterId, Cluster> clusters) {
    GpuRequest gpu = member.gpu();
    String models = gpu.models().isEmpty() ? "GPUs" : String.join(" or ", gpu.models());
    String there = there();
    String none =
        gpu.models().isEmpty()
            ? "no node has GPUs"
            : "no node has " + models + "; there are " + there;
    narrow(
        n -> !n.gpuModel().equals(Flavor.CPU) && gpu.accepts(n.gpuModel(), Long.MAX_VALUE),
        () -> NeverFits.never(none, "request a different gpu.model"));
    atMost(
        n -> n.gpuMemoryMiB(),
        gpu.minMemoryMiB(),
        "no GPU has " + Quantity.ofMebibytes(gpu.minMemoryMiB()) + " of memory; the largest has ",
        Quantity::ofMebibytes,
        "request less gpu.minMemory");
    switch (gpu.kind()) {
      case NONE -> {}
      case MIG -> askSlices(clusters);
      case WHOLE ->
          atMost(
              n -> n.gpus().size(),
              gpu.count(),
              "no node has " + gpu.count() + " " + models + "; the largest has ",
              Long::toString,
              "request fewer GPUs per member and more members");
      case FRACTION -> askSharing(sharing);
      case MEMORY -> {
        askSharing(sharing);
        atMost(
            n -> n.gpuMemoryMiB(),
            gpu.memoryMiB(),
            "no GPU has " + Quantity.ofMebibytes(gpu.memoryMiB()) + " of memory; the largest has ",
            Quantity::ofMebibytes,
            "request less gpu.memory");
      }
    }
  }

  private void askSharing(SortedMap<ClusterId, Cluster> sharing) {
    narrow(
        n -> sharing.containsKey(n.cluster()),
        () ->
            NeverFits.never(
                "no eligible cluster shares GPUs between members", "request whole GPUs"));
    String parts =
        left.stream()
            .map(r -> SharedGpus.parts(r.node().labels()))
            .filter(p -> p > 0)
            .distinct()
            .sorted()
            .map(p -> "1/" + p)
            .collect(Collectors.joining(", "));
    narrow(
        n -> {
          Cluster cluster = sharing.get(n.cluster());
          return cluster != null && SharedGpus.realises(cluster, n, member.gpu());
        },
        () ->
            NeverFits.never(
                "no node provides such a part of a GPU. Available parts: " + parts,
                "request gpu.fraction of that size, or whole GPUs"));
  }

  private void askSlices(SortedMap<ClusterId, Cluster> clusters) {
    String profiles =
        left.stream()
            .flatMap(r -> profiles(clusters.get(r.node().cluster()), r.node()))
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "));
    String none =
        profiles.isEmpty()
            ? "no eligible cluster has GPUs with MIG slices"
            : "no node has MIG slices %s. Available: %s"
                .formatted(member.gpu().migProfile(), profiles);
    narrow(
        n -> {
          Cluster cluster = clusters.get(n.cluster());
          return cluster != null && MigSlices.realises(cluster, n, member.gpu());
        },
        () ->
            NeverFits.never(
                none, profiles.isEmpty() ? "request whole GPUs" : "request a different gpu.mig"));
  }

  private static Stream<String> profiles(@Nullable Cluster cluster, Node node) {
    Stream<String> cut = MigSlices.cut(node).stream();
    return cluster == null
        ? cut
        : Stream.concat(
            cut,
            MigSlices.onDemand(cluster, node).stream()
                .flatMap(g -> g.profiles().stream())
                .map(MigGeometry.Profile::name));
  }

  private void askFabric(SortedMap<ClusterId, Cluster> clusters) {
    narrow(
        n -> {
          Cluster cluster = clusters.get(n.cluster());
          return cluster != null && new FabricFilter().admits(cluster, n, member);
        },
        () ->
            NeverFits.never(
                "no suitable node has a fabric for rdma",
                "submit it without rdma, or ask an administrator to register a"
                    + " cluster with rdmaResource"));
  }

  private void askNuma() {
    narrow(
        n -> member.numa() != PlacementSpec.Numa.REQUIRED || NumaNodes.holds(n, member),
        () ->
            NeverFits.never(
                "no suitable node is known to have enough GPUs and cpu on one NUMA node",
                "submit it with numa PREFERRED, or ask an administrator to label nodes with "
                    + NumaNodes.LABEL));
  }

  private void askHost() {
    atMost(
        n -> n.allocatable().cpuMilli(),
        member.cpuMilli(),
        "no suitable node has " + Quantity.ofMilli(member.cpuMilli()) + " cpu; the largest has ",
        Quantity::ofMilli,
        "request less cpu");
    atMost(
        n -> n.allocatable().memoryMiB(),
        member.memoryMiB(),
        "no suitable node has "
            + Quantity.ofMebibytes(member.memoryMiB())
            + " of memory; the largest has ",
        Quantity::ofMebibytes,
        "request less memory");
    if (found == null && left.stream().allMatch(r -> r.capacity(member) == 0)) {
      found =
          NeverFits.never(
              "no node has all resources that one member requests", "request less per member");
    }
  }

  private void narrow(Predicate<Node> admits, Supplier<Blocker> otherwise) {
    List<NodeCapacity> narrowed = left.stream().filter(r -> admits.test(r.node())).toList();
    if (found == null && narrowed.isEmpty()) {
      found = otherwise.get();
    }
    left = narrowed;
  }

  private void atMost(
      ToLongFunction<Node> has,
      long asked,
      String message,
      LongFunction<String> unit,
      String action) {
    long largest = left.stream().map(NodeCapacity::node).mapToLong(has).max().orElse(0);
    narrow(
        n -> has.applyAsLong(n) >= asked,
        () -> NeverFits.never(message + unit.apply(largest), asked, largest, action));
  }

  private String there() {
    String models =
        left.stream()
            .map(r -> r.node().gpuModel())
            .filter(m -> !m.equals(Flavor.CPU))
            .distinct()
            .sorted(Comparator.naturalOrder())
            .collect(Collectors.joining(", "));
    return models.isEmpty() ? "none" : models;
  }
}
