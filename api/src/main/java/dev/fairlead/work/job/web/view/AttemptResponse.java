package dev.fairlead.work.job.web.view;

import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.kernel.resources.MigGeometry;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.web.spec.GpuResponse;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to run a job on a cluster.
 *
 * @param element index in the array, 0 for a job without an array
 * @param number number of the attempt, from 1
 * @param epoch epoch of the scheduler that planned the attempt
 * @param launchedAt time just before its first object was created on the cluster
 * @param unreachableSince time when the attempt became unobservable, null if it can be observed
 * @param checkpointedAt time of the job's last report of saved work
 * @param cause failure cause of an attempt that failed or is ending
 * @param right right under which another job preempted the attempt
 * @param efficiency gPU utilization, null without GPUs, before the first sample, and on a cluster
 *     without Prometheus
 * @param progress last progress report while it runs, null if none
 */
@RecordBuilder
public record AttemptResponse(
    String id,
    String job,
    int element,
    int number,
    AttemptState state,
    String cluster,
    long epoch,
    Instant createdAt,
    @Nullable Instant launchedAt,
    @Nullable Instant startedAt,
    @Nullable Instant unreachableSince,
    @Nullable Instant endedAt,
    @Nullable Instant checkpointedAt,
    @Nullable FailureCause cause,
    @Nullable String message,
    @Nullable EvictionRight right,
    @Nullable EfficiencyResponse efficiency,
    @Nullable ProgressReportResponse progress,
    List<MemberResponse> members) {
  /**
   * One pod of the attempt.
   *
   * @param pod its name on the cluster
   * @param logsUrl address of its output in the log store of the platform, null if none is
   *     configured
   * @param reason reason of the end as reported by the cluster
   * @param standing null for a member that belongs to its attempt for the whole life of the attempt
   * @param gpuIdentity certainty about the devices: ENFORCED if Fairlead chose them and the cluster
   *     reports them, ALLOCATING if it has not reported them yet, OBSERVED if the node chose them
   *     and a source reported them, UNKNOWN if none did or sources disagree, null if there are no
   *     GPUs
   * @param devices devices of the member's pod according to all sources, retained after the member
   *     ends
   */
  @RecordBuilder
  public record MemberResponse(
      String role,
      int index,
      int incarnation,
      MemberState state,
      Member.@Nullable Place standing,
      String node,
      List<GpuPart> gpus,
      @Nullable GpuIdentity gpuIdentity,
      List<MemberDeviceResponse> devices,
      String pod,
      @Nullable String logsUrl,
      @Nullable Integer exitCode,
      @Nullable String reason,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt) {
    static MemberResponse of(
        Attempt attempt, Member member, @Nullable String logsUrl, Map<String, String> serials) {
      return AttemptResponseMemberResponseBuilder.builder()
          .role(member.role())
          .index(member.index())
          .incarnation(member.incarnation())
          .state(member.state())
          .standing(member.standing() == null ? null : member.standing().place())
          .node(member.nodeName())
          .gpus(member.gpus().stream().map(GpuPart::of).toList())
          .gpuIdentity(member.gpus().isEmpty() ? null : member.gpuIdentity())
          .devices(MemberDeviceResponse.all(member.devices(), serials))
          .pod(ObjectNames.pod(attempt.id(), MemberKey.of(member)))
          .logsUrl(logsUrl)
          .exitCode(member.exitCode())
          .reason(member.reason())
          .startedAt(member.startedAt())
          .endedAt(member.endedAt())
          .build();
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

  /**
   * A device of a member, and the sources that report it.
   *
   * @param gpu UUID of the device
   * @param serial serial number of the device, null if it is not known
   * @param part whether the member shares the device by time-slicing or MPS
   * @param sources sources of the report, most trusted last, without sources that name other
   *     devices
   */
  record MemberDeviceResponse(
      String gpu, @Nullable String serial, boolean part, List<DeviceReporter> sources) {
    static List<MemberDeviceResponse> all(MemberDevices devices, Map<String, String> serials) {
      SortedMap<HeldDevice, List<DeviceReporter>> sources = new TreeMap<>();
      for (MemberDevices.Report report : devices.reports()) {
        report
            .devices()
            .forEach(device ->
                sources.computeIfAbsent(device, d -> new ArrayList<>()).add(report.source()));
      }
      return sources.entrySet().stream()
          .map(each -> {
            HeldDevice device = each.getKey();
            return new MemberDeviceResponse(
                device.gpu(), serials.get(device.gpu()), device.part(), each.getValue());
          })
          .toList();
    }
  }

  public static Stream<MemberResponse> members(
      Attempt attempt, String cluster, LogUrls logs, Map<String, String> serials) {
    return attempt.everyMember().stream()
        .map(member ->
            MemberResponse.of(attempt, member, logs.of(attempt, member, cluster), serials));
  }

  /**
   * @param progress null without a report
   * @param serials serial numbers of its devices by UUID, without unknown ones
   */
  public static AttemptResponse of(
      Attempt attempt,
      String cluster,
      @Nullable Efficiency efficiency,
      @Nullable ProgressReportResponse progress,
      LogUrls logs,
      Map<String, String> serials) {
    return AttemptResponseBuilder.builder()
        .id(attempt.id().text())
        .job(attempt.job().text())
        .element(attempt.element())
        .number(attempt.number())
        .state(attempt.state())
        .cluster(cluster)
        .epoch(attempt.epoch())
        .createdAt(attempt.createdAt())
        .launchedAt(attempt.launchedAt())
        .startedAt(attempt.startedAt())
        .unreachableSince(attempt.unreachableSince())
        .endedAt(attempt.endedAt())
        .checkpointedAt(attempt.checkpointedAt())
        .cause(attempt.failure() == null ? null : attempt.failure().cause())
        .message(attempt.failure() == null ? null : attempt.failure().message())
        .right(attempt.failure() == null ? null : attempt.failure().right())
        .efficiency(efficiency == null ? null : EfficiencyResponse.of(efficiency))
        .progress(progress)
        .members(members(attempt, cluster, logs, serials).toList())
        .build();
  }
}
