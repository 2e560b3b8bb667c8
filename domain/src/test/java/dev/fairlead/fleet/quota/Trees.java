package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.people.tenant.TenantId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Quota trees for tests, with one cell: nodes by name, amounts in whole units. */
final class Trees {
  static final QuotaCell CELL =
      new QuotaCell(new Flavor("H100", CapacityType.RESERVED), ResourceNames.GPU);

  private final Map<String, QuotaNode> nodes = new LinkedHashMap<>();

  /** A node without limits. */
  Trees open(String name, @Nullable String parent) {
    return add(name, parent, List.of());
  }

  Trees limited(
      String name,
      @Nullable String parent,
      @Nullable Long nominal,
      @Nullable Long borrowing,
      @Nullable Long lending) {
    QuotaLimit limit = new QuotaLimit(CELL.flavor(), CELL.resource(), nominal, borrowing, lending);
    return add(name, parent, List.of(limit));
  }

  /** A node with a limit only for another flavor. */
  Trees elsewhere(String name, @Nullable String parent) {
    Flavor other = new Flavor("L4", CapacityType.SPOT);
    return add(name, parent, List.of(new QuotaLimit(other, CELL.resource(), 10L, null, null)));
  }

  QuotaTree build() {
    return new QuotaTree(nodes.values(), List.of());
  }

  QuotaNodeId id(String name) {
    return nodes.get(name).id();
  }

  List<QuotaNode> all() {
    return List.copyOf(nodes.values());
  }

  private Trees add(String name, @Nullable String parent, List<QuotaLimit> limits) {
    QuotaNode above = parent == null ? null : nodes.get(parent);
    nodes.put(
        name,
        new QuotaNode(
            new QuotaNodeId(new UUID(7, nodes.size())),
            new TenantId(new UUID(8, 0)),
            name,
            above == null ? null : above.id(),
            above == null ? 0 : above.depth() + 1,
            1000,
            limits,
            PreemptionRules.NONE,
            null,
            SharePolicy.DOMINANT_SHARE,
            null,
            1));
    return this;
  }
}
