package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import java.time.Instant;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Decides which tiers of its queue's routing policy a job may use at one instant. */
public final class QueueTiers {
  private final SortedMap<QuotaNodeId, RoutingPolicy> policies = new TreeMap<>();
  private final Instant asOf;

  public QueueTiers(Collection<QuotaNode> nodes, Instant asOf) {
    this.asOf = asOf;
    for (QuotaNode node : nodes) {
      if (node.queue() != null && !node.queue().routing().none()) {
        policies.put(node.id(), node.queue().routing());
      }
    }
  }

  public Tiers of(Job job) {
    RoutingPolicy policy = policy(job.queue());
    return policy.none() ? Tiers.NONE : new Tiers(policy, open(policy, job));
  }

  /** Returns how many tiers of this policy, from the first, are open to the job. */
  public int open(RoutingPolicy policy, Job job) {
    return policy.none() ? 0 : policy.open(Waited.inAll(job, asOf));
  }

  public RoutingPolicy policy(QuotaNodeId queue) {
    return policies.isEmpty()
        ? RoutingPolicy.NONE
        : policies.getOrDefault(queue, RoutingPolicy.NONE);
  }

  /** Returns when the next tier opens to a job that continues to wait, null if no tier remains. */
  public @Nullable Instant nextOpening(Job job) {
    Tiers tiers = of(job);
    return tiers.open() == tiers.policy().tiers().size()
        ? null
        : Waited.reaches(job, asOf, tiers.policy().tiers().get(tiers.open()).after());
  }
}
