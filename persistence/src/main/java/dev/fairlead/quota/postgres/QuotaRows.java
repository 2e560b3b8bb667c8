package dev.fairlead.quota.postgres;

import dev.fairlead.postgres.Json;
import dev.fairlead.quota.FlavorFallback;
import dev.fairlead.quota.PreemptionRules;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.RoutingPolicy;
import dev.fairlead.quota.SharePolicy;
import dev.fairlead.quota.UserLimits;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.tenant.TenantId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Quota nodes to rows and back. */
final class QuotaRows {
  private QuotaRows() {}

  static QuotaNodeEntity row(QuotaNode node) {
    QuotaNodeEntity row = new QuotaNodeEntity();
    QuotaNodeId parent = node.parent();
    row.id = node.id().value();
    row.tenant = tenant(node);
    row.name = node.name();
    row.parent = parent == null ? null : parent.value();
    row.depth = node.depth();
    row.weight = node.weight();
    row.preemptWithin = node.preemption().withinQueue().name();
    row.preemptReclaim = node.preemption().reclaim().name();
    row.preemptFairShare = node.preemption().fairShare();
    row.preemptWhileBorrowing = node.preemption().whileBorrowing().name();
    row.preemptMaxVictimPriority = node.preemption().maxVictimPriority();
    QueueSettings queue = node.queue();
    FlavorFallback fallback = queue == null ? FlavorFallback.DEFAULT : queue.flavorFallback();
    row.flavorWhenCanBorrow = fallback.whenCanBorrow().name();
    row.flavorWhenCanPreempt = fallback.whenCanPreempt().name();
    row.flavorPreference = fallback.preference().name();
    if (queue != null) {
      Duration longest = queue.defaultMaxRuntime();
      row.queueOrder = queue.order().name();
      row.queueState = queue.state().name();
      row.fairByUser = queue.fairByUser();
      row.userRunning = queue.userLimits().running();
      row.userGpuMilli = queue.userLimits().gpuMilli();
      row.userQueued = queue.userLimits().queued();
      row.routing = queue.routing().none() ? null : Json.write(queue.routing());
      row.defaultMaxRuntimeMillis = longest == null ? null : longest.toMillis();
    }
    row.sharePolicy = node.share().name();
    Duration halfLife = node.usageHalfLife();
    row.usageHalfLifeMillis = halfLife == null ? null : halfLife.toMillis();
    row.limitCount = node.limits().size();
    row.version = node.version();
    return row;
  }

  /** Null for a node of the platform. */
  static @Nullable UUID tenant(QuotaNode node) {
    return node.ofFleet() ? null : node.tenant().value();
  }

  static List<QuotaLimitEntity> limits(QuotaNode node) {
    List<QuotaLimitEntity> rows = new ArrayList<>();
    for (QuotaLimit limit : node.limits()) {
      QuotaLimitEntity row = new QuotaLimitEntity();
      row.node = node.id().value();
      row.tenant = tenant(node);
      row.model = limit.flavor().model();
      row.capacity = limit.flavor().capacity().name();
      row.resource = limit.resource();
      row.ordinal = rows.size();
      row.nominal = limit.nominal();
      row.borrowingLimit = limit.borrowingLimit();
      row.lendingLimit = limit.lendingLimit();
      rows.add(row);
    }
    return rows;
  }

  static QuotaNode node(QuotaNodeEntity row, List<QuotaLimitEntity> limits) {
    return new QuotaNode(
        new QuotaNodeId(row.id),
        new TenantId(row.tenant == null ? row.id : row.tenant),
        row.name,
        row.parent == null ? null : new QuotaNodeId(row.parent),
        row.depth,
        row.weight,
        limits.stream().map(QuotaRows::limit).toList(),
        new PreemptionRules(
            PreemptionRules.WithinQueue.valueOf(row.preemptWithin),
            PreemptionRules.Reclaim.valueOf(row.preemptReclaim),
            row.preemptFairShare,
            PreemptionRules.WhileBorrowing.valueOf(row.preemptWhileBorrowing),
            row.preemptMaxVictimPriority),
        queue(row),
        SharePolicy.valueOf(row.sharePolicy),
        row.usageHalfLifeMillis == null ? null : Duration.ofMillis(row.usageHalfLifeMillis),
        row.version);
  }

  private static QuotaLimit limit(QuotaLimitEntity row) {
    Flavor flavor = new Flavor(row.model, CapacityType.valueOf(row.capacity));
    return new QuotaLimit(flavor, row.resource, row.nominal, row.borrowingLimit, row.lendingLimit);
  }

  private static @Nullable QueueSettings queue(QuotaNodeEntity row) {
    if (row.queueOrder == null || row.queueState == null) {
      return null;
    }
    return new QueueSettings(
        QueueSettings.Order.valueOf(row.queueOrder),
        QueueSettings.State.valueOf(row.queueState),
        row.defaultMaxRuntimeMillis == null ? null : Duration.ofMillis(row.defaultMaxRuntimeMillis),
        row.fairByUser,
        new FlavorFallback(
            FlavorFallback.WhenCanBorrow.valueOf(row.flavorWhenCanBorrow),
            FlavorFallback.WhenCanPreempt.valueOf(row.flavorWhenCanPreempt),
            FlavorFallback.Preference.valueOf(row.flavorPreference)),
        row.routing == null ? RoutingPolicy.NONE : Json.read(row.routing, RoutingPolicy.class),
        new UserLimits(row.userRunning, row.userGpuMilli, row.userQueued));
  }
}
