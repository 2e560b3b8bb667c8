package dev.fairlead.bench.cases;

import dev.fairlead.placement.preemption.Victim;
import dev.fairlead.placement.routing.Fit;
import dev.fairlead.quota.QuotaNodeId;
import java.util.Comparator;
import java.util.List;

/**
 * The first job of a queue with the flavors chosen for it.
 *
 * @param placedLater nodes are found only once checks outside have passed
 * @param victims who must go for it; empty when it fits, or when nobody may go
 */
record Head(
    Value job,
    QuotaNodeId queue,
    List<TaskGroup> groups,
    FlavorAssignment flavors,
    boolean fits,
    boolean placedLater,
    List<Victim> victims) {

  /** Higher priority, then older, then by name. */
  static final Comparator<Value> FIRST =
      Comparator.comparingInt((Value job) -> -job.get("priority").whole(0))
          .thenComparingDouble(job -> -job.get("age_s").number(0))
          .thenComparing(job -> job.get("name").text());

  boolean hopeless() {
    return flavors.standing().fit() == Fit.DOES_NOT_FIT;
  }

  String name() {
    return job.get("name").text();
  }
}
