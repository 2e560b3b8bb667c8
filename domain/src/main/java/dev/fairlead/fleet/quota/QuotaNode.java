package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A node of the quota tree.
 *
 * @param parent null at the root
 * @param depth 0 at the root
 * @param weight share among siblings in milli, 1000 = one; 0 comes last
 * @param limits empty = not limited here; otherwise a flavor without an entry has none (zero), and
 *     a resource without an entry of a flavor that has one is not limited
 * @param queue null for an inner node
 * @param share how its children take turns
 * @param usageHalfLife what was used counts when its children take turns, or the users of a queue
 *     that is fair by user, and counts half after so long; null = only what is used now counts
 */
public record QuotaNode(
    QuotaNodeId id,
    TenantId tenant,
    String name,
    @Nullable QuotaNodeId parent,
    int depth,
    long weight,
    List<QuotaLimit> limits,
    PreemptionRules preemption,
    @Nullable QueueSettings queue,
    SharePolicy share,
    @Nullable Duration usageHalfLife,
    long version) {
  public QuotaNode {
    limits = List.copyOf(limits);
  }

  /** One whose children take turns by dominant share. */
  public QuotaNode(
      QuotaNodeId id,
      TenantId tenant,
      String name,
      @Nullable QuotaNodeId parent,
      int depth,
      long weight,
      List<QuotaLimit> limits,
      PreemptionRules preemption,
      @Nullable QueueSettings queue,
      long version) {
    this(
        id,
        tenant,
        name,
        parent,
        depth,
        weight,
        limits,
        preemption,
        queue,
        SharePolicy.DOMINANT_SHARE,
        null,
        version);
  }

  /** Whether it is of the platform: the root above all tenants, or what one tenant has there. */
  public boolean ofFleet() {
    return id.equals(FleetQuota.ROOT) || FleetQuota.ROOT.equals(parent);
  }

  /** The same with other settings of the queue. */
  public QuotaNode of(QueueSettings settings) {
    return new QuotaNode(
        id,
        tenant,
        name,
        parent,
        depth,
        weight,
        limits,
        preemption,
        settings,
        share,
        usageHalfLife,
        version);
  }

  /** The next version, with other settings of the queue. */
  public QuotaNode changed(QueueSettings settings) {
    return new QuotaNode(
        id,
        tenant,
        name,
        parent,
        depth,
        weight,
        limits,
        preemption,
        settings,
        share,
        usageHalfLife,
        version + 1);
  }

  /** Whether its limits are others at other times. */
  public boolean changesWithTime() {
    return limits.stream().anyMatch(limit -> !limit.windows().isEmpty());
  }

  /** The same with each limit as the rule makes it. */
  public QuotaNode limited(UnaryOperator<QuotaLimit> rule) {
    return new QuotaNode(
        id,
        tenant,
        name,
        parent,
        depth,
        weight,
        limits.stream().map(rule).toList(),
        preemption,
        queue,
        share,
        usageHalfLife,
        version);
  }

  public boolean isQueue() {
    return queue != null;
  }
}
