package dev.fairlead.work.workload.web;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An attempt after an operator's confirmation.
 *
 * @param cause failure cause of an attempt that failed or is ending
 */
record ConfirmedDeathResponse(
    String attempt,
    String job,
    AttemptState state,
    @Nullable FailureCause cause,
    @Nullable String message,
    List<ProvenMember> members) {
  /**
   * A member.
   *
   * @param evidence proof that the member is dead, null while it may be alive
   */
  record ProvenMember(String member, String node, @Nullable DeathEvidence evidence) {
    static ProvenMember of(Member member) {
      return new ProvenMember(member.key(), member.nodeName(), member.evidence());
    }
  }

  static ConfirmedDeathResponse of(Attempt attempt) {
    return new ConfirmedDeathResponse(
        attempt.id().text(),
        attempt.job().text(),
        attempt.state(),
        attempt.failure() == null ? null : attempt.failure().cause(),
        attempt.failure() == null ? null : attempt.failure().message(),
        attempt.members().stream().map(ProvenMember::of).toList());
  }
}
