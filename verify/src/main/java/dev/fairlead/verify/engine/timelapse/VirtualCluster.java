package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.engine.timelapse.trace.Tree;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Nodes and quota with their current use. */
final class VirtualCluster {
  private final Cluster cluster;
  private final Map<NodeId, Integer> position = new LinkedHashMap<>();
  private final List<Node> nodes;
  private final QuotaTree quota;
  private final double[] fragmented;
  private double fragmentedSum;

  VirtualCluster(Cluster cluster, List<Node> nodes, Tree tree) {
    this.cluster = cluster;
    this.nodes = new ArrayList<>(nodes);
    quota = new QuotaTree(tree.nodes(), List.of());
    fragmented = new double[nodes.size()];
    for (int i = 0; i < nodes.size(); i++) {
      position.put(nodes.get(i).id(), i);
    }
  }

  Cluster cluster() {
    return cluster;
  }

  List<Node> nodes() {
    return nodes;
  }

  QuotaTree quota() {
    return quota;
  }

  /** Idle GPUs on partly used nodes. */
  double fragmented() {
    return fragmentedSum;
  }

  void take(List<Member> members, QuotaNodeId queue, SortedMap<QuotaCell, Long> charges) {
    members.forEach(m -> change(m, 1));
    charges.forEach((cell, amount) -> quota.use(queue, cell, amount));
  }

  void give(List<Member> members, QuotaNodeId queue, SortedMap<QuotaCell, Long> charges) {
    members.forEach(m -> change(m, -1));
    charges.forEach((cell, amount) -> quota.free(queue, cell, amount));
  }

  private void change(Member member, int sign) {
    int at = position.getOrDefault(member.node(), -1);
    Node node = nodes.get(at);
    List<Gpu> gpus = new ArrayList<>(node.gpus());
    for (GpuShare share : member.gpus()) {
      Gpu gpu = gpus.get(share.index());
      int milli = gpu.allocatedMilli() + sign * share.milli();
      if (milli < 0 || milli > Gpu.WHOLE_MILLI) {
        throw new IllegalStateException(
            "GPU " + share.index() + " of " + node.name() + " would have " + milli);
      }
      gpus.set(share.index(), new Gpu(gpu.index(), gpu.serial(), gpu.state(), milli));
    }
    ResourceVector allocated =
        sign > 0
            ? node.allocated().plus(member.request())
            : node.allocated().minus(member.request());
    nodes.set(at, node.withStatus(node.status().with().allocated(allocated).gpus(gpus).build()));
    fragmentedSum -= fragmented[at];
    fragmented[at] = idleInPart(nodes.get(at));
    fragmentedSum += fragmented[at];
  }

  private static double idleInPart(Node node) {
    long taken = node.gpus().stream().mapToLong(Gpu::allocatedMilli).sum();
    long all = node.gpus().size() * (long) Gpu.WHOLE_MILLI;
    return taken == 0 ? 0 : (all - taken) / 1000.0;
  }
}
