package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A node of the quota tree.
 *
 * @param parent null at the root
 * @param depth 0 at the root
 * @param weight share among siblings in milli, 1000 = one. 0 comes last
 * @param limits empty = not limited here. Otherwise a flavor without an entry has none (zero), and
 *     a resource without an entry is not limited if its flavor has another entry.
 * @param queue null for an inner node
 * @param share order of its children
 * @param usageHalfLife half-life of past use in the order of its children, or of the users of a
 *     queue that is fair by user, null = only current use counts
 */
@RecordBuilder
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
    long version)
    implements QuotaNodeBuilder.With {
  public QuotaNode {
    limits = List.copyOf(limits);
  }

  /**
   * Returns whether the node belongs to the platform: the root above all tenants, or a tenant's
   * node below it.
   */
  public boolean ofFleet() {
    return id.equals(FleetQuota.ROOT) || FleetQuota.ROOT.equals(parent);
  }

  public QuotaNode of(QueueSettings settings) {
    return withQueue(settings);
  }

  /** Returns the next version, with other settings of the queue. */
  public QuotaNode changed(QueueSettings settings) {
    return with().queue(settings).version(version + 1).build();
  }

  /** Returns whether the node's limits change over time. */
  public boolean changesWithTime() {
    return limits.stream().anyMatch(limit -> !limit.windows().isEmpty());
  }

  /** Returns the node with the rule applied to each limit. */
  public QuotaNode limited(UnaryOperator<QuotaLimit> rule) {
    return withLimits(limits.stream().map(rule).toList());
  }

  public boolean isQueue() {
    return queue != null;
  }
}
