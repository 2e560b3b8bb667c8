package dev.fairlead.placement.laws;

import dev.fairlead.job.Job;
import dev.fairlead.job.JobSpec;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.world.PendingJob;
import java.util.List;

/** Rows that differ from another in one column. */
final class Worlds {
  /** Topology levels of every drawn cluster, widest first. */
  static final List<String> LEVELS = List.of("zone", "block", "rack", "host");

  private Worlds() {}

  static QuotaNode limited(QuotaNode n, List<QuotaLimit> limits) {
    return new QuotaNode(
        n.id(),
        n.tenant(),
        n.name(),
        n.parent(),
        n.depth(),
        n.weight(),
        limits,
        n.preemption(),
        n.queue(),
        n.version());
  }

  static PendingJob priority(PendingJob p, int priority) {
    return job(p, p.job().spec(), priority);
  }

  static PendingJob spec(PendingJob p, JobSpec spec) {
    return job(p, spec, p.job().priority());
  }

  private static PendingJob job(PendingJob p, JobSpec spec, int priority) {
    Job j = p.job();
    Job changed =
        new Job(
            j.id(),
            j.tenant(),
            j.project(),
            j.queue(),
            j.name(),
            j.user(),
            spec,
            priority,
            j.createdAt(),
            j.run(),
            j.array(),
            j.version());
    return new PendingJob(changed, p.offers(), p.unmet(), p.deadDependency());
  }
}
