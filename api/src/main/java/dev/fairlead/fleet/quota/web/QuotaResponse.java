package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.fleet.quota.service.QuotaView;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A node of the quota tree. A leaf with {@code queue} accepts jobs.
 *
 * @param parent name of the parent, null for a root
 * @param weight weight among siblings. A node with weight 0 comes last
 * @param sharePolicy policy for sharing resources among its children
 * @param usageHalfLife time after which past use counts half for the share, null if only current
 *     use counts
 * @param limits limits of the node, empty for no limit. Otherwise a flavor and resource without an
 *     entry has no quota
 */
@RecordBuilder
record QuotaResponse(
    String id,
    String name,
    @Nullable String parent,
    BigDecimal weight,
    List<LimitResponse> limits,
    PreemptionRules preemption,
    @Nullable QueueResponse queue,
    SharePolicy sharePolicy,
    @Nullable String usageHalfLife,
    List<UsageResponse> usage,
    long version) {
  private static final int SHARE_DIGITS = 4;

  /**
   * Quota for one flavor and resource. GPUs and cores are decimals, memory is a quantity.
   *
   * @param flavor model and capacity type, for example {@code H100/RESERVED}
   * @param nominal quota that the subtree owns, null if unlimited
   * @param borrowingLimit maximum usage beyond the nominal quota, null if only the available quota
   *     limits it
   * @param lendingLimit maximum idle quota that it lends to others, null for all of it
   * @param windows windows with other amounts, null if none. The first of several open windows
   *     applies
   * @param leftoverPolicy treatment of running jobs beyond the limit when a window closes, null
   *     without windows
   * @param windowLead with EVICT, time before a window closes at which jobs are ordered to stop
   */
  @RecordBuilder
  record LimitResponse(
      String flavor,
      String resource,
      @Schema(types = {"number", "string", "null"}) @Nullable Object nominal,
      @Schema(types = {"number", "string", "null"}) @Nullable Object borrowingLimit,
      @Schema(types = {"number", "string", "null"}) @Nullable Object lendingLimit,
      @Nullable List<LimitWindowResponse> windows,
      @Nullable LeftoverPolicy leftoverPolicy,
      @Nullable String windowLead) {
    static LimitResponse of(QuotaLimit limit) {
      return QuotaResponseLimitResponseBuilder.builder()
          .flavor(limit.flavor().text())
          .resource(limit.resource())
          .nominal(amount(limit.nominal(), limit.resource()))
          .borrowingLimit(amount(limit.borrowingLimit(), limit.resource()))
          .lendingLimit(amount(limit.lendingLimit(), limit.resource()))
          .windows(LimitWindowResponse.of(limit.windows(), limit.resource()))
          .leftoverPolicy(
              limit.windows().isEmpty()
                  ? null
                  : limit.evictLead() == null ? LeftoverPolicy.FINISH : LeftoverPolicy.EVICT)
          .windowLead(
              limit.evictLead() == null || limit.evictLead().isZero()
                  ? null
                  : DurationText.of(limit.evictLead()))
          .build();
    }

    private static @Nullable Object amount(@Nullable Long amount, String resource) {
      return amount == null ? null : QuotaAmounts.write(amount, resource);
    }
  }

  /**
   * Settings of a queue.
   *
   * @param defaultMaxRuntime maxRuntime assumed for jobs without one, null if unlimited
   * @param fairByUser whether jobs of one priority are ordered by their user's use, least first,
   *     before age
   * @param flavorFallback rules for trying the next flavor
   * @param routing tiers of capacity for its jobs, null if all nodes are available immediately
   * @param userLimits limits of each user's concurrent use
   * @param projectLimits limits of each project's concurrent use
   * @param queueLimits limits of the concurrent use of all its jobs
   * @param projects projects that may submit to it and that the caller can see, null for all
   *     projects of the tenant
   * @param checks names of its admission checks
   */
  @RecordBuilder
  record QueueResponse(
      QueueSettings.Order order,
      QueueSettings.State state,
      @Nullable String defaultMaxRuntime,
      boolean fairByUser,
      FlavorFallback flavorFallback,
      @Nullable RoutingResponse routing,
      UserLimitsResponse userLimits,
      @Nullable RunLimitsResponse projectLimits,
      @Nullable RunLimitsResponse queueLimits,
      @Nullable List<String> projects,
      @Nullable List<String> checks) {
    static @Nullable QueueResponse of(@Nullable QueueSettings settings) {
      return settings == null
          ? null
          : QuotaResponseQueueResponseBuilder.builder()
              .order(settings.order())
              .state(settings.state())
              .defaultMaxRuntime(
                  settings.defaultMaxRuntime() == null
                      ? null
                      : DurationText.of(settings.defaultMaxRuntime()))
              .fairByUser(settings.fairByUser())
              .flavorFallback(settings.flavorFallback())
              .routing(RoutingResponse.of(settings.routing()))
              .userLimits(UserLimitsResponse.of(settings.userLimits()))
              .projectLimits(RunLimitsResponse.of(settings.projectLimits()))
              .queueLimits(RunLimitsResponse.of(settings.queueLimits()))
              .projects(settings.projects())
              .checks(settings.checks())
              .build();
    }
  }

  /**
   * Limits of each user's concurrent use of a queue. Null means no limit.
   *
   * @param running running and starting jobs, each array element counted separately
   * @param gpus GPUs requested by these jobs
   * @param queued waiting jobs, each array counted as one
   * @param gpuMinutes GPU-minutes that running jobs may still use until their maxRuntime
   */
  record UserLimitsResponse(
      @Nullable Integer running,
      @Nullable Long gpus,
      @Nullable Integer queued,
      @Nullable Long gpuMinutes) {
    static UserLimitsResponse of(UserLimits limits) {
      Long milli = limits.gpuMilli();
      return new UserLimitsResponse(
          limits.running(),
          milli == null ? null : milli / 1000,
          limits.queued(),
          limits.gpuMinutes());
    }
  }

  /**
   * Limits of the concurrent use of a queue. Null means no limit.
   *
   * @param running running and starting jobs, each array element counted separately
   * @param gpus GPUs requested by these jobs
   * @param gpuMinutes GPU-minutes that running jobs may still use until their maxRuntime
   */
  record RunLimitsResponse(
      @Nullable Integer running, @Nullable Long gpus, @Nullable Long gpuMinutes) {
    static RunLimitsResponse of(RunLimits limits) {
      Long milli = limits.gpuMilli();
      return new RunLimitsResponse(
          limits.running(), milli == null ? null : milli / 1000, limits.gpuMinutes());
    }
  }

  /**
   * Usage of one flavor and resource.
   *
   * @param nonPreemptible usage of this node's own nominal quota by jobs that are never evicted.
   *     For a queue its own jobs, for a group the jobs of queues below it without limits
   * @param borrowed usage beyond the nominal quota of the subtree
   * @param lent nominal quota of the subtree that others use
   * @param pending request of waiting jobs on the flavor that each tries first, for arrays of all
   *     waiting elements, as of some seconds ago
   * @param share used part of the current nominal quota, 1 for all of it, null if nominal is
   *     unlimited or zero
   */
  @RecordBuilder
  record UsageResponse(
      String flavor,
      String resource,
      @Schema(types = {"number", "string"}) Object used,
      @Schema(types = {"number", "string"}) Object nonPreemptible,
      @Schema(types = {"number", "string"}) Object borrowed,
      @Schema(types = {"number", "string"}) Object lent,
      @Schema(types = {"number", "string"}) Object pending,
      @Nullable BigDecimal share) {
    static UsageResponse of(QuotaView.Usage usage) {
      String resource = usage.cell().resource();
      return QuotaResponseUsageResponseBuilder.builder()
          .flavor(usage.cell().flavor().text())
          .resource(resource)
          .used(QuotaAmounts.write(usage.used(), resource))
          .nonPreemptible(QuotaAmounts.write(usage.nonPreemptible(), resource))
          .borrowed(QuotaAmounts.write(usage.borrowed(), resource))
          .lent(QuotaAmounts.write(usage.lent(), resource))
          .pending(QuotaAmounts.write(usage.pending(), resource))
          .share(share(usage))
          .build();
    }

    private static @Nullable BigDecimal share(QuotaView.Usage usage) {
      return Optional.ofNullable(usage.nominal())
          .filter(n -> n > 0)
          .map(n ->
              BigDecimal.valueOf(usage.used())
                  .divide(BigDecimal.valueOf(n), SHARE_DIGITS, RoundingMode.HALF_UP))
          .orElse(null);
    }
  }

  static QuotaResponse of(QuotaView view) {
    QuotaNode node = view.node();
    Duration halfLife = node.usageHalfLife();
    return QuotaResponseBuilder.builder()
        .id(node.id().text())
        .name(node.name())
        .parent(view.parent())
        .weight(new BigDecimal(Quantity.ofMilli(node.weight())))
        .limits(node.limits().stream().map(LimitResponse::of).toList())
        .preemption(node.preemption())
        .queue(QueueResponse.of(node.queue()))
        .sharePolicy(node.share())
        .usageHalfLife(halfLife == null ? null : DurationText.of(halfLife))
        .usage(view.usage().stream().map(UsageResponse::of).toList())
        .version(node.version())
        .build();
  }

  /** The writable fields as the base of a patch. */
  SortedMap<String, @Nullable Object> toRequest() {
    SortedMap<String, @Nullable Object> fields = new TreeMap<>();
    fields.put("name", name);
    fields.put("parent", parent);
    fields.put("weight", weight);
    fields.put("limits", limits);
    fields.put("preemption", preemption);
    fields.put("queue", queue);
    fields.put("sharePolicy", sharePolicy);
    fields.put("usageHalfLife", usageHalfLife);
    return fields;
  }
}
