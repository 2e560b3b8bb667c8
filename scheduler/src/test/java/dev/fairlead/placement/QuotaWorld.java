package dev.fairlead.placement;

import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.quota.QuotaUse;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A quota tree for tests: one group {@code root} and queues below it, GPUs of one flavor. */
public final class QuotaWorld {
  public static final Flavor FLAVOR = new Flavor("H100", CapacityType.RESERVED);
  public static final QuotaCell GPUS = new QuotaCell(FLAVOR, ResourceNames.GPU);

  private final SortedMap<String, QuotaNodeId> ids = new TreeMap<>();
  private final List<QuotaNode> nodes = new ArrayList<>();

  public QuotaWorld() {
    add("root", null, 0, 1000, 0);
  }

  public QuotaWorld queue(String name, long nominal) {
    return queue(name, nominal, 1000);
  }

  public QuotaWorld queue(String name, long nominal, long weight) {
    add(name, ids.get("root"), nominal, weight, 1);
    return this;
  }

  public QuotaNodeId id(String name) {
    return ids.get(name);
  }

  public QuotaTree build(Map<String, Long> used) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    new TreeMap<>(used).forEach((name, amount) -> tree.use(id(name), GPUS, amount));
    return tree;
  }

  private void add(
      String name, @Nullable QuotaNodeId parent, long nominal, long weight, int depth) {
    QuotaNodeId id = new QuotaNodeId(new UUID(0, ids.size() + 1L));
    ids.put(name, id);
    nodes.add(
        new QuotaNode(
            id,
            new TenantId(new UUID(0, 1)),
            name,
            parent,
            depth,
            weight,
            List.of(new QuotaLimit(FLAVOR, GPUS.resource(), nominal, null, null)),
            PreemptionRules.NONE,
            parent == null ? null : QueueSettings.DEFAULT,
            1));
  }

  /** GPUs in use by queue, counted there and in all above. */
  static List<QuotaUse> used(List<QuotaNode> nodes, Map<QuotaNodeId, Long> gpus) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    new TreeMap<>(gpus).forEach((queue, used) -> tree.use(queue, GPUS, used * 1000));
    return tree.uses();
  }
}
