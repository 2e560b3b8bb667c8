package dev.fairlead.work.attempt.member;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of a member that changes, except for its place.
 *
 * @param uid the pod's UID once seen. Observations with another UID belong to another pod
 * @param bootId boot id of its node, from its cluster's answer when the member was known to run
 * @param evidence proof of its death, null while it may live
 * @param standing null for a member that belongs to its attempt for the whole life of the attempt
 * @param devices that sources reported for the pod, retained after its end
 */
@RecordBuilder
public record MemberStatus(
    MemberState state,
    @Nullable String uid,
    @Nullable String bootId,
    @Nullable Integer exitCode,
    @Nullable String reason,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable DeathEvidence evidence,
    Member.@Nullable Standing standing,
    MemberDevices devices)
    implements MemberStatusBuilder.With {
  /** Status of a member without a pod. */
  public static final MemberStatus PLANNED =
      MemberStatusBuilder.builder()
          .state(MemberState.PENDING)
          .uid(null)
          .bootId(null)
          .exitCode(null)
          .reason(null)
          .startedAt(null)
          .endedAt(null)
          .evidence(null)
          .standing(null)
          .devices(MemberDevices.NONE)
          .build();
}
