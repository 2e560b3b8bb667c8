package dev.fairlead.work.workload.judgement;

import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod of Fairlead as its cluster reports it.
 *
 * @param state SUCCEEDED and FAILED only with a recorded terminal status. Never GONE
 * @param started whether any of its containers ever ran
 * @param exitCode exit code of its container, null while none is recorded
 * @param reason the cluster's word: {@code OOMKilled}, {@code ImagePullBackOff}, {@code Evicted},
 *     {@code OutOfcpu}, ...
 * @param deleting whether its deletion was requested
 * @param held the occupant that still holds its node after its container has ended
 * @param asked whether it has a checkpoint request ({@code ObjectNames.CHECKPOINT})
 * @param devices that its cluster reports for its container, empty if it reports none
 * @param deviceSource object of the cluster that names the devices
 */
@RecordBuilder
public record ObservedMember(
    MemberKey key,
    String uid,
    MemberState state,
    @Nullable String node,
    boolean started,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable String message,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    boolean deleting,
    Held held,
    boolean asked,
    List<HeldDevice> devices,
    DeviceReporter deviceSource)
    implements ObservedMemberBuilder.With {
  /** The occupant of a member's node after its container has ended. */
  public enum Held {
    NOTHING,
    /** Its kubelet has not cleaned up its sandbox and devices yet. */
    SANDBOX,
    /** Sidecars that its cluster added still run, and would run forever. */
    SIDECARS
  }

  public ObservedMember {
    devices = List.copyOf(devices);
  }

  /** A member that has not started, without a reason or devices. */
  public static ObservedMember of(
      MemberKey key, String uid, MemberState state, @Nullable String node) {
    return ObservedMemberBuilder.builder()
        .key(key)
        .uid(uid)
        .state(state)
        .node(node)
        .started(false)
        .exitCode(null)
        .reason(null)
        .message(null)
        .startedAt(null)
        .endedAt(null)
        .deleting(false)
        .held(Held.NOTHING)
        .asked(false)
        .devices(List.of())
        .deviceSource(DeviceReporter.POD_STATUS)
        .build();
  }

  /** Returns the observation with another reason. */
  public ObservedMember because(String why) {
    return withReason(why);
  }

  /** Returns the observation with devices that another object of the cluster names. */
  public ObservedMember holding(DeviceReporter source, List<HeldDevice> named) {
    return with().devices(named).deviceSource(source).build();
  }

  /** Its container has ended, but another pod in its place would still be refused. */
  public boolean lingers() {
    return held != Held.NOTHING;
  }

  /**
   * Reason of an end while a device of the member was unhealthy, followed by a blank and the device
   * if the cluster names it.
   */
  public static final String UNHEALTHY_GPU = "UnhealthyGpu";

  /** Reason of a member with a failed setup, followed by a blank and the number of the command. */
  public static final String SETUP_FAILED = "SetupFailed";

  /**
   * Reason of a member with an init container that failed, followed by the name of the container
   * and its exit code.
   */
  public static final String INIT_FAILED = "InitFailed";

  /** Reason of a member without stored code. */
  public static final String WORKDIR_MISSING = "WorkdirMissing";

  /** Reason of a member with code of another digest, or code that cannot be unpacked. */
  public static final String WORKDIR_BROKEN = "WorkdirBroken";

  /** Reason of a member that could not fetch its code. */
  public static final String WORKDIR_UNREACHABLE = "WorkdirUnreachable";

  /** Reason of a driver that got no client server from the head of its shared Ray cluster. */
  public static final String RAY_UNSERVED = "RayUnserved";

  /**
   * Kubelet reasons for a container with an unobserved end: its node crashed, or its runtime lost
   * it. The reported exit code is invented.
   */
  public static final Set<String> LOST_RESULTS =
      Set.of("Unknown", "ContainerStatusUnknown", "NodeLost");

  /** Returns the observation as if the end of the member were unknown. */
  ObservedMember stillRunning() {
    return with()
        .state(MemberState.RUNNING)
        .started(true)
        .exitCode(null)
        .reason(null)
        .message(null)
        .endedAt(null)
        .held(Held.NOTHING)
        .build();
  }

  /** Returns whether the reason is in {@link #LOST_RESULTS}. */
  static boolean lostResult(@Nullable String reason) {
    return reason != null && LOST_RESULTS.contains(reason);
  }
}
