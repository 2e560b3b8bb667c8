package dev.fairlead.work.placement;

import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.placement.backfill.StartTimeEstimator;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.decision.DecisionPlaceBuilder;
import dev.fairlead.work.placement.explain.Explainer;
import dev.fairlead.work.placement.explain.Findings;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.ClassKey;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the decisions of a cycle and explains the waiting jobs at the end, once for each class.
 */
final class Outcome {
  private static final int MOST_ASKED = 1000;
  private static final String NOT_EVALUATED = ClassKey.of("NOT_EVALUATED");

  private final Explainer explainer;
  private final WorkBudget work;
  private final QuotaStates quota;
  private final List<Decision> places = new ArrayList<>();
  private final List<Decision> others = new ArrayList<>();
  private final List<Decision> holds = new ArrayList<>();
  private final Map<String, PendingClass> tried = new LinkedHashMap<>();
  private final Map<String, PendingClass> ineligible = new LinkedHashMap<>();
  private final Map<Told, Findings> findings = new LinkedHashMap<>();
  private final List<JobId> notReached = new ArrayList<>();
  private final List<Reservation.Key> postponed = new ArrayList<>();
  private final StartTimeEstimator estimator;
  private int asked;

  /**
   * Key of a shared explanation: a class, or the jobs of the class that have a reservation. The
   * latter share the explanation of the first such job, because explaining each would lift and
   * restore all other reservations.
   */
  private record Told(EquivalenceClass equivalenceClass, boolean keepsPlace) {}

  Outcome(Explainer explainer, WorkBudget work, QuotaTree tree, StartTimeEstimator estimator) {
    this.explainer = explainer;
    this.estimator = estimator;
    this.work = work;
    this.quota = new QuotaStates(tree);
  }

  /**
   * Jobs that wait for the same reason, with the first job. {@code own} is empty if the jobs were
   * tried.
   */
  private record PendingClass(EquivalenceClass equivalenceClass, List<Blocker> own, JobId first) {}

  /**
   * @param ended reservations of other jobs that end with the placement
   */
  void place(
      PendingJobEntry waiting,
      int element,
      FlavorAssignment assignment,
      List<NodeAllocation> taken,
      List<Reservation> ended) {
    Job job = waiting.job();
    List<Member> members = members(assignment, taken);
    places.add(
        DecisionPlaceBuilder.builder()
            .job(job.id())
            .jobVersion(job.version())
            .element(element)
            .cluster(assignment.cluster().cluster().id())
            .members(members)
            .taken(ended)
            .quota(quota.of(job.queue(), members))
            .tier(tier(waiting.equivalenceClass(), assignment))
            .build());
  }

  private static @Nullable UsedTier tier(EquivalenceClass of, FlavorAssignment assignment) {
    RoutingPolicy policy = of.shape().gang().tiers().policy();
    int tier = assignment.tier();
    boolean usable = of.assignments().stream().anyMatch(other -> other.tier() < tier);
    return UsedTier.of(policy, tier, usable, usable || tier > 0 && of.firstTier() < tier);
  }

  /** Returns the members by role order of the spec, then index. */
  static List<Member> members(FlavorAssignment assignment, List<NodeAllocation> taken) {
    List<NodeAllocation> byRole = new ArrayList<>(taken);
    byRole.sort(Comparator.comparingInt(t -> t.shape().role()));
    List<Member> members = new ArrayList<>(taken.size());
    int role = -1;
    int index = 0;
    for (NodeAllocation member : byRole) {
      index = member.shape().role() == role ? index + 1 : 0;
      role = member.shape().role();
      members.add(member.member(index, assignment.flavor(role)));
    }
    return members;
  }

  void resize(Decision growOrShrink) {
    others.add(growOrShrink);
  }

  boolean allReached() {
    return notReached.isEmpty() && postponed.isEmpty();
  }

  void preempt(Decision.Preempt preempt) {
    others.add(preempt);
  }

  void moveBack(Decision.MoveBack moveBack) {
    others.add(moveBack);
  }

  void leftover(Decision.Leftover leftover) {
    others.add(leftover);
  }

  void reserve(Decision.Reserve reserve) {
    others.add(reserve);
  }

  void expire(Job job) {
    others.add(new Decision.Expire(job.id(), job.version(), null));
  }

  /** Requests checks of at most {@value #MOST_ASKED} jobs in a cycle. The next one continues. */
  void ask(Job job, List<String> checks) {
    if (asked++ < MOST_ASKED) {
      others.add(new Decision.Ask(job.id(), job.version(), checks));
    }
  }

  void dependencyFailed(PendingJob waiting) {
    Job job = waiting.job();
    FailedDependency dead = Objects.requireNonNull(waiting.deadDependency());
    others.add(new Decision.Expire(job.id(), job.version(), dead));
  }

  void elementsFailed(World.DeadElements dead) {
    Job job = dead.job();
    others.add(new Decision.Expire(job.id(), job.version(), dead.dependency()));
  }

  void release(Reservation reservation) {
    others.add(new Decision.Release(reservation.job(), 0, reservation));
  }

  void hold(Job job, EquivalenceClass equivalenceClass, List<Blocker> own) {
    String key = equivalenceClass.key(own.isEmpty() ? "" : own.toString());
    holds.add(new Decision.Hold(job.id(), job.version(), key));
    if (!own.isEmpty()) {
      ineligible.putIfAbsent(key, new PendingClass(equivalenceClass, own, job.id()));
      return;
    }
    if (equivalenceClass.addPending() == 0) {
      tried.put(key, new PendingClass(equivalenceClass, own, job.id()));
    }
    estimator.waits(job, equivalenceClass);
  }

  /**
   * Puts the reservation first among its kind in the next cycle. Other elements of the job keep
   * their order.
   */
  void postpone(Reservation reservation) {
    postponed.add(reservation.key());
  }

  /** Puts the job first in the next cycle. */
  void notReached(Job job) {
    notReached.add(job.id());
    notEvaluated(job);
  }

  void notEvaluated(Job job) {
    holds.add(new Decision.Hold(job.id(), job.version(), NOT_EVALUATED));
  }

  /**
   * @param learned null for a cycle without foreseen starts
   */
  Plan plan(Instant asOf, List<Contradiction> contradictions, @Nullable LearnedRuntimes learned) {
    SortedMap<String, Explanation> explanations = new TreeMap<>();
    tried.forEach((key, h) -> explanations.put(key, explain(h)));
    ineligible.forEach((key, h) -> explanations.put(key, explain(h)));
    if (!allReached()) {
      explanations.put(
          NOT_EVALUATED, explainer.ineligible(List.of(Blockers.notEvaluated()), Findings.NONE));
    }
    Map<EquivalenceClass, Explanation.Estimate> estimates = estimator.longest();
    tried.forEach((key, h) -> {
      Explanation.Estimate estimate = estimates.get(h.equivalenceClass());
      if (estimate != null) {
        explanations.computeIfPresent(key, (k, known) -> known.with(estimate));
      }
    });
    List<Decision> decisions = new ArrayList<>(places);
    decisions.addAll(others);
    decisions.addAll(holds);
    return PlanBuilder.builder()
        .asOf(asOf)
        .decisions(decisions)
        .explanations(explanations)
        .notReached(notReached)
        .postponed(postponed)
        .contradictions(contradictions)
        .demand(Collections.emptySortedMap())
        .foreseen(learned == null ? Collections.emptySortedMap() : estimator.foreseen(learned))
        .build();
  }

  private Explanation explain(PendingClass waits) {
    EquivalenceClass equivalenceClass = waits.equivalenceClass();
    if (waits.own().isEmpty()) {
      return explainer.tried(equivalenceClass.shape(), found(waits), waits.first());
    }
    boolean hasPlace =
        waits.own().stream()
            .anyMatch(
                b -> b.reason() == Reason.WAITING_FOR_VICTIMS || b.reason() == Reason.PREFLIGHT);
    return explainer.ineligible(
        waits.own(), work.spent() || hasPlace ? Findings.NONE : found(waits));
  }

  private Findings found(PendingClass waits) {
    boolean keepsPlace = !waits.own().isEmpty() && explainer.keepsPlace(waits.first());
    return findings.computeIfAbsent(
        new Told(waits.equivalenceClass(), keepsPlace),
        told -> {
          EquivalenceClass of = told.equivalenceClass();
          return explainer.find(of.shape(), of.hopeless(), waits.first(), keepsPlace);
        });
  }
}
