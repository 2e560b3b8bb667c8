package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.identity.JobId;
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

/**
 * All pending jobs, sorted into their queues; jobs that fail an eligibility check are set apart.
 */
public final class PendingQueues {
  private final Admission admission;
  private final boolean dividesGpus;
  private final EligibilityChecks checks;
  private final BudgetCounts budgets;
  private final LicenceCounts licences;
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

  /** A job that is not tried, and why. */
  public record Ineligible(PendingJob row, EquivalenceClass equivalenceClass, List<Blocker> why) {}

  /** Of two rows of one job the newer counts; a job that offers nothing has nothing to wait for. */
  public PendingQueues(
      World world, Admission admission, Fleet fleet, History history, PendingJobCache before) {
    asOf = world.asOf();
    List<World.LiveAttempt> live = world.live();
    this.admission = admission;
    dividesGpus =
        admission.tree().nodes().stream().anyMatch(n -> n.share() == SharePolicy.DESERVED_SHARE);
    budgets =
        new BudgetCounts(
            world.budgets(),
            new StartCosts(new MostGpu(world.nodes()), fleet, world.prices(), asOf.toEpochMilli()),
            asOf);
    licences = new LicenceCounts(world, admission.tree());
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

  /** Null for a job that cannot be tried now, or that offers nothing. */
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
   * Whether time changes neither an eligibility check of its own nor its shape, apart from the
   * tiers and windows that are open.
   */
  private static boolean lasts(JobSpec spec) {
    return spec.placement().waits().isEmpty()
        && spec.notBefore() == null
        && spec.deadline() == null;
  }

  /** By queue id. */
  public Collection<PendingQueue> all() {
    return queues.values();
  }

  /**
   * Thousandths of GPUs that jobs wait for now, by queue and cell; empty where no group divides
   * GPUs among its waiting jobs.
   */
  public SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waitingGpus() {
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waits = new TreeMap<>();
    if (dividesGpus) {
      queues.forEach((id, queue) -> waits.put(id, queue.waitingGpus()));
    }
    return waits;
  }

  /** The queue of the job. */
  public PendingQueue queueOf(PendingJobEntry waiting) {
    PendingQueue queue = queues.get(waiting.job().queue());
    if (queue == null) {
      throw new IllegalArgumentException("not in these lines: " + waiting.job().id().text());
    }
    return queue;
  }

  /**
   * Of each queue the job that comes next once this one has started, up to a number; none of a
   * lower priority.
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

  /** The job as it waits here, null when it does not. */
  public @Nullable PendingJobEntry job(JobId id) {
    int i = index.position(id);
    return i < 0 ? null : waiting[i];
  }

  /**
   * The job if nothing but its back-off blocks the element; null when it has no such element, and
   * when another eligibility check fails: when that ends is not known.
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

  /** A place is kept for one more of a job that is not tried yet: it counts for its user. */
  public void reserve(Job job) {
    PendingQueue queue = queues.get(job.queue());
    if (queue != null) {
      queue.reserve(job);
    }
  }

  /** What all jobs that wait ask for. */
  public QueueDemand demand() {
    return demand.and(shapes.equal());
  }

  /** For the next cycle. */
  public PendingJobCache known() {
    return new PendingJobCache(index.jobs(), shapeOf, shapes.all(), order);
  }

  /** By job id. */
  public List<Ineligible> ineligible() {
    return List.copyOf(ineligible);
  }
}
