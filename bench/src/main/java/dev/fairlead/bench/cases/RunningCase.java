package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.FairVictimSearch;
import dev.fairlead.placement.preemption.Preemptor;
import dev.fairlead.placement.preemption.RunningJob;
import dev.fairlead.placement.preemption.Victim;
import dev.fairlead.placement.preemption.VictimSearch;
import dev.fairlead.placement.share.GroupShares;
import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The jobs of a case that hold quota, and the search for victims among them. */
final class RunningCase {
  private final QuotaCase quota;
  private final boolean fair;
  private final List<FairVictimSearch.Strategy> strategies;
  private final SortedMap<String, RunningJob> running = new TreeMap<>();

  RunningCase(Value scenario, QuotaCase quota) {
    this.quota = quota;
    Value sharing = scenario.get("settings").get("fair_sharing");
    fair = sharing.get("enabled").flag(false);
    List<FairVictimSearch.Strategy> given = new ArrayList<>();
    for (Value strategy : sharing.get("strategies").list()) {
      given.add(
          strategy.text().contains("<=")
              ? FairVictimSearch.Strategy.NOT_ABOVE_AFTER
              : FairVictimSearch.Strategy.BELOW_BEFORE);
    }
    strategies =
        given.isEmpty()
            ? List.of(
                FairVictimSearch.Strategy.NOT_ABOVE_AFTER, FairVictimSearch.Strategy.BELOW_BEFORE)
            : given;
    for (Value job : scenario.get("jobs").list()) {
      if (job.get("state").text("PENDING").equals("RUNNING")) {
        add(job);
      }
    }
  }

  private void add(Value job) {
    String queue = job.get("admitted_in").text(job.get("queue").text());
    String key = job.get("uid").text(job.get("name").text());
    if (!quota.knows(queue)) {
      return;
    }
    SortedMap<QuotaCell, Long> use = use(job);
    use.forEach((cell, amount) -> quota.tree().use(quota.id(queue), cell, amount));
    running.put(
        name(job),
        new RunningJob(
            key,
            key,
            quota.id(queue),
            job.get("priority").whole(0),
            job.get("admitted_ago_s").number(0),
            -job.get("age_s").number(0),
            job.get("being_evicted").flag(false),
            use));
  }

  /** Names are unique within a queue only. */
  static String name(Value job) {
    return job.get("queue").text("") + "/" + job.get("name").text();
  }

  private static SortedMap<QuotaCell, Long> use(Value job) {
    SortedMap<QuotaCell, Long> use = new TreeMap<>();
    for (Value task : job.get("tasks").list()) {
      SortedMap<String, Value> flavors = task.get("flavors").fields();
      for (Map.Entry<String, Value> used : task.get("usage").fields().entrySet()) {
        Value flavor = flavors.get(used.getKey());
        if (flavor != null) {
          use.merge(
              QuotaCase.cell(flavor.text(), used.getKey()),
              QuotaCase.amount(used.getValue().number()),
              Long::sum);
        }
      }
    }
    return use;
  }

  SortedMap<String, RunningJob> jobs() {
    return running;
  }

  static Preemptor.Rules rules(QuotaNode node, Value queue) {
    Value borrowing = queue.get("preemption").get("while_borrowing");
    Value highest = borrowing.get("max_victim_priority");
    return new Preemptor.Rules(
        node.preemption().withinQueue(),
        node.preemption().reclaim(),
        !borrowing.get("policy").text("never").equals("never"),
        highest.present() ? Integer.valueOf(highest.whole(0)) : null);
  }

  List<Victim> victims(
      Value job,
      SortedMap<QuotaCell, Long> asks,
      SortedSet<QuotaCell> lacking,
      Predicate<List<RunningJob>> room) {
    String queue = job.get("queue").text();
    QuotaNode node = quota.tree().node(quota.id(queue)).orElseThrow();
    Preemptor preemptor =
        new Preemptor(
            node.id(),
            job.get("priority").whole(0),
            -job.get("age_s").number(0),
            asks,
            lacking,
            rules(node, quota.row(queue)));
    return fair
        ? new FairVictimSearch(
                quota.tree(), running.values(), room, strategies, new GroupShares(quota.tree()))
            .find(preemptor)
        : new VictimSearch(quota.tree(), running.values(), room).find(preemptor);
  }

  boolean fair() {
    return fair;
  }

  /** The name by which a case calls the reason. */
  static String reason(Victim.Reason reason) {
    return switch (reason) {
      case SAME_QUEUE -> "same-queue";
      case RECLAIM -> "reclaim";
      case FAIR_SHARE -> "fair-share";
      case RECLAIM_WHILE_BORROWING -> "reclaim-while-borrowing";
      case CONSOLIDATION -> "consolidation";
    };
  }

  static boolean evictsAnybody(PreemptionRules rules) {
    return rules.withinQueue() != PreemptionRules.WithinQueue.NEVER
        || rules.reclaim() != PreemptionRules.Reclaim.NEVER;
  }
}
