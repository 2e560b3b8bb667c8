package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/** Rows that differ from another row in one column. */
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
        SharePolicy.DOMINANT_SHARE,
        null,
        n.version());
  }

  static PendingJob priority(PendingJob p, int priority) {
    return job(p, p.job().id(), p.job().queue(), p.job().spec(), priority);
  }

  static PendingJob spec(PendingJob p, JobSpec spec) {
    return job(p, p.job().id(), p.job().queue(), spec, p.job().priority());
  }

  /** A job of another world, moved to any queue of this one. */
  static PendingJob rival(PendingJob p, int number, World world, Random random) {
    List<QuotaNodeId> queues =
        world.quotaNodes().stream().filter(QuotaNode::isQueue).map(QuotaNode::id).toList();
    QuotaNodeId queue = queues.get(random.nextInt(queues.size()));
    return job(p, new JobId(new UUID(8, number)), queue, p.job().spec(), p.job().priority());
  }

  private static PendingJob job(
      PendingJob p, JobId id, QuotaNodeId queue, JobSpec spec, int priority) {
    Job j = p.job();
    Job changed =
        new Job(
            id,
            j.tenant(),
            j.project(),
            queue,
            j.name(),
            j.user(),
            spec,
            priority,
            j.createdAt(),
            j.run(),
            j.array(),
            List.of(),
            j.version());
    return new PendingJob(changed, p.offers(), p.unmet(), p.deadDependency());
  }
}
