package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.node.Overrun;
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
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node of the quota tree; a leaf with {@code queue} takes jobs.
 *
 * @param parent name of the parent, null at a root
 * @param weight share among siblings; 0 comes last
 * @param sharePolicy how its children take turns
 * @param usageHalfLife time after which what was used counts half in that; null = it does not count
 * @param limits none = not limited here; otherwise a flavor and resource without an entry has none
 */
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
   * @param nominal what the subtree owns; null = unlimited
   * @param borrowingLimit what it may take beyond that; null = whatever is there
   * @param lendingLimit what it gives to others when idle; null = all of it
   * @param windows when other amounts hold, of several that are open those of the first; null for
   *     never
   * @param overrun what becomes of work beyond it when a window closes; null without windows
   * @param windowLead with EVICT, how long before the close it is asked to end
   */
  record LimitResponse(
      String flavor,
      String resource,
      @Schema(types = {"number", "string", "null"}) @Nullable Object nominal,
      @Schema(types = {"number", "string", "null"}) @Nullable Object borrowingLimit,
      @Schema(types = {"number", "string", "null"}) @Nullable Object lendingLimit,
      @Nullable List<LimitWindowRequest> windows,
      @Nullable Overrun overrun,
      @Nullable String windowLead) {
    static LimitResponse of(QuotaLimit limit) {
      return new LimitResponse(
          limit.flavor().text(),
          limit.resource(),
          amount(limit.nominal(), limit.resource()),
          amount(limit.borrowingLimit(), limit.resource()),
          amount(limit.lendingLimit(), limit.resource()),
          LimitWindowRequest.of(limit.windows(), limit.resource()),
          limit.windows().isEmpty()
              ? null
              : limit.evictLead() == null ? Overrun.FINISH : Overrun.EVICT,
          limit.evictLead() == null || limit.evictLead().isZero()
              ? null
              : DurationText.of(limit.evictLead()));
    }

    private static @Nullable Object amount(@Nullable Long amount, String resource) {
      return amount == null ? null : QuotaAmounts.write(amount, resource);
    }
  }

  /**
   * What makes it a queue.
   *
   * @param defaultMaxRuntime assumed for jobs that give none; null = never ending
   * @param fairByUser whether jobs of one priority go by how little their user has, before age
   * @param flavorFallback when a job goes on to its next flavor
   * @param routing in which tiers its jobs choose capacity; null = every node at once
   * @param userLimits what each user may have at once
   * @param projectLimits what the jobs of each project may have at once; absent from older servers
   * @param queueLimits what all its jobs may have at once; absent from older servers
   * @param projects those that may submit to it, of them the ones that the caller sees; null = all
   *     of the tenant
   */
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
      @Nullable List<String> projects) {
    static @Nullable QueueResponse of(@Nullable QueueSettings settings) {
      return settings == null
          ? null
          : new QueueResponse(
              settings.order(),
              settings.state(),
              settings.defaultMaxRuntime() == null
                  ? null
                  : DurationText.of(settings.defaultMaxRuntime()),
              settings.fairByUser(),
              settings.flavorFallback(),
              RoutingResponse.of(settings.routing()),
              UserLimitsResponse.of(settings.userLimits()),
              RunLimitsResponse.of(settings.projectLimits()),
              RunLimitsResponse.of(settings.queueLimits()),
              settings.projects());
    }
  }

  /**
   * What each user may have at once in a queue; null is no limit.
   *
   * @param running jobs that run or start, each element of an array by itself
   * @param gpus GPUs that these ask for
   * @param queued jobs that wait, each array as one
   * @param gpuMinutes GPU-minutes that running jobs may still use until their maxRuntime is over
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
   * What jobs of a queue may have at once; null is no limit.
   *
   * @param running jobs that run or start, each element of an array by itself
   * @param gpus GPUs that these ask for
   * @param gpuMinutes GPU-minutes that running jobs may still use until their maxRuntime is over
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
   * Use of one flavor and resource.
   *
   * @param nonPreemptible what jobs that are never evicted use of the nominal quota of this node
   *     itself: at a queue its own, at a group those of queues below that have no limits
   * @param borrowed used beyond what the subtree owns
   * @param lent owned, and used by others
   * @param pending what waiting jobs ask for on the flavor that each tries first, arrays with all
   *     elements that wait, as the scheduler saw it some seconds ago
   * @param share used part of what is nominal now, 1 = all of it; null where nominal is unlimited
   *     or zero
   */
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
      return new UsageResponse(
          usage.cell().flavor().text(),
          resource,
          QuotaAmounts.write(usage.used(), resource),
          QuotaAmounts.write(usage.nonPreemptible(), resource),
          QuotaAmounts.write(usage.borrowed(), resource),
          QuotaAmounts.write(usage.lent(), resource),
          QuotaAmounts.write(usage.pending(), resource),
          share(usage));
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
    return new QuotaResponse(
        node.id().text(),
        node.name(),
        view.parent(),
        new BigDecimal(Quantity.ofMilli(node.weight())),
        node.limits().stream().map(LimitResponse::of).toList(),
        node.preemption(),
        QueueResponse.of(node.queue()),
        node.share(),
        halfLife == null ? null : DurationText.of(halfLife),
        view.usage().stream().map(UsageResponse::of).toList(),
        node.version());
  }

  /** What may be written: what a patch is applied to. */
  QuotaRequest toRequest() {
    return new QuotaRequest(
        name, parent, weight, limits, preemption, queue, sharePolicy, usageHalfLife);
  }
}
