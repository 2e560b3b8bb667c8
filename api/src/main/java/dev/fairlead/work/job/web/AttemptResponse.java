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
 * One attempt to run a job on a cluster.
 *
 * @param element index in the array, 0 for a job without an array
 * @param number number of the attempt, from 1
 * @param term term of the scheduler that planned the attempt
 * @param launchedAt time just before its first object was created on the cluster
 * @param unseenSince time from which the attempt cannot be observed, null if it can
 * @param checkpointedAt time of the job's last report of saved work
 * @param cause failure cause of an attempt that failed or is ending
 * @param right right under which another job preempted the attempt
 * @param efficiency use of the GPUs, null without GPUs, before the first sample, and on a cluster
 *     without Prometheus
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
   * One pod of the attempt.
   *
   * @param pod name of the pod on the cluster
   * @param reason reason of the end, as the cluster reports it
   * @param standing state of a member that joined or left a running attempt, null for other members
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
   * @param slices memory slices of a partitioned GPU (MIG) that the member holds, from 0, null
   *     otherwise
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
