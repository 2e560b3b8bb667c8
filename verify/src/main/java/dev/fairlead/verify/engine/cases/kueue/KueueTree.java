package dev.fairlead.verify.engine.cases.kueue;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.verify.engine.cases.form.BadCase;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.Value;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The quota tree of a {@code kueue-*} case. A cell without an entry has no quota. */
public final class KueueTree {
  private static final String LEAF = "leaf:";
  private static final String GROUP = "group:";

  /** The queue of a case without queues: without limits. */
  static final String ANY = "any";

  private final KueueNames names;
  private final boolean fair;
  private final @Nullable Duration halfLife;
  private final SortedMap<String, Value> rows = new TreeMap<>();
  private final SortedMap<String, QuotaNodeId> ids = new TreeMap<>();
  private final List<QuotaNode> extra = new ArrayList<>();

  KueueTree(Value scenario, KueueNames names) {
    this.names = names;
    fair = scenario.get("settings").get("fair_sharing").get("enabled").flag(false);
    Value history = scenario.get("settings").get("usage_history").get("half_life_s");
    halfLife = history.present() ? Duration.ofSeconds(Math.round(history.number())) : null;
    for (Value queue : scenario.get("queues").list()) {
      String key = key(queue);
      rows.put(key, queue);
      ids.put(key, new QuotaNodeId(new UUID(0, 0)));
      String parent = queue.get("parent").textOrNull();
      if (parent != null) {
        ids.put(GROUP + parent, new QuotaNodeId(new UUID(0, 0)));
      }
    }
    if (rows.isEmpty()) {
      ids.put(LEAF + ANY, new QuotaNodeId(new UUID(0, 0)));
    }
    int number = 0;
    for (String key : List.copyOf(ids.keySet())) {
      ids.put(key, new QuotaNodeId(new UUID(3, ++number)));
    }
  }

  private static String key(Value queue) {
    return (queue.get("kind").text("leaf").equals("leaf") ? LEAF : GROUP)
        + queue.get("name").text();
  }

  public boolean knows(String queue) {
    return ids.containsKey(LEAF + queue);
  }

  public Value row(String queue) {
    Value row = rows.get(LEAF + queue);
    if (row == null) {
      throw new BadCase("queue " + queue + " is not among the queues");
    }
    return row;
  }

  QuotaNodeId queue(String name) {
    QuotaNodeId id = ids.get(LEAF + name);
    if (id == null) {
      throw new BadCase("queue " + name + " is not among the queues");
    }
    return id;
  }

  /** The queue of that name, or a generated one below the group of that name, for its holders. */
  QuotaNodeId holding(String name) {
    if (knows(name)) {
      return queue(name);
    }
    QuotaNodeId group = ids.get(GROUP + name);
    QuotaNodeId id = new QuotaNodeId(new UUID(3, 1_000L + extra.size()));
    extra.add(
        new QuotaNode(
            id,
            CaseJobs.TENANT,
            "holders of " + name,
            group,
            0,
            (long) KueueNames.MILLI,
            limits(null),
            PreemptionRules.NONE,
            QueueSettings.DEFAULT,
            SharePolicy.DOMINANT_SHARE,
            null,
            1));
    return id;
  }

  List<QuotaNode> nodes() {
    List<QuotaNode> nodes = new ArrayList<>(extra);
    ids.forEach((key, id) -> nodes.add(node(id, key, rows.get(key))));
    return nodes;
  }

  private QuotaNode node(QuotaNodeId id, String key, @Nullable Value row) {
    String parent = row == null ? null : row.get("parent").textOrNull();
    boolean leaf = key.startsWith(LEAF);
    return new QuotaNode(
        id,
        CaseJobs.TENANT,
        key.substring(key.indexOf(':') + 1),
        parent == null ? null : ids.get(GROUP + parent),
        0,
        row == null ? (long) KueueNames.MILLI : KueueNames.units(row.get("fair_weight").number(1)),
        leaf && row == null ? List.of() : limits(row),
        row == null ? PreemptionRules.NONE : rules(row.get("preemption")),
        !leaf ? null : row == null ? QueueSettings.DEFAULT : settings(row),
        fair ? SharePolicy.DOMINANT_SHARE : SharePolicy.PRIORITY,
        leaf ? halfLife : null,
        1);
  }

  private QueueSettings settings(Value row) {
    boolean strict = row.get("order").text("").equals("strict-fifo");
    boolean stopped = !row.get("stopped").text("None").equals("None");
    return QueueSettings.of(
        strict ? QueueSettings.Order.STRICT_FIFO : QueueSettings.Order.BEST_EFFORT_FIFO,
        stopped ? QueueSettings.State.HELD : QueueSettings.State.ACTIVE,
        null,
        row.get("usage_based_order").flag(false),
        fallback(row.get("flavor_search")));
  }

  private static FlavorFallback fallback(Value row) {
    return new FlavorFallback(
        next(row.get("when_borrowing_fits"), "stop")
            ? FlavorFallback.WhenCanBorrow.TRY_NEXT_FLAVOR
            : FlavorFallback.WhenCanBorrow.BORROW,
        next(row.get("when_preemption_fits"), "try-next")
            ? FlavorFallback.WhenCanPreempt.TRY_NEXT_FLAVOR
            : FlavorFallback.WhenCanPreempt.PREEMPT,
        switch (row.get("prefer").text("borrow")) {
          case "borrow" -> FlavorFallback.Preference.BORROWING;
          case "preempt" -> FlavorFallback.Preference.PREEMPTION;
          default -> throw row.get("prefer").bad("borrow or preempt");
        });
  }

  private static boolean next(Value value, String otherwise) {
    return switch (value.text(otherwise)) {
      case "stop" -> false;
      case "try-next" -> true;
      default -> throw value.bad("stop or try-next");
    };
  }

  private List<QuotaLimit> limits(@Nullable Value row) {
    SortedMap<QuotaCell, QuotaLimit> limits = new TreeMap<>();
    for (QuotaCell cell : names.cells()) {
      limits.put(cell, new QuotaLimit(cell.flavor(), cell.resource(), 0L, null, null));
    }
    for (Value quota : row == null ? List.<Value>of() : row.get("quotas").list()) {
      QuotaCell cell = names.cell(quota);
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
    return value.present() ? Long.valueOf(KueueNames.units(value.number())) : null;
  }

  private PreemptionRules rules(Value row) {
    Value borrowing = row.get("while_borrowing");
    Value highest = borrowing.get("max_victim_priority");
    return new PreemptionRules(
        switch (row.get("within_queue").text("never")) {
          case "never" -> PreemptionRules.WithinQueue.NEVER;
          case "lower-priority" -> PreemptionRules.WithinQueue.LOWER_PRIORITY;
          case "lower-or-newer-equal" -> PreemptionRules.WithinQueue.LOWER_OR_NEWER_EQUAL;
          default -> throw row.get("within_queue").bad("a rule for victims of the own queue");
        },
        switch (row.get("reclaim_in_tree").text("never")) {
          case "never" -> PreemptionRules.Reclaim.NEVER;
          case "lower-priority" -> PreemptionRules.Reclaim.LOWER_PRIORITY;
          case "any" -> PreemptionRules.Reclaim.ANY;
          default -> throw row.get("reclaim_in_tree").bad("never, lower-priority or any");
        },
        fair,
        switch (borrowing.get("policy").text("never")) {
          case "never" -> PreemptionRules.WhileBorrowing.NEVER;
          case "lower-priority" -> PreemptionRules.WhileBorrowing.LOWER_PRIORITY;
          default -> throw borrowing.get("policy").bad("never or lower-priority");
        },
        highest.present() ? Integer.valueOf(highest.whole(0)) : null);
  }
}
