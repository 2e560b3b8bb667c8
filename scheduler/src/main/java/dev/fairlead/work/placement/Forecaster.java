package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.job.estimate.ForecastBuilder;
import dev.fairlead.work.job.estimate.ForecastQuotaEffectBuilder;
import dev.fairlead.work.job.estimate.OpeningTiers;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.job.submit.LimitScope;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.explain.Explainer;
import dev.fairlead.work.placement.explain.Prospects;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.preemption.PreemptionRisks;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.QueueTiers;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Forecasts the outcome for one pending job of a snapshot, by planning a whole cycle and evaluating
 * each assignment.
 */
public final class Forecaster {
  private final World world;
  private final Job job;
  private final Plan plan;
  private final List<Decision.Place> places;
  private final JobShape shape;
  private final Fleet fleet;
  private final Admission admission;

  private Forecaster(Snapshot snapshot, Job job) {
    world = snapshot.world();
    this.job = job;
    plan = new SchedulingEngine().plan(snapshot);
    places =
        plan.decisions().stream()
            .filter(d -> d instanceof Decision.Place && d.job().equals(job.id()))
            .map(Decision.Place.class::cast)
            .toList();
    fleet = Fleet.of(world);
    admission = new Admission(world.quotaNodes(), world.quotaUses(), world.asOf());
    Windows windows = new Windows(fleet, admission.tree(), world.asOf());
    shape =
        JobShape.of(
                job,
                world.asOf(),
                windows.closedTo(job),
                windows.bookedFor(job),
                new QueueTiers(admission.tree().nodes(), world.asOf()).of(job),
                fleet.neighbours().of(job))
            .avoiding(fleet.backOffs().of(job.id()));
  }

  /**
   * Forecasts a job that is among the pending jobs of the snapshot.
   *
   * @param snapshot the snapshot that the scheduler would plan, including this job
   */
  public static Forecast of(Snapshot snapshot, Job job) {
    return new Forecaster(snapshot, job).forecast(new WorkBudget(snapshot.workBudget()));
  }

  private Forecast forecast(WorkBudget work) {
    Prospects prospects = new Prospects(admission, fleet, work, job.id(), world.asOf());
    boolean supported = Explainer.supports(shape.gang());
    GangShape everyTier = shape.gang().with(shape.gang().tiers().all());
    List<FlavorAssignment> assignments =
        supported ? FlavorAssignments.of(everyTier, fleet) : List.of();
    SortedMap<QuotaCell, Long> charges =
        charges(assignments.isEmpty() ? null : assignments.getFirst());
    boolean couldStart = limitsAllowIt() && Explainer.hopeless(shape, fleet, admission).isEmpty();
    return ForecastBuilder.builder()
        .asOf(world.asOf())
        .feasible(!places.isEmpty() || couldStart)
        .starting(places.size())
        .candidates(
            Stream.of(assignments.stream(), closed(everyTier, supported), tooDear(supported))
                .flatMap(each -> each)
                .map(r -> prospects.candidate(shape, r, chosen(r)))
                .toList())
        .quota(effects(admission.tree(), charges))
        .preempted(preempted())
        .explanation(explanation())
        .risk(risk(charges))
        .foreseen(places.isEmpty() ? plan.foreseen().get(job.id()) : null)
        .expected(Forecast.Expected.NOTHING)
        .build();
  }

  /** Returns the assignments that windows or refusals close to the job now. */
  private Stream<FlavorAssignment> closed(GangShape everyTier, boolean supported) {
    return supported ? FlavorAssignments.closed(everyTier, fleet).stream() : Stream.empty();
  }

  /**
   * Returns the assignments that cost too much, on active clusters. Each would be a candidate at a
   * lower price.
   */
  private Stream<FlavorAssignment> tooDear(boolean supported) {
    return supported
        ? FlavorAssignments.tooDear(shape.gang(), fleet).stream()
            .filter(r -> r.cluster().cluster().state() == ClusterState.ACTIVE)
        : Stream.empty();
  }

  /** Returns whether the limits of the queue can admit a job of this size at all. */
  private boolean limitsAllowIt() {
    QuotaNode queue = admission.tree().node(job.queue()).orElse(null);
    QueueSettings settings = queue == null ? null : queue.queue();
    return settings == null
        || LimitScope.limited(settings).stream()
            .allMatch(scope ->
                scope.limits(settings).admitOne(Runtimes.demand(job, queue, null, plan.asOf())));
  }

  private boolean chosen(FlavorAssignment assignment) {
    return places.stream()
        .anyMatch(p ->
            assignment.cluster().equals(fleet.home(p.members()))
                && flavors(p).containsAll(flavors(assignment)));
  }

  private static List<String> flavors(Decision.Place place) {
    return place.members().stream().map(m -> m.flavor().model()).distinct().toList();
  }

  private static List<String> flavors(FlavorAssignment assignment) {
    return assignment.models();
  }

  private Forecast.Preempted preempted() {
    SortedSet<AttemptId> attempts = new TreeSet<>();
    SortedSet<JobId> jobs = new TreeSet<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Preempt preempt && preempt.job().equals(job.id())) {
        preempt.victims().forEach(v -> attempts.add(v.attempt()));
        preempt.victims().forEach(v -> jobs.add(v.job()));
      }
    }
    long gpuMilli =
        world.live().stream()
            .map(World.LiveAttempt::attempt)
            .filter(attempt -> attempts.contains(attempt.id()))
            .flatMap(attempt -> attempt.members().stream())
            .mapToLong(member -> member.request().amount(ResourceNames.GPU))
            .sum();
    return new Forecast.Preempted(jobs.size(), gpuMilli);
  }

  private @Nullable Explanation explanation() {
    return plan.decisions().stream()
        .filter(d -> d instanceof Decision.Hold && d.job().equals(job.id()))
        .map(d -> plan.explanations().get(((Decision.Hold) d).classKey()))
        .map(why -> OpeningTiers.told(why, job, world.asOf()))
        .findFirst()
        .orElse(null);
  }

  private PreemptionRisk risk(SortedMap<QuotaCell, Long> charges) {
    QuotaTree with = admission.tree();
    charges.forEach((cell, amount) -> with.use(job.queue(), cell, amount));
    PreemptionRisk risk = PreemptionRisks.of(with, job, charges);
    charges.forEach((cell, amount) -> with.free(job.queue(), cell, amount));
    return risk;
  }

  /**
   * Returns the charges of the elements that start. If none starts, returns the charges of one
   * element on the first assignment.
   */
  private SortedMap<QuotaCell, Long> charges(@Nullable FlavorAssignment first) {
    SortedMap<QuotaCell, Long> charges = new TreeMap<>();
    places.forEach(place ->
        Attempt.charges(place.members())
            .forEach((cell, amount) -> charges.merge(cell, amount, Saturating::plus)));
    if (places.isEmpty() && first != null) {
      charges.putAll(
          Charges.expected(shape.gang(), first, shape.gang().counts(shape.gang().elasticSteps()))
              .cells());
    }
    return charges;
  }

  private List<Forecast.QuotaEffect> effects(QuotaTree tree, SortedMap<QuotaCell, Long> charges) {
    List<Forecast.QuotaEffect> effects = new ArrayList<>();
    for (QuotaNode node : tree.path(job.queue())) {
      charges.forEach((cell, amount) -> {
        if (limited(node, cell)) {
          effects.add(effect(tree, node, cell, amount));
        }
      });
    }
    return effects;
  }

  private static boolean limited(QuotaNode node, QuotaCell cell) {
    return node.limits().stream()
        .anyMatch(l -> l.flavor().equals(cell.flavor()) && l.resource().equals(cell.resource()));
  }

  private static Forecast.QuotaEffect effect(
      QuotaTree tree, QuotaNode node, QuotaCell cell, long amount) {
    QuotaLimit limit =
        node.limits().stream()
            .filter(l -> l.flavor().equals(cell.flavor()) && l.resource().equals(cell.resource()))
            .findFirst()
            .orElseThrow();
    long used = tree.used(node.id(), cell);
    long after = Saturating.plus(used, amount);
    Long nominal = limit.nominal();
    Long borrowing = limit.borrowingLimit();
    return ForecastQuotaEffectBuilder.builder()
        .node(node.name())
        .flavor(cell.flavor())
        .resource(cell.resource())
        .nominal(nominal)
        .used(used)
        .after(after)
        .borrowedAfter(nominal == null ? 0 : Math.max(0, after - nominal))
        .limit(nominal == null || borrowing == null ? null : Saturating.plus(nominal, borrowing))
        .build();
  }
}
