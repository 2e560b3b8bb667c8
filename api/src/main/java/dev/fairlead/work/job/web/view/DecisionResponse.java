package dev.fairlead.work.job.web.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Saving;
import dev.fairlead.work.job.service.query.ClusterNames;
import dev.fairlead.work.job.service.query.DecisionSpan;
import dev.fairlead.work.job.web.spec.GpuResponse;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A decision about a job, with its explanation at that time. Depending on its kind it contains
 * {@code placed}, {@code waited}, {@code evicted} or {@code unreachable}, or none of them if this
 * version cannot read it.
 *
 * @param at time of the decision. For a wait, its start or the time when its first reason became
 *     this one
 * @param until time of the next decision, of the end of the placed attempt, or of the end or
 *     suspension of the job, null if none has occurred
 * @param expected likely start of the job, as shown during this wait or the wait that this decision
 *     ended, absent if none was shown
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DecisionResponse(
    DecisionRecord.Kind kind,
    Instant at,
    @Nullable Instant until,
    String message,
    @Nullable PlacedDecision placed,
    @Nullable WaitedDecision waited,
    @Nullable EvictedDecision evicted,
    @Nullable UnreachableDecision unreachable,
    @Nullable DecisionExpected expected) {
  private static final String UNREADABLE =
      "the decision was stored by another version of Fairlead and cannot be read by this version";

  /**
   * Details of a placement.
   *
   * @param element first index of the array, 0 for a job without an array
   * @param elements number of elements that were placed together
   * @param attempt number of the attempt
   * @param nodes number of nodes
   * @param nodeNames names of the first nodes, at most 8
   * @param flavors GPU model and capacity type, or CPU
   * @param quota usage of its queue and of the limited quota nodes above it, including the job
   * @param victims number of attempts that were evicted for it, grouped by preemption right
   * @param tier routing tier of the placement, absent without a routing policy, or if it was not
   *     recorded
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record PlacedDecision(
      int element,
      int elements,
      int attempt,
      String cluster,
      int members,
      BigDecimal gpus,
      int nodes,
      List<String> nodeNames,
      List<String> flavors,
      List<DecisionQuota> quota,
      SortedMap<EvictionRight, Integer> victims,
      @Nullable DecisionTier tier) {}

  /**
   * Tier of the queue's routing policy, as of the decision.
   *
   * @param number number of the tier, from 1
   * @param cause POLICY: no earlier tier had capacity that the job could ever use. UNAVAILABLE: an
   *     earlier tier had such capacity, but it was out of service or closed to the job. NO_ROOM: an
   *     earlier tier had such capacity, but none was free, or the job had no quota for it.
   *     WAIT_OVER: like NO_ROOM, after the wait for the tier
   * @param after time that a job waited until the tier opened
   */
  record DecisionTier(int number, UsedTier.Cause cause, String after) {
    static @Nullable DecisionTier of(@Nullable UsedTier tier) {
      return tier == null
          ? null
          : new DecisionTier(tier.number(), tier.cause(), DurationText.of(tier.after()));
    }
  }

  /**
   * GPUs of a quota node, including the job.
   *
   * @param version version of its limits
   * @param owned GPUs that its subtree owns, absent without a limit
   * @param share ratio of borrowed GPUs to the GPUs that its group could lend, by weight, absent if
   *     the group does not share by this ratio
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record DecisionQuota(
      String queue,
      long version,
      String flavor,
      BigDecimal used,
      @Nullable BigDecimal owned,
      BigDecimal borrowed,
      @Nullable BigDecimal share) {
    static DecisionQuota of(DecisionRecord.QuotaState state) {
      Long owned = state.owned();
      Long share = state.sharePermille();
      return new DecisionQuota(
          state.node(),
          state.version(),
          state.flavor().text(),
          GpuResponse.gpus(state.used()),
          owned == null ? null : GpuResponse.gpus(owned),
          GpuResponse.gpus(state.borrowed()),
          share == null ? null : GpuResponse.gpus(share));
    }
  }

  /**
   * Reasons for a wait, as of the scheduling cycle.
   *
   * @param reason first blocker
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record WaitedDecision(
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      Instant computedAt,
      List<ExplanationResponse.BlockerResponse> blockers,
      List<ExplanationResponse.NearMissResponse> nearMisses,
      List<ClusterVerdict> clusters,
      Explanation.@Nullable Estimate estimate) {}

  /**
   * Details of an eviction.
   *
   * @param element first index of the array, 0 for a job without an array
   * @param elements number of elements that were evicted together
   * @param attempt number of the attempt of the first element
   * @param right right under which another job preempted it, absent without another job
   * @param members number of evicted members
   * @param by job that gets the capacity, if it is in the same project
   * @param saving expected saving of a move back to reserved capacity, absent for any other
   *     eviction
   */
  @RecordBuilder
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record EvictedDecision(
      int element,
      int elements,
      int attempt,
      StopCause cause,
      @Nullable EvictionRight right,
      int members,
      @Nullable String by,
      @Nullable ExpectedSaving saving) {}

  /**
   * Expected saving of a move back to reserved capacity.
   *
   * @param from paid capacity of the attempt's first member with a GPU
   * @param fromCluster name of the cluster of the attempt
   * @param to reserved capacity, which is paid for in any case
   * @param toCluster name of the cluster of that capacity
   * @param perHour amount saved for each further hour of the job
   * @param cost one-time cost: work since the last checkpoint and the new start, at the price of
   *     the current capacity
   */
  record ExpectedSaving(
      String from,
      String fromCluster,
      String to,
      String toCluster,
      BigDecimal perHour,
      BigDecimal cost,
      String currency) {
    static @Nullable ExpectedSaving of(@Nullable Saving saving) {
      return saving == null
          ? null
          : new ExpectedSaving(
              saving.from().text(),
              saving.fromCluster(),
              saving.to().text(),
              saving.toCluster(),
              saving.perHour().amount(),
              saving.cost().amount(),
              saving.perHour().currency());
    }
  }

  /**
   * An attempt that became unobservable, or observable again.
   *
   * @param element first index of the array, 0 for a job without an array
   * @param elements number of elements concerned
   * @param attempt number of the attempt of the first element
   * @param members number of members without a proven end
   * @param nodeNames names of the first nodes of these members, at most 8
   * @param proofs events that would have proven their end, absent if the attempt became observable
   *     again
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record UnreachableDecision(
      int element,
      int elements,
      int attempt,
      String cluster,
      int members,
      List<String> nodeNames,
      @Nullable List<String> proofs) {}

  private static DecisionResponse of(
      DecisionSpan span, DecisionRecord.Unreachable unreachable, String cluster) {
    String message =
        unreachable.members()
            + (unreachable.members() == 1 ? " member on " : " members on ")
            + cluster
            + (unreachable.again()
                ? " can be seen again"
                : " is unreachable, and the job holds its resources without proof of its end");
    return DecisionResponseBuilder.builder()
        .kind(unreachable.kind())
        .at(span.decided().at())
        .until(span.until())
        .message(message)
        .placed(null)
        .waited(null)
        .evicted(null)
        .unreachable(
            new UnreachableDecision(
                unreachable.element(),
                unreachable.elements(),
                unreachable.attempt(),
                cluster,
                unreachable.members(),
                unreachable.nodeNames(),
                unreachable.again() ? null : UnreachableResponse.PROOFS))
        .expected(null)
        .build();
  }

  /** Median and 90th percentile of the start time of such jobs. */
  record DecisionExpected(Instant p50, Instant p90) {
    static @Nullable DecisionExpected of(DecisionRecord.@Nullable Expected told) {
      return told == null ? null : new DecisionExpected(told.p50(), told.p90());
    }
  }

  public static DecisionResponse of(DecisionSpan span, ClusterNames clusters) {
    DecisionRecord decided = span.decided();
    return switch (decided.body()) {
      case DecisionRecord.Placed placed -> of(span, placed(placed, clusters));
      case DecisionRecord.Waited waited ->
          DecisionResponseBuilder.builder()
              .kind(waited.kind())
              .at(decided.at())
              .until(span.until())
              .message(waited.explanation().first().message())
              .placed(null)
              .waited(waited(span, waited.explanation()))
              .evicted(null)
              .unreachable(null)
              .expected(DecisionExpected.of(decided.expected()))
              .build();
      case DecisionRecord.Evicted evicted ->
          DecisionResponseBuilder.builder()
              .kind(evicted.kind())
              .at(decided.at())
              .until(span.until())
              .message(evicted.message())
              .placed(null)
              .waited(null)
              .evicted(evicted(evicted))
              .unreachable(null)
              .expected(null)
              .build();
      case DecisionRecord.Unreachable unreachable ->
          of(span, unreachable, clusters.of(unreachable.cluster()));
      case DecisionRecord.Unreadable unreadable ->
          DecisionResponseBuilder.builder()
              .kind(unreadable.kind())
              .at(decided.at())
              .until(span.until())
              .message(UNREADABLE)
              .placed(null)
              .waited(null)
              .evicted(null)
              .unreachable(null)
              .expected(null)
              .build();
    };
  }

  private static DecisionResponse of(DecisionSpan span, PlacedDecision placed) {
    DecisionRecord decided = span.decided();
    String message =
        placed.gpus().toPlainString()
            + " GPUs of "
            + placed.nodes()
            + (placed.nodes() == 1 ? " node of " : " nodes of ")
            + placed.cluster();
    return DecisionResponseBuilder.builder()
        .kind(decided.body().kind())
        .at(decided.at())
        .until(span.until())
        .message(message)
        .placed(placed)
        .waited(null)
        .evicted(null)
        .unreachable(null)
        .expected(DecisionExpected.of(decided.expected()))
        .build();
  }

  private static PlacedDecision placed(DecisionRecord.Placed placed, ClusterNames clusters) {
    DecisionRecord.Place place = placed.place();
    return DecisionResponsePlacedDecisionBuilder.builder()
        .element(placed.element())
        .elements(placed.elements())
        .attempt(placed.attempt())
        .victims(placed.victims())
        .cluster(clusters.of(place.cluster()))
        .members(place.members())
        .gpus(GpuResponse.gpus(place.gpuMilli()))
        .nodes(place.nodes())
        .nodeNames(place.nodeNames())
        .flavors(place.flavors().stream().map(Flavor::text).toList())
        .quota(placed.quota().stream().map(DecisionQuota::of).toList())
        .tier(DecisionTier.of(placed.tier()))
        .build();
  }

  private static WaitedDecision waited(DecisionSpan span, Explanation why) {
    Instant first = span.decided().at();
    Instant until = span.until();
    Instant last = until == null ? why.computedAt() : until;
    Instant seen = last.isBefore(first) ? first : last;
    return new WaitedDecision(
        why.first().reason(),
        why.first().reason().reasonClass(),
        why.computedAt(),
        why.blockers().stream()
            .map(b -> ExplanationResponse.BlockerResponse.of(b, first, seen))
            .toList(),
        why.nearMisses().stream().map(ExplanationResponse.NearMissResponse::of).toList(),
        why.clusters(),
        why.estimate());
  }

  private static EvictedDecision evicted(DecisionRecord.Evicted evicted) {
    JobId by = evicted.by();
    return DecisionResponseEvictedDecisionBuilder.builder()
        .element(evicted.element())
        .elements(evicted.elements())
        .attempt(evicted.attempt())
        .cause(evicted.cause())
        .right(evicted.right())
        .members(evicted.members())
        .by(by == null ? null : by.text())
        .saving(ExpectedSaving.of(evicted.saving()))
        .build();
  }
}
