package dev.fairlead.verify.engine.cases;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The quota tree of a case of the {@code kueue-*} families, where a cell without an entry has no
 * quota. Ids follow names, so ties by id are ties by name. Amounts are thousandths.
 */
final class QuotaCase {
  private static final String ONLY_FLAVOR = "default";
  private static final String LEAF = "leaf:";
  private static final String GROUP = "group:";
  private static final double MILLI = 1000;
  private static final double LARGEST = 1L << 60;

  private final SortedMap<String, Value> rows = new TreeMap<>();
  private final SortedMap<String, QuotaNodeId> ids = new TreeMap<>();
  private final SortedMap<QuotaNodeId, String> names = new TreeMap<>();
  private final SortedSet<QuotaCell> cells = new TreeSet<>();
  private final QuotaTree tree;

  QuotaCase(Value scenario) {
    for (Value queue : scenario.get("queues").list()) {
      String key = key(queue);
      rows.put(key, queue);
      ids.put(key, new QuotaNodeId(new UUID(0, 0)));
      String parent = queue.get("parent").textOrNull();
      if (parent != null) {
        ids.put(GROUP + parent, new QuotaNodeId(new UUID(0, 0)));
      }
      queue.get("quotas").list().forEach(quota -> cells.add(cell(quota)));
    }
    ids.replaceAll((key, none) -> named(key));
    List<QuotaNode> nodes = new ArrayList<>();
    ids.forEach((key, id) -> nodes.add(node(id, key, rows.get(key))));
    tree = new QuotaTree(nodes, List.of());
    scenario.get("usage").list().forEach(this::use);
  }

  /** Separates a leaf and a group of the same name. */
  private static String key(Value queue) {
    return (queue.get("kind").text("leaf").equals("leaf") ? LEAF : GROUP)
        + queue.get("name").text();
  }

  private QuotaNodeId named(String name) {
    QuotaNodeId id = new QuotaNodeId(new UUID(0, names.size() + 1L));
    names.put(id, name);
    return id;
  }

  QuotaTree tree() {
    return tree;
  }

  QuotaNodeId id(String queue) {
    QuotaNodeId leaf = ids.get(LEAF + queue);
    QuotaNodeId id = leaf == null ? ids.get(GROUP + queue) : leaf;
    if (id == null) {
      throw new BadCase("queue " + queue + " is not among the queues");
    }
    return id;
  }

  /** Base units: thousandths, at most 2^60. */
  static long amount(double value) {
    return Math.round(Math.min(LARGEST, value * MILLI));
  }

  static QuotaCell cell(String flavor, String resource) {
    return new QuotaCell(new Flavor(flavor, CapacityType.RESERVED), resource);
  }

  private static QuotaCell cell(Value row) {
    return cell(row.get("flavor").text(ONLY_FLAVOR), row.get("resource").text());
  }

  /** Amounts by cell of rows {@code {flavor, resource, amount}} of a queue. */
  static SortedMap<QuotaCell, Long> amounts(List<Value> rows) {
    SortedMap<QuotaCell, Long> sum = new TreeMap<>();
    for (Value row : rows) {
      sum.merge(cell(row), amount(row.get("amount").number()), Long::sum);
    }
    return sum;
  }

  /** The cells with an entry in the node or in its subtree. */
  SortedSet<QuotaCell> entries(String name) {
    SortedSet<QuotaCell> all = new TreeSet<>();
    for (Map.Entry<String, Value> row : rows.entrySet()) {
      boolean below =
          tree.path(id(row.getValue().get("name").text())).stream()
              .anyMatch(n -> n.id().equals(id(name)));
      if (below) {
        row.getValue().get("quotas").list().forEach(quota -> all.add(cell(quota)));
      }
    }
    return all;
  }

  private void use(Value row) {
    tree.use(id(row.get("queue").text()), cell(row), amount(row.get("amount").number()));
  }

  private QuotaNode node(QuotaNodeId id, String name, @Nullable Value row) {
    String parent = row == null ? null : row.get("parent").textOrNull();
    boolean leaf = row != null && row.get("kind").text("leaf").equals("leaf");
    return new QuotaNode(
        id,
        new TenantId(new UUID(0, 1)),
        name,
        parent == null ? null : ids.get(GROUP + parent),
        0,
        row == null ? amount(1) : amount(row.get("fair_weight").number(1)),
        limits(row),
        PreemptionRules.NONE,
        leaf ? QueueSettings.DEFAULT : null,
        SharePolicy.DOMINANT_SHARE,
        null,
        1);
  }

  private List<QuotaLimit> limits(@Nullable Value row) {
    SortedMap<QuotaCell, QuotaLimit> limits = new TreeMap<>();
    for (QuotaCell cell : cells) {
      limits.put(cell, new QuotaLimit(cell.flavor(), cell.resource(), 0L, null, null));
    }
    for (Value quota : row == null ? List.<Value>of() : row.get("quotas").list()) {
      QuotaCell cell = cell(quota);
      limits.put(
          cell,
          new QuotaLimit(
              cell.flavor(),
              cell.resource(),
              limit(quota.get("nominal")),
              limit(quota.get("borrow_limit")),
              limit(quota.get("lend_limit"))));
    }
    return List.copyOf(limits.values());
  }

  private static @Nullable Long limit(Value value) {
    return value.present() ? Long.valueOf(amount(value.number())) : null;
  }
}
