package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationBuilder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reservation of a gang that loses a node to a fault: held for its next attempt from the stop
 * order, so that no other job takes its nodes.
 */
public final class FaultReservation {
  /** Lifetime after the stop order, and again after the end of the attempt. */
  public static final Duration KEPT = Duration.ofMinutes(15);

  private FaultReservation() {}

  /**
   * The reservation from this step, empty if the step stops or ends nothing for a fault, the job is
   * not retried, or no node remains.
   *
   * @param before state of the attempt before the step
   */
  public static Optional<Reservation> of(Transition step, AttemptState before, Instant now) {
    Attempt attempt = step.attempt();
    if (attempt == null || attempt.state() == before || !lostNode(attempt)) {
      return Optional.empty();
    }
    JobState wanted =
        step.elements().isEmpty() ? step.job().state() : step.elements().getFirst().run().state();
    boolean again = attempt.live() ? !ending(wanted) : wanted == JobState.QUEUED;
    Failure failure = attempt.failure();
    List<Member> staying = attempt.members().stream().filter(m -> !m.leaves()).toList();
    return again && failure != null && partIsLeft(staying, failure.node())
        ? Optional.of(
            ReservationBuilder.builder()
                .job(attempt.job())
                .element(attempt.element())
                .kind(Reservation.Kind.FAULT)
                .cluster(attempt.cluster())
                .members(whole(staying, attempt, step.job().spec()))
                .victims(List.of(attempt.id()))
                .createdAt(now)
                .startsAt(null)
                .expiresAt(now.plus(KEPT))
                .build())
        : Optional.empty();
  }

  /**
   * Includes the member on a node that was not taken, because the next attempt needs as many nodes
   * again.
   */
  private static List<Member> whole(List<Member> staying, Attempt attempt, JobSpec spec) {
    List<Member> members = new ArrayList<>(staying);
    if (GangRepair.lacking(spec, attempt).isPresent()) {
      GangRepair.replaced(attempt).ifPresent(members::add);
    }
    return members;
  }

  /** Stopped by an incident, or because a machine or device failed without an incident. */
  private static boolean lostNode(Attempt attempt) {
    Failure failure = attempt.failure();
    if (failure == null) {
      return false;
    }
    return failure.explained()
        || failure.wasAnnounced()
        || failure.cause() == FailureCause.NODE_FAILURE
        || failure.cause() == FailureCause.GPU_FAULT;
  }

  private static boolean ending(JobState wanted) {
    return wanted == JobState.CANCELLING || wanted == JobState.SUSPENDED;
  }

  private static boolean partIsLeft(List<Member> members, @Nullable String lost) {
    return members.stream().anyMatch(member -> !member.nodeName().equals(lost));
  }
}
