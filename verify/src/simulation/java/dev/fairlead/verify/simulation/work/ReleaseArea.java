package dev.fairlead.verify.simulation.work;

import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gangs of fixed size with one member that finishes before the others. An attempt releases the
 * resources of a member only after the pod was reported as succeeded. Without faults, the release
 * follows soon.
 */
public final class ReleaseArea implements Area {
  private static final long LONGEST = Duration.ofMinutes(3).toMillis();

  private final VirtualTime time;
  private final DurableState durable;
  private final Set<String> released = new HashSet<>();
  private final Map<String, Long> due = new HashMap<>();
  private boolean calm;
  private @Nullable String broken;

  public ReleaseArea(VirtualTime time, DurableState durable, JobClients clients) {
    this.time = time;
    this.durable = durable;
    clients.staggered();
    durable.afterAttempts(this::follow);
  }

  /** Follows one commit: a member that released its resources had finished. */
  private void follow() {
    for (Attempt attempt : durable.stores().jobs().live()) {
      for (Member gone : attempt.left()) {
        if (released.add(name(attempt, gone)) && staggered(attempt)) {
          ObservedMember pod = shown(attempt, gone).orElse(null);
          if (!gone.finished() || pod != null && pod.state() != MemberState.SUCCEEDED) {
            broken = Objects.requireNonNullElse(broken, gone + " of " + attempt);
          }
        }
      }
    }
  }

  private Optional<ObservedMember> shown(Attempt attempt, Member member) {
    return durable
        .podsShown(attempt.cluster())
        .getOrDefault(attempt.id(), ObservedWorkload.nothing(attempt.id()))
        .member(MemberKey.of(member));
  }

  private static String name(Attempt attempt, Member member) {
    return ObjectNames.pod(attempt.id(), MemberKey.of(member));
  }

  private boolean staggered(Attempt attempt) {
    Job job = durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
    return job.spec().annotations().containsKey(JobClients.FINISH_AFTER);
  }

  @Override
  public void heal() {
    calm = true;
  }

  @Override
  public void check() {
    if (broken != null) {
      throw new InvariantBroken(Invariant.RELEASED_MEMBER_FINISHED, broken);
    }
    if (calm) {
      soon();
    }
  }

  private void soon() {
    Set<String> now = new HashSet<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      if (attempt.state() == AttemptState.RUNNING
          && attempt.stop() == null
          && attempt.members().stream().anyMatch(m -> !m.dead())
          && attempt.members().stream().allMatch(m -> !m.dead() || m.finished())
          && staggered(attempt)) {
        attempt.members().stream()
            .filter(m -> m.finished() && m.evidence() == DeathEvidence.CONTAINER_TERMINATED)
            .forEach(m -> now.add(name(attempt, m)));
      }
    }
    due.keySet().retainAll(now);
    now.forEach(member -> {
      if (time.now() - due.computeIfAbsent(member, m -> time.now()) > LONGEST) {
        throw new InvariantBroken(Invariant.FINISHED_MEMBER_RELEASES, member);
      }
    });
  }
}
