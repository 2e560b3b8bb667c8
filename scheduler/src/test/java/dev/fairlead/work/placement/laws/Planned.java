package dev.fairlead.work.placement.laws;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.List;

/** A plan in the form used by laws. */
record Planned(World world, Plan plan) {
  private static final long ENOUGH = 100_000_000;

  static Planned of(World world) {
    return of(world, List.of(), ENOUGH);
  }

  static Planned of(World world, List<JobId> first, long workBudget) {
    return new Planned(world, new SchedulingEngine().plan(new Snapshot(world, first, workBudget)));
  }

  List<Decision.Place> places() {
    return plan.decisions().stream()
        .filter(Decision.Place.class::isInstance)
        .map(Decision.Place.class::cast)
        .toList();
  }

  List<Decision.Hold> holds() {
    return plan.decisions().stream()
        .filter(Decision.Hold.class::isInstance)
        .map(Decision.Hold.class::cast)
        .toList();
  }

  /** Elements of the job that start. */
  long started(JobId job) {
    return places().stream().filter(p -> p.job().equals(job)).count();
  }

  boolean started(JobId job, int element) {
    return places().stream().anyMatch(p -> p.job().equals(job) && p.element() == element);
  }

  /** Returns whether a part of the job waits for that reason. */
  boolean told(JobId job, Reason reason) {
    return holds().stream()
        .filter(h -> h.job().equals(job))
        .map(h -> plan.explanations().get(h.classKey()))
        .anyMatch(e -> e != null && e.blockers().stream().anyMatch(b -> b.reason() == reason));
  }
}
