package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.people.tenant.TenantId;
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

  /** GPUs of another model. */
  public static final QuotaCell OTHERS =
      new QuotaCell(new Flavor("L4", CapacityType.RESERVED), ResourceNames.GPU);

  private final SortedMap<String, QuotaNodeId> ids = new TreeMap<>();
  private final long others;
  private final List<QuotaNode> nodes = new ArrayList<>();

  public QuotaWorld() {
    this(0);
  }

  /** The group itself owns that many GPUs of another model, and its children none. */
  public QuotaWorld(long others) {
    this.others = others;
    add("root", null, 0, 1000, 0, true);
  }

  public QuotaWorld queue(String name, long nominal) {
    return queue(name, nominal, 1000);
  }

  public QuotaWorld queue(String name, long nominal, long weight) {
    add(name, ids.get("root"), nominal, weight, 1, false);
    return this;
  }

  /** A group below the root with one queue that owns nothing. */
  public QuotaWorld group(String name, long nominal, String queue) {
    add(name, ids.get("root"), nominal, 1000, 1, true);
    add(queue, ids.get(name), 0, 1000, 2, false);
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
      String name,
      @Nullable QuotaNodeId parent,
      long nominal,
      long weight,
      int depth,
      boolean group) {
    QuotaNodeId id = new QuotaNodeId(new UUID(0, ids.size() + 1L));
    ids.put(name, id);
    QuotaLimit own = new QuotaLimit(FLAVOR, GPUS.resource(), nominal, null, null);
    QuotaLimit model = new QuotaLimit(OTHERS.flavor(), OTHERS.resource(), others, null, null);
    nodes.add(
        new QuotaNode(
            id,
            new TenantId(new UUID(0, 1)),
            name,
            parent,
            depth,
            weight,
            parent == null ? List.of(own, model) : List.of(own),
            PreemptionRules.NONE,
            group ? null : QueueSettings.DEFAULT,
            SharePolicy.DOMINANT_SHARE,
            null,
            1));
  }

  /** GPUs in use by queue, counted in the queue and its ancestors. */
  static List<QuotaUse> used(List<QuotaNode> nodes, Map<QuotaNodeId, Long> gpus) {
    QuotaTree tree = new QuotaTree(nodes, List.of());
    new TreeMap<>(gpus).forEach((queue, used) -> tree.use(queue, GPUS, used * 1000));
    return tree.uses();
  }
}
