package dev.fairlead.work.job.web;

import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.GpuShare;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.attempt.MemberState;
import dev.fairlead.work.attempt.ObjectNames;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One try of a job on a cluster.
 *
 * @param element index in the array, 0 for a job that is not an array
 * @param number from 1
 * @param term of the scheduler that planned it
 * @param launchedAt when its first create was about to be sent
 * @param unseenSince since when it cannot be seen, null while it can
 * @param checkpointedAt when its job last said that it has saved its work
 * @param cause why it ended badly, or is ending
 * @param right by which right it made room for another job, of one that was preempted for it
 * @param efficiency what it made of its GPUs; null without GPUs, before the first sample, and where
 *     its cluster has no Prometheus
 */
record AttemptResponse(
    String id,
    String job,
    int element,
    int number,
    AttemptState state,
    String cluster,
    long term,
    Instant createdAt,
    @Nullable Instant launchedAt,
    @Nullable Instant startedAt,
    @Nullable Instant unseenSince,
    @Nullable Instant endedAt,
    @Nullable Instant checkpointedAt,
    @Nullable FailureCause cause,
    @Nullable String message,
    @Nullable EvictionRight right,
    @Nullable EfficiencyResponse efficiency,
    List<MemberResponse> members) {
  /**
   * One pod of it.
   *
   * @param pod its name on the cluster
   * @param reason the cluster's word for how it ended
   * @param standing null for one that belongs to its attempt for as long as that lives
   */
  record MemberResponse(
      String role,
      int index,
      int incarnation,
      MemberState state,
      Member.@Nullable Place standing,
      String node,
      List<GpuPart> gpus,
      String pod,
      @Nullable Integer exitCode,
      @Nullable String reason,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {
    static MemberResponse of(Attempt attempt, Member member) {
      return new MemberResponse(
          member.role(),
          member.index(),
          member.incarnation(),
          member.state(),
          member.standing() == null ? null : member.standing().place(),
          member.nodeName(),
          member.gpus().stream().map(GpuPart::of).toList(),
          ObjectNames.pod(attempt.id(), MemberKey.of(member)),
          member.exitCode(),
          member.reason(),
          member.startedAt(),
          member.endedAt());
    }
  }

  /**
   * A GPU, or the part of it that the member holds.
   *
   * @param slices memory slices that it has of a GPU that is cut (MIG), from 0; null otherwise
   */
  record GpuPart(String serial, BigDecimal fraction, @Nullable List<Integer> slices) {
    static GpuPart of(GpuShare share) {
      return new GpuPart(
          share.serial(),
          GpuResponse.gpus(share.milli()),
          share.slices() == 0 ? null : MigGeometry.memorySlices(share.slices()));
    }
  }

  static Stream<MemberResponse> members(Attempt attempt) {
    return attempt.everyMember().stream().map(member -> MemberResponse.of(attempt, member));
  }

  static AttemptResponse of(Attempt attempt, String cluster, @Nullable Efficiency efficiency) {
    return new AttemptResponse(
        attempt.id().text(),
        attempt.job().text(),
        attempt.element(),
        attempt.number(),
        attempt.state(),
        cluster,
        attempt.term(),
        attempt.createdAt(),
        attempt.launchedAt(),
        attempt.startedAt(),
        attempt.unseenSince(),
        attempt.endedAt(),
        attempt.checkpointedAt(),
        attempt.failure() == null ? null : attempt.failure().cause(),
        attempt.failure() == null ? null : attempt.failure().message(),
        attempt.failure() == null ? null : attempt.failure().right(),
        efficiency == null ? null : EfficiencyResponse.of(efficiency),
        members(attempt).toList());
  }
}
