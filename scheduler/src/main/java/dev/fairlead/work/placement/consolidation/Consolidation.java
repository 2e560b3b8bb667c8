package dev.fairlead.work.placement.consolidation;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.gang.GangPlacer;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.preemption.Eviction;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.QueueTiers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Moves preemptible jobs to other nodes of the same cluster if a waiting job can then start. Each
 * moved job gets its new node assignment in the same plan, so one more job runs than before. A move
 * pays once the job has waited for as many GPU seconds as the moves discard. The cost is then at
 * most twice the optimum with a known end of the wait (the rent-or-buy rule). A job never moves for
 * a job of lower priority. Plans on the state after all terminating attempts have left.
 */
public final class Consolidation {
  private static final double MILLI = 1000;

  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final GangPlacer placer;
  private final Windows windows;
  private final QueueTiers tiers;
  private final Instant asOf;
  private final ConsolidationPolicy policy = ConsolidationPolicy.DEFAULT;
  private @Nullable List<RunningAttempt> candidates;
  private int tried;
  private long share;

  /**
   * @param share node evaluations that all searches of the cycle may spend together
   */
  public Consolidation(
      Reservations reservations, Ledger ledger, WorkBudget work, long share, Instant asOf) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.share = share;
    this.asOf = asOf;
    placer = new GangPlacer(ledger, work);
    windows = new Windows(reservations.fleet(), reservations.admission().tree(), asOf);
    tiers = new QueueTiers(reservations.admission().tree().nodes(), asOf);
  }

  /**
   * Returns the minimum set of jobs that have to move on the first assignment where moves help,
   * each with its new nodes. The result is null if no cluster allows moves, quota refuses, the
   * moves do not pay, or the job only must wait for attempts that are already leaving.
   */
  public @Nullable Eviction plan(Job job, GangShape gang, List<FlavorAssignment> assignments) {
    if (assignments.stream().noneMatch(Consolidation::allowed) || tried >= policy.mostTried()) {
      return null;
    }
    List<FlavorAssignment> open =
        assignments.stream().filter(assignment -> admits(job, gang, assignment)).toList();
    if (open.stream().noneMatch(Consolidation::allowed) || work.spent() || share <= 0) {
      return null;
    }
    tried++;
    WorkBudget.Part part = work.part(share);
    Undo present = reservations.future();
    try {
      return open.stream().anyMatch(assignment -> fits(gang, assignment))
          ? null
          : search(job, gang, open);
    } finally {
      present.run();
      share -= part.end();
    }
  }

  private static boolean allowed(FlavorAssignment assignment) {
    return assignment.cluster().cluster().settings().consolidation()
        == ClusterSettings.Consolidation.WHEN_IT_PAYS;
  }

  private boolean admits(Job job, GangShape gang, FlavorAssignment assignment) {
    return reservations
        .admission()
        .admits(job.queue(), Charges.expected(gang, assignment, gang.counts(0)));
  }

  private boolean fits(GangShape gang, FlavorAssignment assignment) {
    int mark = ledger.mark();
    boolean fits = placer.place(assignment, gang, gang.counts(0));
    ledger.undo(mark);
    return fits;
  }

  private @Nullable Eviction search(Job job, GangShape gang, List<FlavorAssignment> assignments) {
    for (FlavorAssignment assignment : assignments) {
      if (allowed(assignment) && !work.spent()) {
        double worth = worth(job, gang, assignment);
        Repacking repacking =
            new Repacking(
                reservations.fleet(),
                ledger,
                work,
                assignment,
                gang,
                movable(job, assignment, worth));
        Eviction found = repacking.fewest(policy.mostMoved(), worth);
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  /**
   * Returns the GPU seconds for which the job has waited, or member seconds for a job without GPUs.
   */
  private double worth(Job job, GangShape gang, FlavorAssignment assignment) {
    Duration waited = Waited.lately(job, asOf);
    int[] fewest = gang.counts(0);
    long milli = 0;
    for (Map.Entry<QuotaCell, Long> cell :
        Charges.expected(gang, assignment, fewest).cells().entrySet()) {
      milli += cell.getKey().resource().equals(ResourceNames.GPU) ? cell.getValue() : 0;
    }
    double units = milli > 0 ? milli / MILLI : Arrays.stream(fewest).sum();
    return waited.toSeconds() * units;
  }

  private List<Movable> movable(Job preemptor, FlavorAssignment assignment, double worth) {
    List<Movable> movable = new ArrayList<>();
    for (RunningAttempt running : candidates()) {
      double cost = running.lost(running.attempt().members(), policy.restart());
      boolean may =
          reservations
                  .fleet()
                  .runsOn(running.attempt(), running.attempt().members(), assignment.cluster())
              && running.leaving().isEmpty()
              && running.job().priority() <= preemptor.priority()
              && cost <= worth;
      Movable found = may ? movable(running, cost) : null;
      if (found != null) {
        movable.add(found);
      }
    }
    return movable;
  }

  /** Returns null if the job could not restart in its current form. */
  private @Nullable Movable movable(RunningAttempt running, double cost) {
    Job job = running.job();
    GangShape gang =
        JobShape.of(
                job,
                asOf,
                windows.closedTo(job),
                windows.bookedFor(job, startsAgain(job)),
                tiers.of(job),
                reservations.fleet().neighbours().of(job))
            .avoiding(reservations.fleet().backOffs().of(job.id()))
            .gang();
    for (FlavorAssignment assignment : FlavorAssignments.of(gang, reservations.fleet())) {
      if (Movable.runsOn(reservations.fleet(), running.attempt(), gang, assignment)
          && Windows.inTime(
              job, assignment.cluster(), reservations.admission().tree(), startsAgain(job))) {
        return new Movable(running, assignment, gang, cost);
      }
    }
    return null;
  }

  /** Returns the latest time when a moved job restarts. */
  private Instant startsAgain(Job job) {
    return asOf.plus(job.spec().preemption().stopsWithin()).plus(RunningAttempt.PATIENCE);
  }

  /** Returns the attempts that may move and that will be tried again. Computed once. */
  private List<RunningAttempt> candidates() {
    List<RunningAttempt> known = candidates;
    if (known == null) {
      known =
          reservations.attempts().all().stream()
              .filter(running -> mayMove(running, policy.rest()) && starts(running.job()))
              .toList();
      candidates = known;
    }
    return known;
  }

  /** Returns whether the attempt is preemptible and stable, and has run for long enough. */
  static boolean mayMove(RunningAttempt running, Duration rest) {
    Job job = running.job();
    Duration least = job.spec().preemption().minRuntime();
    return job.spec().preemption().allowed()
        && running.attempt().state() == AttemptState.RUNNING
        && running.leaving().isEmpty()
        && job.spec().licences().isEmpty() // other jobs would take the licences during the move
        && running.attempt().members().stream().allMatch(m -> m.standing() == null)
        && running.attempt().left().stream().noneMatch(Member::finished) // they restart too
        && running.ran().compareTo(least.compareTo(rest) > 0 ? least : rest) >= 0;
  }

  /** Returns whether the queue of the job starts jobs. */
  private boolean starts(Job job) {
    return reservations
        .admission()
        .tree()
        .node(job.queue())
        .map(QuotaNode::queue)
        .filter(queue -> queue.state() != QueueSettings.State.HELD)
        .isPresent();
  }
}
