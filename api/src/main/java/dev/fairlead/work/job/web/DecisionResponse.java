package dev.fairlead.work.job.web;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Saving;
import dev.fairlead.work.job.service.ClusterNames;
import dev.fairlead.work.job.service.DecisionSpan;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What was decided of a job, as it was explained then. Of {@code placed}, {@code waited}, {@code
 * evicted} and {@code unseen} it has the one that belongs to its kind, or none when this version
 * cannot read it.
 *
 * @param at when; of a wait, when it began or its first reason became this one
 * @param until when the next decision was made, the attempt that was placed ended, or the job ended
 *     or was suspended; null while none of these happened
 * @param expected when the job was likely to start, as it was told in the wait that this is about
 *     or that this ended; absent where nothing was told
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record DecisionResponse(
    DecisionRecord.Kind kind,
    Instant at,
    @Nullable Instant until,
    String message,
    @Nullable PlacedDecision placed,
    @Nullable WaitedDecision waited,
    @Nullable EvictedDecision evicted,
    @Nullable UnseenDecision unseen,
    @Nullable DecisionExpected expected) {
  private static final String UNREADABLE =
      "the decision was stored by another version of Fairlead and cannot be read by this one";

  /**
   * Where it was placed.
   *
   * @param element first index of the array, 0 for a job that is not an array
   * @param elements that were placed at once
   * @param attempt number of the attempt
   * @param nodes number of nodes
   * @param nodeNames the first of them, at most 8
   * @param flavors GPU model and capacity type, or CPU
   * @param quota its queue and the limited quota nodes above it, with the job
   * @param victims attempts that left for it, by right
   * @param tier by which it was placed; absent without a routing policy, and when it was not
   *     recorded
   */
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
   * Tier of its queue's routing policy, as the policy was then.
   *
   * @param number from 1
   * @param cause POLICY: no earlier tier had capacity that it could ever use; UNAVAILABLE: one had,
   *     out of service or closed to it; NO_ROOM: one had, without room or quota for it; WAIT_OVER:
   *     the same, and the wait for the tier was over
   * @param after how long a job waited until the tier opened
   */
  record DecisionTier(int number, UsedTier.Cause cause, String after) {
    static @Nullable DecisionTier of(@Nullable UsedTier tier) {
      return tier == null
          ? null
          : new DecisionTier(tier.number(), tier.cause(), DurationText.of(tier.after()));
    }
  }

  /**
   * GPUs of a quota node, with the job.
   *
   * @param version of its limits
   * @param owned by its subtree, absent when it is not limited
   * @param share what it borrows over what its group could lend, by weight; absent where its group
   *     does not go by that
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
   * Why it waited, as of the time at which the scheduler looked.
   *
   * @param reason first of the blockers
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record WaitedDecision(
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      Instant computedAt,
      List<ExplanationResponse.BlockerResponse> blockers,
      List<ExplanationResponse.NearMissResponse> nearMisses,
      List<ExplanationResponse.ClusterFinding> clusters,
      Explanation.@Nullable Estimate estimate) {}

  /**
   * Why it had to leave.
   *
   * @param element first index of the array, 0 for a job that is not an array
   * @param elements that had to leave at once
   * @param attempt number of the attempt, of the first element
   * @param right by which another job made it leave, absent when none did
   * @param members that had to leave
   * @param by the job that gets the place, when it is of the same project
   * @param saving what a move back to reserved capacity is expected to bring, absent for anything
   *     else
   */
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
   * What a move back to reserved capacity is expected to bring.
   *
   * @param from what the attempt was paid for, of its first member with a GPU
   * @param fromCluster name of its cluster
   * @param to reserved capacity, which is paid for in any case
   * @param toCluster name of its cluster
   * @param perHour what is not paid any more for each hour that the job goes on
   * @param cost once: work since the last checkpoint and the new start, at the price of where it
   *     ran
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
   * An attempt that nothing showed any more, or that could be seen again.
   *
   * @param element first index of the array, 0 for a job that is not an array
   * @param elements of which that is said
   * @param attempt number of the attempt, of the first element
   * @param members whose end was not proven
   * @param nodeNames of these members, the first of them, at most 8
   * @param proofs what would have proven their end; absent where it could be seen again
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record UnseenDecision(
      int element,
      int elements,
      int attempt,
      String cluster,
      int members,
      List<String> nodeNames,
      @Nullable List<String> proofs) {}

  private static DecisionResponse of(
      DecisionSpan span, DecisionRecord.Unseen unseen, String cluster) {
    String message =
        unseen.members()
            + (unseen.members() == 1 ? " member on " : " members on ")
            + cluster
            + (unseen.again()
                ? " can be seen again"
                : " is unreachable, without proof of its end; the job holds its resources");
    return new DecisionResponse(
        unseen.kind(),
        span.decided().at(),
        span.until(),
        message,
        null,
        null,
        null,
        new UnseenDecision(
            unseen.element(),
            unseen.elements(),
            unseen.attempt(),
            cluster,
            unseen.members(),
            unseen.nodeNames(),
            unseen.again() ? null : UnseenResponse.PROOFS),
        null);
  }

  /** Half and nine tenths of such jobs start by then. */
  record DecisionExpected(Instant p50, Instant p90) {
    static @Nullable DecisionExpected of(DecisionRecord.@Nullable Expected told) {
      return told == null ? null : new DecisionExpected(told.p50(), told.p90());
    }
  }

  static DecisionResponse of(DecisionSpan span, ClusterNames clusters) {
    DecisionRecord decided = span.decided();
    return switch (decided.body()) {
      case DecisionRecord.Placed placed -> of(span, placed(placed, clusters));
      case DecisionRecord.Waited waited ->
          new DecisionResponse(
              waited.kind(),
              decided.at(),
              span.until(),
              waited.explanation().first().message(),
              null,
              waited(span, waited.explanation()),
              null,
              null,
              DecisionExpected.of(decided.expected()));
      case DecisionRecord.Evicted evicted ->
          new DecisionResponse(
              evicted.kind(),
              decided.at(),
              span.until(),
              evicted.message(),
              null,
              null,
              evicted(evicted),
              null,
              null);
      case DecisionRecord.Unseen unseen -> of(span, unseen, clusters.of(unseen.cluster()));
      case DecisionRecord.Unreadable unreadable ->
          new DecisionResponse(
              unreadable.kind(),
              decided.at(),
              span.until(),
              UNREADABLE,
              null,
              null,
              null,
              null,
              null);
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
    return new DecisionResponse(
        decided.body().kind(),
        decided.at(),
        span.until(),
        message,
        placed,
        null,
        null,
        null,
        DecisionExpected.of(decided.expected()));
  }

  private static PlacedDecision placed(DecisionRecord.Placed placed, ClusterNames clusters) {
    DecisionRecord.Place place = placed.place();
    return new PlacedDecision(
        placed.element(),
        placed.elements(),
        placed.attempt(),
        clusters.of(place.cluster()),
        place.members(),
        GpuResponse.gpus(place.gpuMilli()),
        place.nodes(),
        place.nodeNames(),
        place.flavors().stream().map(Flavor::text).toList(),
        placed.quota().stream().map(DecisionQuota::of).toList(),
        placed.victims(),
        DecisionTier.of(placed.tier()));
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
        why.clusters().stream().map(ExplanationResponse.ClusterFinding::of).toList(),
        why.estimate());
  }

  private static EvictedDecision evicted(DecisionRecord.Evicted evicted) {
    JobId by = evicted.by();
    return new EvictedDecision(
        evicted.element(),
        evicted.elements(),
        evicted.attempt(),
        evicted.cause(),
        evicted.right(),
        evicted.members(),
        by == null ? null : by.text(),
        ExpectedSaving.of(evicted.saving()));
  }
}
