package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.SetupScript;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedMemberBuilder;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Interprets the status of a member's pod. It makes no decisions, but is strict about ends: a
 * member is SUCCEEDED or FAILED only by a terminal status of its container, or by its kubelet's
 * refusal before any container started. A phase that another component wrote is not an end. For
 * example, the pod garbage collector marks pods of deleted nodes as Failed while their processes
 * may still run.
 */
public final class PodObservations {
  private static final String DISRUPTION = "DisruptionTarget";
  private static final String SCHEDULED = "PodScheduled";

  /** True as long as the sandbox of the pod exists, with kubelets since 1.29. */
  private static final String SANDBOX = "PodReadyToStartContainers";

  private static final Set<String> LAST_PHASES = Set.of("Succeeded", "Failed");
  private static final String COLLECTED = "DeletionByPodGC";

  /**
   * Reasons of the DisruptionTarget condition, mapped to the kubelet's words for the same events.
   */
  private static final Map<String, String> DISRUPTIONS =
      Map.of(
          "EvictionByEvictionAPI", "Evicted",
          "DeletionByTaintManager", "DeletionByTaintManager",
          "PreemptionByScheduler", "Preempting",
          "TerminationByKubelet", "Terminated");

  /** Exit code and termination message of the launcher {@code ray-driver} without its program. */
  private static final int UNSERVED = 121;

  private static final String NO_SERVER = "fairlead: no Ray client server";

  private static final int LONGEST_REASON = 100;
  private static final int LONGEST_MESSAGE = 2_000;
  private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

  /**
   * Ends with a reason that holds regardless of other events of the pod: out of memory, and a lost
   * result.
   */
  private static final Set<String> OF_ITSELF =
      Stream.concat(Stream.of("OOMKilled"), ObservedMember.LOST_RESULTS.stream())
          .collect(Collectors.toUnmodifiableSet());

  private PodObservations() {}

  /**
   * Returns an empty result if the labels do not name a member, or not the member in the pod's
   * name.
   */
  public static Optional<ObservedMember> of(Pod pod) {
    return ObjectLabels.member(pod).map(key -> of(pod, key));
  }

  private static ObservedMember of(Pod pod, MemberKey key) {
    PodStatus status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
    /* Kubelets sort by name, and a cluster may inject other containers. */
    ContainerStatus container =
        containers(status)
            .filter(c -> PodSpecs.CONTAINER.equals(c.getName()))
            .findFirst()
            .orElse(null);
    ContainerStateTerminated end = end(container);
    MemberState state = state(pod, status, container, end);
    boolean deleting = pod.getMetadata().getDeletionTimestamp() != null;
    return ObservedMemberBuilder.builder()
        .key(key)
        .uid(pod.getMetadata().getUid())
        .state(state)
        .node(pod.getSpec() == null ? null : pod.getSpec().getNodeName())
        .started(started(container))
        .exitCode(end == null ? null : end.getExitCode())
        .reason(reason(pod, status, container, end, state))
        .message(ReportedText.words(message(status, container, end), LONGEST_MESSAGE))
        .startedAt(startedAt(container, end))
        .endedAt(end == null ? null : time(end.getFinishedAt()))
        .deleting(deleting && !ObjectLabels.dismissed(pod))
        .held(end == null ? ObservedMember.Held.NOTHING : held(status, deleting))
        .asked(ObjectLabels.asked(pod))
        .devices(AllocatedDevices.held(container))
        .deviceSource(DeviceReporter.POD_STATUS)
        .build();
  }

  /**
   * A kubelet reports the end of a container immediately, and the last phase a second later, when
   * sandbox and devices are free again. While another container runs, it never reports the last
   * phase.
   */
  private static ObservedMember.Held held(PodStatus status, boolean deleting) {
    if (LAST_PHASES.contains(String.valueOf(status.getPhase()))) {
      return ObservedMember.Held.NOTHING;
    }
    boolean others = containers(status).anyMatch(c -> end(c) == null);
    if (others && !deleting) {
      return ObservedMember.Held.SIDECARS;
    }
    return others || conditions(status, SANDBOX, "True").findAny().isPresent()
        ? ObservedMember.Held.SANDBOX
        : ObservedMember.Held.NOTHING;
  }

  private static Stream<ContainerStatus> containers(PodStatus status) {
    return status.getContainerStatuses() == null
        ? Stream.empty()
        : status.getContainerStatuses().stream();
  }

  /** A phase that follows only from the end of a sidecar proves nothing about the job. */
  private static boolean failed(PodStatus status) {
    boolean accompanied = containers(status).skip(1).findAny().isPresent();
    return "Failed".equals(status.getPhase()) && !(accompanied && status.getReason() == null);
  }

  private static boolean unbound(Pod pod) {
    return pod.getSpec() == null || pod.getSpec().getNodeName() == null;
  }

  private static MemberState state(
      Pod pod,
      PodStatus status,
      @Nullable ContainerStatus container,
      @Nullable ContainerStateTerminated end) {
    if (end != null) {
      boolean good = Integer.valueOf(0).equals(end.getExitCode()) && !failed(status);
      return good ? MemberState.SUCCEEDED : MemberState.FAILED;
    }
    if (running(container)) {
      return MemberState.RUNNING;
    }
    if ("Failed".equals(status.getPhase())
        && !started(container)
        && !COLLECTED.equals(condition(status, DISRUPTION, "True"))) {
      return MemberState.FAILED;
    }
    if (container == null && unbound(pod) && pod.getMetadata().getDeletionTimestamp() != null) {
      return MemberState.FAILED; // no scheduler binds a pod that is being deleted
    }
    /* Nothing has started before a kubelet reports that it accepted the pod. */
    boolean taken = status.getStartTime() != null || container != null;
    return taken ? MemberState.PULLING : MemberState.PENDING;
  }

  private static @Nullable String reason(
      Pod pod,
      PodStatus status,
      @Nullable ContainerStatus container,
      @Nullable ContainerStateTerminated end,
      MemberState state) {
    String waits = BackendPods.waits(pod);
    return waits != null
        ? ReportedText.words(waits, LONGEST_MESSAGE)
        : ReportedText.words(reason(status, container, end, state), LONGEST_REASON);
  }

  private static @Nullable String reason(
      PodStatus status,
      @Nullable ContainerStatus container,
      @Nullable ContainerStateTerminated end,
      MemberState state) {
    if (end != null && OF_ITSELF.contains(String.valueOf(end.getReason()))) {
      return end.getReason();
    }
    boolean failed = state == MemberState.FAILED;
    if (failed && status.getReason() != null) {
      return status.getReason();
    }
    String disruption = disruptionBefore(status, end);
    if (failed && disruption != null && DISRUPTIONS.containsKey(disruption)) {
      return DISRUPTIONS.get(disruption);
    }
    if (end != null) {
      String unhealthy = failed ? AllocatedDevices.unhealthy(container) : null;
      String launch = failed ? launchFailure(end) : null;
      return unhealthy != null ? unhealthy : launch != null ? launch : end.getReason();
    }
    ContainerStateTerminated unpacked = end(CodeContainer.status(status));
    if (failed && unpacked != null && !Integer.valueOf(0).equals(unpacked.getExitCode())) {
      return CodeContainer.reason(unpacked.getExitCode());
    }
    String init = failed ? PodContainers.reason(status) : null;
    if (init != null) {
      return init;
    }
    String unhealthy = running(container) ? AllocatedDevices.unhealthy(container) : null;
    if (state == MemberState.RUNNING && unhealthy != null) {
      return unhealthy;
    }
    ContainerStateWaiting waiting = waiting(status, container);
    return waiting != null && waiting.getReason() != null
        ? waiting.getReason()
        : status.getReason() != null ? status.getReason() : condition(status, SCHEDULED, "False");
  }

  /** Returns why the program was not started, null if it was. */
  private static @Nullable String launchFailure(ContainerStateTerminated end) {
    return Integer.valueOf(UNSERVED).equals(end.getExitCode()) && NO_SERVER.equals(end.getMessage())
        ? ObservedMember.RAY_UNSERVED
        : SetupScript.reason(end.getMessage());
  }

  private static @Nullable String message(
      PodStatus status,
      @Nullable ContainerStatus container,
      @Nullable ContainerStateTerminated end) {
    if (status.getMessage() != null) {
      return status.getMessage();
    }
    ContainerStateTerminated unpacked = end(CodeContainer.status(status));
    if (unpacked != null && !started(container)) {
      return unpacked.getMessage();
    }
    ContainerStateWaiting waiting = waiting(status, container);
    return end != null ? end.getMessage() : waiting == null ? null : waiting.getMessage();
  }

  private static boolean started(@Nullable ContainerStatus container) {
    return running(container) || end(container) != null;
  }

  private static boolean running(@Nullable ContainerStatus container) {
    return container != null
        && container.getState() != null
        && container.getState().getRunning() != null;
  }

  private static @Nullable ContainerStateTerminated end(@Nullable ContainerStatus container) {
    return container == null || container.getState() == null
        ? null
        : container.getState().getTerminated();
  }

  /**
   * Reason of the first container that the member waits for. A running member waits for no
   * container.
   */
  private static @Nullable ContainerStateWaiting waiting(
      PodStatus status, @Nullable ContainerStatus container) {
    if (started(container)) {
      return null;
    }
    ContainerStateWaiting code = waiting(CodeContainer.status(status));
    ContainerStateWaiting blocked = waiting(PodContainers.blocked(status));
    return code != null ? code : blocked != null ? blocked : waiting(container);
  }

  private static @Nullable ContainerStateWaiting waiting(@Nullable ContainerStatus container) {
    return container == null || container.getState() == null
        ? null
        : container.getState().getWaiting();
  }

  private static @Nullable Instant startedAt(
      @Nullable ContainerStatus container, @Nullable ContainerStateTerminated end) {
    if (end != null) {
      return time(end.getStartedAt());
    }
    return container != null && running(container)
        ? time(container.getState().getRunning().getStartedAt())
        : null;
  }

  /**
   * Returns the disruption of the pod before its container ended. A kubelet that was down may
   * report an end that precedes the eviction for its silence. Such an end is the container's own.
   */
  private static @Nullable String disruptionBefore(
      PodStatus status, @Nullable ContainerStateTerminated end) {
    Instant ended = end == null ? null : time(end.getFinishedAt());
    return conditions(status, DISRUPTION, "True")
        .filter(c -> {
          Instant since = time(c.getLastTransitionTime());
          return ended == null || since == null || !ended.isBefore(since);
        })
        .map(PodCondition::getReason)
        .findFirst()
        .orElse(null);
  }

  /** Returns the reason of the condition, null if it does not have this value. */
  private static @Nullable String condition(PodStatus status, String type, String value) {
    return conditions(status, type, value).map(PodCondition::getReason).findFirst().orElse(null);
  }

  private static Stream<PodCondition> conditions(PodStatus status, String type, String value) {
    List<PodCondition> conditions =
        status.getConditions() == null ? List.of() : status.getConditions();
    return conditions.stream().filter(c -> type.equals(c.getType()) && value.equals(c.getStatus()));
  }

  /** Returns null without a time, and for the zero time of a container that never started. */
  private static @Nullable Instant time(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      return instant.getEpochSecond() <= 0 || instant.isAfter(LATEST) ? null : instant;
    } catch (DateTimeParseException e) {
      return null;
    }
  }
}
