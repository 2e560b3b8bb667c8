package dev.fairlead.work.job.web.view;

import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.service.query.Unreachable;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest attempt may still run but cannot be observed. The job retains its state and its
 * resources.
 *
 * @param since time when the attempt became unobservable
 * @param scope unobservable part: CLUSTER, NODE or POD
 * @param message description with numbers
 * @param members members without a proven end, as last observed
 * @param proofs events that would prove their end
 * @param actions possible actions
 */
record UnreachableResponse(
    Instant since,
    Unreachable.Scope scope,
    String message,
    List<LastSeen> members,
    List<String> proofs,
    List<String> actions) {
  static final List<String> PROOFS =
      List.of(
          "the cluster reports its pods as ended",
          "its node returns with another boot id, or its machine is confirmed gone",
          "its node carries the taint node.kubernetes.io/out-of-service",
          "an administrator confirms its end (fairlead job confirm-dead)");

  /** A member as last observed. */
  record LastSeen(String member, String node, MemberState state, @Nullable Instant startedAt) {
    static LastSeen of(Member member) {
      return new LastSeen(member.key(), member.nodeName(), member.state(), member.startedAt());
    }
  }

  static @Nullable UnreachableResponse of(Job job, @Nullable Unreachable unreachable) {
    return unreachable == null
        ? null
        : new UnreachableResponse(
            unreachable.since(),
            unreachable.scope(),
            unreachable.message(),
            unreachable.members().stream().map(LastSeen::of).toList(),
            PROOFS,
            actions(job, unreachable.scope()));
  }

  private static List<String> actions(Job job, Unreachable.Scope scope) {
    List<String> actions = new ArrayList<>();
    actions.add(waiting(job.spec().onUnreachable()));
    if (scope == Unreachable.Scope.NODE) {
      actions.add(
          "If the machine is off, taint the node:"
              + " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute.");
    }
    actions.add(
        "If you know that its processes have ended, run fairlead job confirm-dead "
            + job.name()
            + " --all --reason TEXT.");
    return actions;
  }

  private static String waiting(OnUnreachable preference) {
    return switch (preference) {
      case WAIT -> "Wait: with onUnreachable WAIT, the job restarts only after proof of its end.";
      case AFTER_DEADLINE ->
          "Wait: with onUnreachable AFTER_DEADLINE, the job restarts when its maxRuntime, its"
              + " grace period and 15 s have passed. Its old processes may still run then.";
      case ALLOW_OVERLAP ->
          "Wait: with onUnreachable ALLOW_OVERLAP, the job restarts in the next pass. Its old"
              + " processes may still run then.";
    };
  }
}
