package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.people.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One queue for each owner below one root, with the GPUs of its private share as its nominal quota.
 */
public final class Tree {
  public static final TenantId TENANT = new TenantId(new UUID(9, 1));
  private static final QuotaNodeId ROOT = new QuotaNodeId(new UUID(3, 1));

  private final List<QuotaNode> nodes = new ArrayList<>();
  private final SortedMap<String, QuotaNodeId> ids = new TreeMap<>();

  private Tree() {}

  /**
   * @param hands nodes of each queue's private share
   */
  public static Tree of(SortedMap<String, List<Node>> hands, Sharing sharing) {
    Tree tree = new Tree();
    tree.nodes.add(node(ROOT, "root", null, 0, List.of(), PreemptionRules.NONE, null));
    for (String queue : hands.keySet()) {
      QuotaNodeId id = new QuotaNodeId(new UUID(3, tree.nodes.size() + 1L));
      tree.ids.put(queue, id);
      List<QuotaLimit> limits = limits(queue, hands, sharing);
      tree.nodes.add(node(id, queue, ROOT, 1, limits, rules(sharing), QueueSettings.DEFAULT));
    }
    return tree;
  }

  public List<QuotaNode> nodes() {
    return nodes;
  }

  public QuotaNodeId queue(String name) {
    QuotaNodeId id = ids.get(name);
    if (id == null) {
      throw new IllegalArgumentException("no queue " + name);
    }
    return id;
  }

  private static List<QuotaLimit> limits(
      String queue, SortedMap<String, List<Node>> hands, Sharing sharing) {
    if (sharing == Sharing.PRIVATE) {
      return List.of();
    }
    SortedMap<String, Long> gpus = new TreeMap<>();
    hands.values().forEach(hand -> hand.forEach(n -> gpus.putIfAbsent(n.gpuModel(), 0L)));
    hands
        .getOrDefault(queue, List.of())
        .forEach(n -> gpus.merge(n.gpuModel(), n.gpus().size() * 1000L, Long::sum));
    List<QuotaLimit> limits = new ArrayList<>();
    limits.add(
        new QuotaLimit(reserved(Flavor.CPU), ResourceNames.CPU, Long.MAX_VALUE / 4, null, null));
    Long borrowing = sharing == Sharing.QUOTA ? Long.valueOf(0) : null;
    gpus.forEach((model, milli) -> {
      if (!model.equals(Flavor.CPU)) {
        limits.add(new QuotaLimit(reserved(model), ResourceNames.GPU, milli, borrowing, null));
      }
    });
    return limits;
  }

  private static PreemptionRules rules(Sharing sharing) {
    return sharing == Sharing.RECLAIM
        ? new PreemptionRules(PreemptionRules.WithinQueue.NEVER, PreemptionRules.Reclaim.ANY, false)
        : PreemptionRules.NONE;
  }

  private static Flavor reserved(String model) {
    return new Flavor(model, CapacityType.RESERVED);
  }

  private static QuotaNode node(
      QuotaNodeId id,
      String name,
      @Nullable QuotaNodeId parent,
      int depth,
      List<QuotaLimit> limits,
      PreemptionRules rules,
      @Nullable QueueSettings settings) {
    return new QuotaNode(
        id,
        TENANT,
        name,
        parent,
        depth,
        1000,
        limits,
        rules,
        settings,
        SharePolicy.DOMINANT_SHARE,
        null,
        1);
  }
}
