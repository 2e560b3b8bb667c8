package dev.fairlead.work.attempt.member;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceVector;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One pod of an attempt and its resources.
 *
 * @param incarnation 0. Rises when a member is replaced inside its attempt
 * @param request resources of the member on its node, {@code pods} = 1
 * @param node node with its resources. It may differ from {@code nodeName} until the resources
 *     follow a pod that another scheduler has bound
 * @param nodeName node of its pod, and the planned node before the pod is bound
 */
@RecordBuilder
public record Member(
    String role,
    int index,
    int incarnation,
    NodeId node,
    String nodeName,
    Flavor flavor,
    ResourceVector request,
    List<GpuShare> gpus,
    MemberStatus status)
    implements MemberBuilder.With {
  /**
   * Reason of a pod that the scheduler of its cluster has not bound to a node, followed by the name
   * of the backend and its message.
   */
  public static final String AWAITS_NODE = "AwaitsNode";

  /** Part of kube-scheduler's message about a pod that fits no node. */
  private static final String FITS_NO_NODE = "nodes are available";

  /** State of a member that joined after its attempt began to run, or leaves before it ends. */
  public enum Place {
    /** Added to a running attempt. The member belongs to the attempt once it runs. */
    JOINING,
    /** Ordered to end. Its end is not a failure and releases its resources. */
    LEAVING,
    /** Dead, without resources: it was ordered to leave, or finished before the others. */
    LEFT
  }

  /** Since when. */
  public record Standing(Place place, Instant since) {}

  /**
   * Reason of an end with exit code 0 after Fairlead had deleted the pod, or had requested a
   * checkpoint: its process may have stopped instead of finishing its work.
   */
  public static final String STOPPED = "Stopped";

  public Member {
    gpus = List.copyOf(gpus);
  }

  public static Member planned(
      String role,
      int index,
      NodeId node,
      String nodeName,
      Flavor flavor,
      ResourceVector request,
      List<GpuShare> gpus) {
    return MemberBuilder.builder()
        .role(role)
        .index(index)
        .incarnation(0)
        .node(node)
        .nodeName(nodeName)
        .flavor(flavor)
        .request(request)
        .gpus(gpus)
        .status(MemberStatus.PLANNED)
        .build();
  }

  public MemberState state() {
    return status.state();
  }

  public @Nullable String uid() {
    return status.uid();
  }

  public @Nullable String bootId() {
    return status.bootId();
  }

  public @Nullable Integer exitCode() {
    return status.exitCode();
  }

  public @Nullable String reason() {
    return status.reason();
  }

  public @Nullable Instant startedAt() {
    return status.startedAt();
  }

  public @Nullable Instant endedAt() {
    return status.endedAt();
  }

  public @Nullable DeathEvidence evidence() {
    return status.evidence();
  }

  public @Nullable Standing standing() {
    return status.standing();
  }

  public MemberDevices devices() {
    return status.devices();
  }

  /**
   * Thousandths of its GPUs: fractions of devices, and slices that its node offers as an amount
   * without known devices.
   */
  public long gpuMilli() {
    return gpus.stream().mapToLong(GpuShare::milli).sum() + sliceMilli();
  }

  /** Thousandths of slices that its node offers as an amount, as counted by quota. */
  public long sliceMilli() {
    long milli = 0;
    for (Map.Entry<String, Long> held : request.extended().entrySet()) {
      if (MigResource.profile(held.getKey()) != null) {
        milli += held.getValue() * new QuotaCell(flavor, held.getKey()).each();
      }
    }
    return milli;
  }

  /** {@code role-index}. */
  public String key() {
    return role + "-" + index;
  }

  public boolean dead() {
    return evidence() != null;
  }

  /**
   * Returns whether the member's process ended with exit code 0 before an order to stop had reached
   * its pod.
   */
  public boolean finished() {
    return state() == MemberState.SUCCEEDED && !STOPPED.equals(reason());
  }

  /**
   * Returns whether the member's pod has failed without information about the end of its process.
   */
  public boolean endless() {
    return state() == MemberState.FAILED && !dead();
  }

  /** Dead without a result. */
  public Member gone(DeathEvidence proof, String why, Instant now) {
    return withStatus(
        status.with().state(MemberState.GONE).reason(why).endedAt(now).evidence(proof).build());
  }

  /**
   * Returns the member with the node to which the scheduler of its cluster has bound its pod. Its
   * resources remain on {@link #node} until they are moved.
   */
  public Member boundTo(String bound) {
    return placed(node, bound, gpus);
  }

  /** Returns the member with its resources on another node. */
  public Member movedTo(NodeId other, String name, List<GpuShare> shares) {
    return placed(other, name, shares);
  }

  private Member placed(NodeId other, String name, List<GpuShare> shares) {
    return with().node(other).nodeName(name).gpus(shares).build();
  }

  /** Returns the member with another end time. */
  public Member endedAt(Instant end) {
    return withStatus(status.withEndedAt(end));
  }

  /** Returns the member with another reason. */
  public Member because(@Nullable String why) {
    return withStatus(status.withReason(why));
  }

  /** Returns the member with these devices. */
  public Member holding(MemberDevices reported) {
    return withStatus(status.withDevices(reported));
  }

  /** Returns the certainty about its devices, UNKNOWN for a member without GPUs. */
  public GpuIdentity gpuIdentity() {
    return devices().identity(gpus);
  }

  /**
   * Returns whether the member holds the device, in full or in part. Applies to members with a
   * known {@link #gpuIdentity}.
   */
  public boolean holds(String gpu) {
    return devices().hold(gpus, gpu);
  }

  /** Added later. Its attempt continues whether or not the member starts. */
  public Member joining(Instant now) {
    return standing(new Standing(Place.JOINING, now));
  }

  public Member leaving(Instant now) {
    return standing(new Standing(Place.LEAVING, now));
  }

  /** Dead, with its resources released. */
  public Member left(Instant now) {
    return standing(new Standing(Place.LEFT, now));
  }

  /** Turns it into a permanent member of its attempt. */
  public Member staying() {
    return standing(null);
  }

  public boolean joins() {
    return stands(Place.JOINING);
  }

  public boolean leaves() {
    return stands(Place.LEAVING);
  }

  /** Returns whether the member left, or was ordered to leave, after that time. */
  public boolean goneSince(Instant time) {
    return standing() != null && !joins() && standing().since().isAfter(time);
  }

  private boolean stands(Place place) {
    return standing() != null && standing().place() == place;
  }

  /** Returns whether the member is wanted, not dead, and was never observed. */
  public boolean toCreate() {
    return uid() == null && !dead() && !leaves();
  }

  private Member standing(@Nullable Standing now) {
    return withStatus(status.withStanding(now));
  }

  /**
   * Names a member that the scheduler of its cluster has not bound, with the scheduler's message,
   * or null if there is none. In a gang, kube-scheduler counts the nodes for the member that fits
   * none, and says of the others only that they wait for it, so that member comes first.
   *
   * @param says text between the member and the message
   */
  public static @Nullable String waitsForNode(Collection<Member> members, String says) {
    String first = null;
    for (Member member : members) {
      String reason = member.dead() ? null : member.reason();
      if (reason != null && reason.startsWith(AWAITS_NODE)) {
        String text = member.key() + " " + says + ":" + reason.substring(AWAITS_NODE.length());
        if (reason.contains(FITS_NO_NODE)) {
          return text;
        }
        first = first == null ? text : first;
      }
    }
    return first;
  }
}
