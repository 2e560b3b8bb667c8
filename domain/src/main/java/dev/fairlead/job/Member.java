package dev.fairlead.job;

import dev.fairlead.cluster.NodeId;
import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.ResourceVector;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One pod of an attempt and what it holds.
 *
 * @param incarnation 0; rises when a member is replaced inside its attempt
 * @param request what it holds of its node, {@code pods} = 1
 * @param uid the pod's UID once seen; observations of another UID are not its own
 * @param bootId boot of its node when it was first seen there
 * @param evidence proof of its death, null while it may live
 */
public record Member(
    String role,
    int index,
    int incarnation,
    MemberState state,
    NodeId node,
    String nodeName,
    Flavor flavor,
    ResourceVector request,
    List<GpuShare> gpus,
    @Nullable String uid,
    @Nullable String bootId,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable DeathEvidence evidence) {
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
    return new Member(
        role,
        index,
        0,
        MemberState.PENDING,
        node,
        nodeName,
        flavor,
        request,
        gpus,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  /** {@code role-index}. */
  public String key() {
    return role + "-" + index;
  }

  public boolean dead() {
    return evidence != null;
  }

  /** Dead without a result. */
  public Member gone(DeathEvidence proof, String why, Instant now) {
    return new Member(
        role,
        index,
        incarnation,
        MemberState.GONE,
        node,
        nodeName,
        flavor,
        request,
        gpus,
        uid,
        bootId,
        exitCode,
        why,
        startedAt,
        now,
        proof);
  }
}
