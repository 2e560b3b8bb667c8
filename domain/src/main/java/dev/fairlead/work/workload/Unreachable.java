package dev.fairlead.work.workload;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.DeathEvidence;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What follows from not seeing a member: nothing, unless its job or its state says more. */
public final class Unreachable {
  /** What a kubelet may need beyond deadline and grace period, and how far clocks drift apart. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  private Unreachable() {}

  /**
   * How long after all members ran the owner allows to give the attempt up although nobody sees it.
   * Its cluster counts the deadline from before that moment and has ended it by then, unless the
   * kubelet that is to end it is what died. Null when no such deadline was set.
   */
  public static @Nullable Duration givenUpAfter(Job job) {
    Duration most = job.spec().maxRuntime();
    return most == null || job.spec().onUnreachable() != OnUnreachable.AFTER_DEADLINE
        ? null
        : most.plus(job.spec().preemption().gracePeriod()).plus(MARGIN);
  }

  /** The member as it is to be judged when it cannot be seen now; unchanged when it can. */
  static Member conclude(Member member, Attempt attempt, Job job, Observations scene) {
    if (member.dead() || !unseen(member, scene)) {
      return member;
    }
    if (attempt.state() == AttemptState.PLANNED) {
      return member; // NothingSent ends it, once its cluster has been silent for a while
    }
    boolean over =
        job.spec().onUnreachable() == OnUnreachable.AFTER_DEADLINE && scene.certainlyOver();
    if (!over && scene.doubted() && vanished(member, scene)) {
      return member;
    }
    return switch (job.spec().onUnreachable()) {
      case WAIT -> member;
      case AFTER_DEADLINE ->
          scene.certainlyOver()
              ? member.gone(DeathEvidence.HARD_DEADLINE_PASSED, "deadline passed", scene.now())
              : member;
      case ALLOW_OVERLAP ->
          // not at the first look: a view that is incomplete for a moment is no silence
          attempt.state() == AttemptState.UNKNOWN || attempt.state() == AttemptState.STOPPING
              ? member.gone(DeathEvidence.OVERLAP_ALLOWED, "cannot be seen", scene.now())
              : member;
    };
  }

  /** Whether its kubelet, which would write its files and end it, gives no word to its cluster. */
  static boolean onSilentNode(Member member, Observations scene) {
    NodeReport node = scene.nodes().get(member.nodeName());
    return !member.dead() && !scene.silent() && node != null && !node.ready();
  }

  /**
   * A member cannot be seen when its cluster is silent, when its node is silent or not listed any
   * more, when it was seen once and is neither there nor proven dead, or when its pod, which ran,
   * has failed without the end of its container: a kubelet that is back may refuse it. While its
   * cluster is still asked about its pod, that it is not there says nothing.
   */
  static boolean unseen(Member member, Observations scene) {
    if (member.dead()) {
      return false;
    }
    if (scene.silent()) {
      return true;
    }
    NodeReport node = scene.nodes().get(member.nodeName());
    boolean silentNode = (node == null || !node.ready()) && member.uid() != null;
    return silentNode || member.endless() || vanished(member, scene) && !scene.awaits(member);
  }

  private static boolean vanished(Member member, Observations scene) {
    return member.uid() != null
        && scene
            .observed()
            .member(MemberKey.of(member))
            .filter(pod -> pod.uid().equals(member.uid()))
            .isEmpty();
  }
}
