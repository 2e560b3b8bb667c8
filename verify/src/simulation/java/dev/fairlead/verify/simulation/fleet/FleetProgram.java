package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.MemberEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The training program in the pods of a gang, which a fault stops. Without gang repair it continues
 * with the next attempt. With it torchrun is the first process of each pod and outlives its child
 * processes: the processes of all members end with the first one, rendezvous again as soon as all
 * members are up, and continue from the last checkpoint. Each such stop uses up a restart of
 * torchrun. Without restarts, torchrun and its pod end.
 */
public final class FleetProgram {
  /** The number that Fairlead counts for one replaced member. */
  private static final int RESTARTS_A_REPAIR = 3;

  private final FleetPlan plan;
  private final FleetRecord record;
  private final Set<String> broken = new HashSet<>();
  private @Nullable AttemptId attempt;
  private @Nullable Instant stopped;
  private int members;
  private int restarts;

  FleetProgram(FleetPlan plan, FleetRecord record) {
    this.plan = plan;
    this.record = record;
  }

  boolean trains() {
    return attempt != null && stopped == null;
  }

  /**
   * A process of the gang stops, and so does the whole gang.
   *
   * @return whether its pod ends when that process ends
   */
  boolean stops(FleetRecord.Failure failure, Job job) {
    boolean lost = failure.kind().sign != FailureKind.Sign.EXIT;
    if (lost) {
      broken.add(failure.member().key());
    }
    if (stopped == null) {
      members = failure.attempt().everyMember().size();
      record.stopped(failure);
    }
    stopped = failure.at();
    restarts += lost ? RESTARTS_A_REPAIR : 1;
    return restarts > restartsOf(job, failure);
  }

  /** As passed by Fairlead to torchrun, empty if it passes none. */
  private static int restartsOf(Job job, FleetRecord.Failure failure) {
    return Integer.parseInt(
        MemberEnvironment.of(job, failure.attempt(), failure.member(), "", "")
            .getOrDefault("PET_MAX_RESTARTS", "0"));
  }

  /**
   * @param running the attempt of the gang, null while none runs
   */
  void look(@Nullable Attempt running, Instant now) {
    if (running == null) {
      return;
    }
    if (!running.id().equals(attempt)) {
      attempt = running.id();
      stopped = null;
      restarts = 0;
      broken.clear();
    }
    Instant next = stopped == null || plan.replaces() == 0 ? null : nextStep(running, stopped);
    if (next != null && !now.isBefore(next)) {
      stopped = null;
      record.resumed(next, running.everyMember().size() > members);
    }
  }

  /** Time when the program trains again, null while a member is missing. */
  private @Nullable Instant nextStep(Attempt running, Instant since) {
    Instant last = since;
    int well = 0;
    for (Member member : running.core()) {
      Instant started = member.startedAt();
      if (member.state() == MemberState.RUNNING && !broken.contains(member.key())) {
        well++;
        last = started != null && started.isAfter(last) ? started : last;
      }
    }
    Duration resume = plan.resume();
    return well == plan.gang() ? last.plus(resume) : null;
  }
}
