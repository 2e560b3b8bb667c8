package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QueueSettingsBuilder;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.kernel.postgres.Json;
import io.soabase.recordbuilder.core.RecordBuilder;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changeable columns of {@code quota_node}. */
@RecordBuilder
@Embeddable
record QuotaNodeColumns(
    String name,
    long weight,
    @Column(name = "share_policy") String sharePolicy,
    @Column(name = "usage_half_life_millis") @Nullable Long usageHalfLifeMillis,
    @Column(name = "limit_count") @Nullable Integer limitCount,
    Preemption preemption,
    Fallback fallback,
    Queue queue) {

  /** Rules of preemption. */
  @Embeddable
  record Preemption(
      @Column(name = "preempt_within") String within,
      @Column(name = "preempt_reclaim") String reclaim,
      @Column(name = "preempt_fair_share") boolean fairShare,
      @Column(name = "preempt_while_borrowing") String whileBorrowing,
      @Column(name = "preempt_max_victim_priority") @Nullable Integer maxVictimPriority) {
    static Preemption of(PreemptionRules rules) {
      return new Preemption(
          rules.withinQueue().name(),
          rules.reclaim().name(),
          rules.fairShare(),
          rules.whileBorrowing().name(),
          rules.maxVictimPriority());
    }

    PreemptionRules rules() {
      return new PreemptionRules(
          PreemptionRules.WithinQueue.valueOf(within),
          PreemptionRules.Reclaim.valueOf(reclaim),
          fairShare,
          PreemptionRules.WhileBorrowing.valueOf(whileBorrowing),
          maxVictimPriority);
    }
  }

  /** Rules of the flavor fallback. */
  @Embeddable
  record Fallback(
      @Column(name = "flavor_when_can_borrow") String whenCanBorrow,
      @Column(name = "flavor_when_can_preempt") String whenCanPreempt,
      @Column(name = "flavor_preference") String preference) {
    static Fallback of(FlavorFallback fallback) {
      return new Fallback(
          fallback.whenCanBorrow().name(),
          fallback.whenCanPreempt().name(),
          fallback.preference().name());
    }

    FlavorFallback value() {
      return new FlavorFallback(
          FlavorFallback.WhenCanBorrow.valueOf(whenCanBorrow),
          FlavorFallback.WhenCanPreempt.valueOf(whenCanPreempt),
          FlavorFallback.Preference.valueOf(preference));
    }
  }

  /** Settings of a queue. Order and state are null for an inner node. */
  @RecordBuilder
  @Embeddable
  record Queue(
      @Column(name = "queue_order") @Nullable String order,
      @Column(name = "queue_state") @Nullable String state,
      @Column(name = "default_max_runtime_millis") @Nullable Long defaultMaxRuntimeMillis,
      @Column(name = "fair_by_user") boolean fairByUser,
      @Column(name = "user_running") @Nullable Integer userRunning,
      @Column(name = "user_gpu_milli") @Nullable Long userGpuMilli,
      @Column(name = "user_queued") @Nullable Integer userQueued,
      @Column(name = "user_gpu_minutes") @Nullable Long userGpuMinutes,
      @Nullable String routing,
      @Column(name = "project_limits") @Nullable String projectLimits,
      @Column(name = "queue_limits") @Nullable String queueLimits,
      @Column(name = "queue_projects") @Nullable String projects,
      @Column(name = "queue_checks") @Nullable String checks) {
    static Queue of(@Nullable QueueSettings queue) {
      return queue == null
          ? QuotaNodeColumnsQueueBuilder.builder()
              .order(null)
              .state(null)
              .defaultMaxRuntimeMillis(null)
              .fairByUser(false)
              .userRunning(null)
              .userGpuMilli(null)
              .userQueued(null)
              .userGpuMinutes(null)
              .routing(null)
              .projectLimits(null)
              .queueLimits(null)
              .projects(null)
              .checks(null)
              .build()
          : QuotaNodeColumnsQueueBuilder.builder()
              .order(queue.order().name())
              .state(queue.state().name())
              .defaultMaxRuntimeMillis(millis(queue.defaultMaxRuntime()))
              .fairByUser(queue.fairByUser())
              .userRunning(queue.userLimits().running())
              .userGpuMilli(queue.userLimits().gpuMilli())
              .userQueued(queue.userLimits().queued())
              .userGpuMinutes(queue.userLimits().gpuMinutes())
              .routing(queue.routing().none() ? null : Json.write(queue.routing()))
              .projectLimits(text(queue.projectLimits()))
              .queueLimits(text(queue.queueLimits()))
              .projects(queue.projects() == null ? null : Json.write(queue.projects()))
              .checks(queue.checks().isEmpty() ? null : Json.write(queue.checks()))
              .build();
    }

    private static @Nullable String text(RunLimits limits) {
      return limits.equals(RunLimits.NONE) ? null : Json.write(limits);
    }

    private static RunLimits limits(@Nullable String text) {
      return text == null ? RunLimits.NONE : Json.read(text, RunLimits.class);
    }

    @Nullable QueueSettings settings(FlavorFallback fallback) {
      if (order == null || state == null) {
        return null;
      }
      return QueueSettingsBuilder.builder()
          .order(QueueSettings.Order.valueOf(order))
          .state(QueueSettings.State.valueOf(state))
          .defaultMaxRuntime(duration(defaultMaxRuntimeMillis))
          .fairByUser(fairByUser)
          .flavorFallback(fallback)
          .routing(routing == null ? RoutingPolicy.NONE : Json.read(routing, RoutingPolicy.class))
          .userLimits(new UserLimits(userRunning, userGpuMilli, userQueued, userGpuMinutes))
          .projectLimits(limits(projectLimits))
          .queueLimits(limits(queueLimits))
          .projects(projects == null ? null : List.of(Json.read(projects, String[].class)))
          .checks(checks == null ? List.of() : List.of(Json.read(checks, String[].class)))
          .build();
    }
  }

  static QuotaNodeColumns of(QuotaNode node) {
    QueueSettings queue = node.queue();
    return QuotaNodeColumnsBuilder.builder()
        .name(node.name())
        .weight(node.weight())
        .sharePolicy(node.share().name())
        .usageHalfLifeMillis(millis(node.usageHalfLife()))
        .limitCount(node.limits().size())
        .preemption(Preemption.of(node.preemption()))
        .fallback(Fallback.of(queue == null ? FlavorFallback.DEFAULT : queue.flavorFallback()))
        .queue(Queue.of(queue))
        .build();
  }

  private static @Nullable Long millis(@Nullable Duration time) {
    return time == null ? null : time.toMillis();
  }

  static @Nullable Duration duration(@Nullable Long millis) {
    return millis == null ? null : Duration.ofMillis(millis);
  }
}
