package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.ScarceModels;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.QueueTiers;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All pending jobs by queue. Jobs that fail an eligibility check are listed separately. */
public final class PendingQueues {
  private final Admission admission;
  private final History history;
  private final boolean dividesGpus;
  private final EligibilityChecks checks;
  private final Constraint budgets;
  private final Constraint licences;
  private final Instant asOf;
  private final SortedMap<QuotaNodeId, PendingQueue> queues = new TreeMap<>();
  private final @Nullable PendingJobEntry[] waiting;
  private final List<Ineligible> ineligible = new ArrayList<>();
  private final PendingJobIndex index;
  private final Shapes shapes;
  private final QueueDemand demand;
  private final int[] shapeOf;
  private final int[] order;
  private @Nullable PendingQueue last;

  /** A job that is not tried, with the reasons. */
  public record Ineligible(PendingJob row, EquivalenceClass equivalenceClass, List<Blocker> why) {}

  /**
   * Sorts the jobs into their queues. If a job has two rows, the newer one counts. A job that
   * offers no element is ignored.
   */
  public PendingQueues(
      World world, Admission admission, Fleet fleet, History history, PendingJobCache before) {
    asOf = world.asOf();
    List<World.LiveAttempt> live = world.live();
    this.admission = admission;
    this.history = history;
    dividesGpus =
        admission.tree().nodes().stream().anyMatch(n -> n.share() == SharePolicy.DESERVED_SHARE);
    StartCosts costs =
        new StartCosts(new MostGpu(world.nodes()), fleet, world.prices(), asOf.toEpochMilli());
    budgets = new BudgetConstraint(world.budgets(), costs, asOf);
    licences = new LicenceConstraint(world, admission.tree());
    checks = new EligibilityChecks(admission, asOf);
    index = PendingJobIndex.of(world.pending(), before);
    Windows windows = new Windows(fleet, admission.tree(), asOf);
    QueueTiers tiers = new QueueTiers(admission.tree().nodes(), asOf);
    shapes = new Shapes(fleet, admission, asOf, windows, before, tiers);
    shapeOf = new int[index.size()];
    order = index.order();
    waiting = new PendingJobEntry[index.size()];
    EquivalenceClass[] equal = new EquivalenceClass[index.size()];
    for (int i = 0; i < equal.length; i++) {
      Job job = index.row(i).job();
      equal[i] = shapes.of(job, index.before(i));
      boolean lasts = shapes.known(index.before(i)) || lasts(job.spec());
      shapeOf[i] = lasts && equal[i].lasts() ? equal[i].number() : PendingJobCache.UNKNOWN;
    }
    for (int i : order) {
      PendingJobEntry next = waiting(i, equal[i]);
      waiting[i] = next;
      if (next != null) {
        queue(next.equivalenceClass().shape().queue()).add(next);
      }
    }
    fleet.scarce(scarce(fleet));
    ineligible.sort(Comparator.comparing(k -> k.row().job().id()));
    demand = new QueueDemand(fleet, tiers, asOf);
    live.forEach(each -> demand.behindItsLimit(each.job()));
    if (queues.values().stream().anyMatch(PendingQueue::countsUsers)) {
      live.forEach(this::runs);
    }
    if (queues.values().stream().anyMatch(PendingQueue::fairByUser)) {
      queues.forEach((id, queue) -> queue.used(history.users(id)));
    }
  }

  private SortedSet<String> scarce(Fleet fleet) {
    ScarceModels models = new ScarceModels(fleet);
    shapes.equal().forEach(equal -> models.waits(equal.shape().gang(), equal.ready()));
    return models.found();
  }

  private void runs(World.LiveAttempt live) {
    PendingQueue queue = queues.get(live.job().queue());
    if (queue != null) {
      queue.runs(live);
    }
  }

  private PendingQueue queue(QuotaNodeId id) {
    PendingQueue known = last;
    if (known == null || !known.node().id().equals(id)) {
      known =
          queues.computeIfAbsent(
              id,
              q ->
                  new PendingQueue(
                      admission.tree().node(q).orElseThrow(), budgets, licences, asOf));
      last = known;
    }
    return known;
  }

  /** Returns null for a job that cannot be tried now or that offers no element. */
  private @Nullable PendingJobEntry waiting(int i, EquivalenceClass equivalenceClass) {
    PendingJob row = index.row(i);
    if (row.offers().isEmpty()) {
      return null;
    }
    equivalenceClass.waits(QueueDemand.elements(row.job()));
    List<Blocker> closed = checks.closed(row, shapeOf[i] >= 0, equivalenceClass.shape().queue());
    List<PendingJob.Offer> ready = closed.isEmpty() ? checks.ready(row) : List.of();
    Blocker backOff = checks.backOff(row);
    if (ready.isEmpty()) {
      List<Blocker> why = new ArrayList<>(closed);
      if (backOff != null) {
        why.add(backOff);
      }
      ineligible.add(new Ineligible(row, equivalenceClass, why));
      return null;
    }
    equivalenceClass.offers(ready.size());
    return new PendingJobEntry(row.job(), equivalenceClass, ready, backOff);
  }

  /**
   * Returns whether time changes neither an eligibility check of the job nor its shape, apart from
   * open tiers and windows.
   */
  private static boolean lasts(JobSpec spec) {
    return spec.placement().waits().isEmpty()
        && spec.notBefore() == null
        && spec.deadline() == null;
  }

  /** Returns the queues by id. */
  public Collection<PendingQueue> all() {
    return queues.values();
  }

  /**
   * Returns the queues in the order of fair sharing.
   *
   * @param gpus GPUs of each flavor in the fleet
   */
  public FairSharingOrder fairOrder(SortedMap<Flavor, Long> gpus) {
    return new FairSharingOrder(all(), admission, history, waitingGpus(), gpus);
  }

  /**
   * Returns the thousandths of GPUs that jobs wait for now, by queue and cell. The result is empty
   * if no group divides GPUs among its waiting jobs.
   */
  public SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waitingGpus() {
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waits = new TreeMap<>();
    if (dividesGpus) {
      queues.forEach((id, queue) -> waits.put(id, queue.waitingGpus()));
    }
    return waits;
  }

  public PendingQueue queueOf(PendingJobEntry waiting) {
    PendingQueue queue = queues.get(waiting.job().queue());
    if (queue == null) {
      throw new IllegalArgumentException("not in these lines: " + waiting.job().id().text());
    }
    return queue;
  }

  /**
   * Returns, from each queue, the next job after this one has started, up to a number. Jobs of
   * lower priority are excluded.
   */
  public List<PendingJobEntry> after(PendingJobEntry tried, int most) {
    List<PendingJobEntry> after = new ArrayList<>();
    for (PendingQueue queue : queues.values()) {
      PendingJobEntry next = after.size() < most ? queue.after(tried) : null;
      if (next != null && next.job().priority() >= tried.job().priority()) {
        after.add(next);
      }
    }
    return after;
  }

  /** Returns the waiting job, null if it does not wait. */
  public @Nullable PendingJobEntry job(JobId id) {
    int i = index.position(id);
    return i < 0 ? null : waiting[i];
  }

  /**
   * Returns the job if only its back-off blocks the element. The result is null if the job has no
   * such element, or if another eligibility check fails, because the end of that is unknown.
   */
  public @Nullable Job wants(JobId id, int element) {
    int i = index.position(id);
    if (i < 0) {
      return null;
    }
    PendingJob row = index.row(i);
    boolean wants =
        row.offers().stream().anyMatch(offer -> offer.index() == element)
            && checks.closed(row, false, row.job().queue()).isEmpty();
    return wants ? row.job() : null;
  }

  /** Counts one more element for the user of a job that has a reservation but was not tried yet. */
  public void reserve(Job job) {
    PendingQueue queue = queues.get(job.queue());
    if (queue != null) {
      queue.reserve(job);
    }
  }

  /** Returns the requests of all waiting jobs. */
  public QueueDemand demand() {
    return demand.and(shapes.equal());
  }

  /** Returns the cache for the next cycle. */
  public PendingJobCache known() {
    return new PendingJobCache(index.jobs(), shapeOf, shapes.all(), order, shapes.terms());
  }

  /** Returns the ineligible jobs by id. */
  public List<Ineligible> ineligible() {
    return List.copyOf(ineligible);
  }
}
