package dev.fairlead.verify.engine.cases;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The quota tree of a {@code kai-*} case. One root above all queues owns the capacity of the fleet
 * beyond their quotas, so idle capacity can be borrowed. It divides GPUs by deserved shares.
 */
final class KaiTree {
  private static final double MILLI = 1000;
  private static final QuotaNodeId ROOT = new QuotaNodeId(new UUID(3, 0));

  private final SortedMap<String, Value> rows = new TreeMap<>();
  private final SortedMap<String, QuotaNodeId> ids = new TreeMap<>();
  private final PreemptionRules rules;
  private final String model;
  private final Map<String, Long> fleet;

  /**
   * @param model model of all GPUs
   * @param fleet base units of all nodes, by resource
   */
  KaiTree(Value scenario, PreemptionRules rules, String model, Map<String, Long> fleet) {
    this.rules = rules;
    this.model = model;
    this.fleet = fleet;
    scenario.get("queues").list().forEach(q -> rows.put(q.get("name").text(), q));
    List<Value> byAge = new ArrayList<>(scenario.get("queues").list());
    byAge.sort(
        java.util.Comparator.comparingInt((Value q) -> q.get("created_order").whole(0))
            .thenComparing(q -> q.get("name").text()));
    byAge.forEach(q -> ids.put(q.get("name").text(), new QuotaNodeId(new UUID(3, ids.size() + 1))));
    long priorities =
        rows.values().stream().map(q -> q.get("priority").whole(100)).distinct().count();
    if (priorities > 1) {
      throw new NotExpressible(Missing.QUEUE_PRIORITY);
    }
  }

  QuotaNodeId queue(String name) {
    return Objects.requireNonNullElse(ids.get(name), new QuotaNodeId(new UUID(3, 999)));
  }

  List<QuotaNode> nodes() {
    List<QuotaNode> nodes = new ArrayList<>();
    nodes.add(node(ROOT, "root", null, MILLI, rootLimits(), true));
    rows.forEach((name, row) -> {
      String parent = row.get("parent").textOrNull();
      boolean group =
          rows.values().stream().anyMatch(q -> name.equals(q.get("parent").textOrNull()));
      double weight = quota(row, ResourceNames.GPU).get("over_quota_weight").number(1) * MILLI;
      QuotaNodeId above = parent == null ? ROOT : queue(parent);
      nodes.add(node(queue(name), name, above, weight, limits(name, row), group));
    });
    return nodes;
  }

  private QuotaNode node(
      QuotaNodeId id,
      String name,
      @Nullable QuotaNodeId parent,
      double weight,
      List<QuotaLimit> limits,
      boolean group) {
    return new QuotaNode(
        id,
        CaseJobs.TENANT,
        name,
        parent,
        0,
        Math.round(weight),
        limits,
        group ? PreemptionRules.NONE : rules,
        group ? null : QueueSettings.DEFAULT,
        SharePolicy.DESERVED_SHARE,
        null,
        1);
  }

  private static Value quota(Value row, String resource) {
    return row.get("quotas").list().stream()
        .filter(q -> q.get("resource").text().equals(resource))
        .findFirst()
        .orElseGet(() -> row.get("no quota"));
  }

  /** Base units of the queue itself, null if unbounded. */
  private static @Nullable Long nominal(Value row, String resource) {
    Value nominal = quota(row, resource).get("nominal");
    return nominal.present() ? Long.valueOf(units(resource, nominal.number())) : null;
  }

  static long units(String resource, double amount) {
    return Math.round(resource.equals(ResourceNames.MEMORY) ? amount : amount * MILLI);
  }

  /** The remainder of a group after its children. */
  private long rest(@Nullable String group, long owned, String resource) {
    long children = 0;
    for (Value row : rows.values()) {
      if (Objects.equals(row.get("parent").textOrNull(), group)) {
        Long own = nominal(row, resource);
        children += own == null ? 0 : own;
      }
    }
    return Math.max(0, owned - children);
  }

  private List<QuotaLimit> rootLimits() {
    List<QuotaLimit> limits = new ArrayList<>();
    for (Flavor flavor : flavors()) {
      for (String resource : counted(flavor)) {
        long own = rest(null, fleet.getOrDefault(resource, 0L), resource);
        limits.add(new QuotaLimit(flavor, resource, own, null, null));
      }
    }
    return limits;
  }

  private List<QuotaLimit> limits(String name, Value row) {
    boolean group = rows.values().stream().anyMatch(q -> name.equals(q.get("parent").textOrNull()));
    List<QuotaLimit> limits = new ArrayList<>();
    for (Flavor flavor : flavors()) {
      for (String resource : counted(flavor)) {
        Long nominal = nominal(row, resource);
        Value limit = quota(row, resource).get("limit");
        owns(name, nominal, group, resource);
        Long most = limit.present() ? Long.valueOf(units(resource, limit.number())) : null;
        Long bounded = nominal == null ? most : nominal;
        Long own =
            bounded == null ? null : most == null ? bounded : Long.valueOf(Math.min(bounded, most));
        Long borrowing = most == null || own == null ? null : Long.valueOf(Math.max(0, most - own));
        Long kept = own == null || !group ? own : Long.valueOf(rest(name, own, resource));
        limits.add(new QuotaLimit(flavor, resource, kept, borrowing, null));
      }
    }
    return limits;
  }

  private static List<String> counted(Flavor flavor) {
    List<String> counted = new ArrayList<>(List.of(ResourceNames.CPU, ResourceNames.MEMORY));
    if (!flavor.model().equals(Flavor.CPU)) {
      counted.add(ResourceNames.GPU);
    }
    return counted;
  }

  /** Sets the quota of a group: the quotas of its children, and more. */
  private void owns(String name, @Nullable Long nominal, boolean group, String resource) {
    long children = 0;
    for (Value row : rows.values()) {
      if (name.equals(row.get("parent").textOrNull())) {
        Long own = nominal(row, resource);
        children += own == null ? 0 : own;
        boolean bounded = quota(rows.getOrDefault(name, row), resource).get("limit").present();
        if (own == null && bounded && !quota(row, resource).get("limit").present()) {
          throw new NotExpressible(Missing.LIMIT_ABOVE_UNLIMITED);
        }
      }
    }
    if (group && nominal != null && children > nominal) {
      throw new NotExpressible(Missing.GROUP_BELOW_QUEUES);
    }
  }

  private List<Flavor> flavors() {
    return List.of(
        new Flavor(model, CapacityType.RESERVED), new Flavor(Flavor.CPU, CapacityType.RESERVED));
  }

  /** Returns whether any queue limits a resource. */
  boolean bounds(String resource) {
    return rows.values().stream().anyMatch(row -> quota(row, resource).present());
  }
}
