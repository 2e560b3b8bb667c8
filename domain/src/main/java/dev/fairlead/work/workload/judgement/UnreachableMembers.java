package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Conclusions from an unreachable member: none, unless its job or its state permits more. */
public final class UnreachableMembers {
  /** Margin for a kubelet beyond deadline and grace period, and for clock drift. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private UnreachableMembers() {}

  /**
   * Returns the time after the start of all members when the owner permits Fairlead to give up an
   * unreachable attempt. The cluster's own deadline started earlier, so the cluster has already
   * ended the attempt, unless the responsible kubelet died. The result is null when no such
   * deadline was set.
   */
  public static @Nullable Duration givenUpAfter(Job job) {
    Duration most = job.spec().maxRuntime();
    return most == null || job.spec().onUnreachable() != OnUnreachable.AFTER_DEADLINE
        ? null
        : most.plus(job.spec().preemption().gracePeriod()).plus(MARGIN);
  }

  /** The member as judged if it is unreachable now. Unchanged otherwise. */
  static Member conclude(Member member, Attempt attempt, Job job, Observations view) {
    if (member.dead() || !unreachable(member, view)) {
      return member;
    }
    if (attempt.state() == AttemptState.PLANNED) {
      return member; // UnlaunchedAttempt ends it, once its cluster has been silent for a while
    }
    boolean over =
        job.spec().onUnreachable() == OnUnreachable.AFTER_DEADLINE && view.certainlyOver();
    if (!over && view.doubted() && vanished(member, view)) {
      return member;
    }
    return switch (job.spec().onUnreachable()) {
      case WAIT -> member;
      case AFTER_DEADLINE ->
          view.certainlyOver()
              ? member.gone(DeathEvidence.HARD_DEADLINE_PASSED, "deadline passed", view.now())
              : member;
      case ALLOW_OVERLAP -> // not in the first pass, as a view may be incomplete for a moment
          attempt.state() == AttemptState.UNKNOWN || attempt.state() == AttemptState.STOPPING
              ? member.gone(DeathEvidence.OVERLAP_ALLOWED, "cannot be seen", view.now())
              : member;
    };
  }

  /**
   * Returns whether the member's kubelet is silent. A silent kubelet neither writes files of the
   * member nor ends it.
   */
  static boolean onSilentNode(Member member, Observations view) {
    NodeReport node = view.nodes().get(member.nodeName());
    return !member.dead() && !view.silent() && node != null && !node.ready();
  }

  /**
   * A member is unreachable if its cluster is silent, if its node is silent or no longer listed, if
   * it was observed once and is now neither listed nor proven dead, or if its pod ran and failed
   * without the end of its container, because a returning kubelet may refuse it. While its cluster
   * has not answered about its pod, its absence proves nothing.
   */
  static boolean unreachable(Member member, Observations view) {
    if (member.dead()) {
      return false;
    }
    if (view.silent()) {
      return true;
    }
    NodeReport node = view.nodes().get(member.nodeName());
    boolean silentNode = (node == null || !node.ready()) && member.uid() != null;
    return silentNode || member.endless() || vanished(member, view) && !view.awaits(member);
  }

  private static boolean vanished(Member member, Observations view) {
    return member.uid() != null
        && view.observed()
            .member(MemberKey.of(member))
            .filter(pod -> pod.uid().equals(member.uid()))
            .isEmpty();
  }
}
