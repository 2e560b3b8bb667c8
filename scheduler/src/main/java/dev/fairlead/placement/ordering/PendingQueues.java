package dev.fairlead.placement.ordering;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.job.JobSpec;
import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.routing.ScarceModels;
import dev.fairlead.placement.routing.Windows;
import dev.fairlead.placement.shape.QueueTiers;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.SharePolicy;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
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
 * All pending jobs, sorted into the lines of their queues; those behind a closed gate stand aside.
 */
public final class PendingQueues {
  private final Admission admission;
  private final EligibilityChecks gates;
  private final BudgetCounts budgets;
  private final SortedMap<QuotaNodeId, PendingQueue> lines = new TreeMap<>();
  private final @Nullable PendingJobEntry[] waiting;
  private final List<KeptBack> keptBack = new ArrayList<>();
  private final PendingJobIndex rows;
  private final Shapes shapes;
  private final QueueDemand demand;
  private final int[] shapeOf;
  private final int[] order;
  private @Nullable PendingQueue last;

  /** A job that is not tried, and why. */
  public record KeptBack(Job job, EquivalenceClass equalJobs, List<Blocker> why) {}

  /** Of two rows of one job the newer counts; a job that offers nothing has nothing to wait for. */
  public PendingQueues(
      World world, Admission admission, Fleet fleet, History history, PendingJobCache before) {
    Instant asOf = world.asOf();
    List<World.LiveAttempt> live = world.live();
    this.admission = admission;
    budgets = new BudgetCounts(world.budgets(), new MostGpu(world.nodes()), asOf);
    gates = new EligibilityChecks(admission, asOf);
    rows = PendingJobIndex.of(world.pending(), before);
    Windows windows = new Windows(fleet, admission.tree(), asOf);
    QueueTiers tiers = new QueueTiers(admission.tree().nodes(), asOf);
    shapes = new Shapes(fleet, admission, asOf, windows, before, tiers);
    shapeOf = new int[rows.size()];
    order = rows.order();
    waiting = new PendingJobEntry[rows.size()];
    EquivalenceClass[] equal = new EquivalenceClass[rows.size()];
    for (int i = 0; i < equal.length; i++) {
      Job job = rows.row(i).job();
      equal[i] = shapes.of(job, rows.before(i));
      boolean lasts = shapes.known(rows.before(i)) || !windows.any() && lasts(job.spec());
      shapeOf[i] = lasts && equal[i].lasts() ? equal[i].number() : PendingJobCache.UNKNOWN;
    }
    for (int i : order) {
      PendingJobEntry next = waiting(i, equal[i]);
      waiting[i] = next;
      if (next != null) {
        line(next.equalJobs().shape().queue()).add(next);
      }
    }
    fleet.scarce(scarce(fleet));
    keptBack.sort(Comparator.comparing(k -> k.job().id()));
    demand = new QueueDemand(fleet, tiers, asOf);
    live.forEach(each -> demand.behindItsLimit(each.job()));
    if (lines.values().stream().anyMatch(PendingQueue::countsUsers)) {
      live.forEach(this::runs);
    }
    if (lines.values().stream().anyMatch(PendingQueue::fairByUser)) {
      lines.forEach((queue, line) -> line.used(history.users(queue)));
    }
  }

  private SortedSet<String> scarce(Fleet fleet) {
    ScarceModels models = new ScarceModels(fleet);
    shapes.equal().forEach(equal -> models.waits(equal.shape().gang(), equal.ready()));
    return models.found();
  }

  private void runs(World.LiveAttempt live) {
    PendingQueue line = lines.get(live.job().queue());
    if (line != null) {
      line.runs(live);
    }
  }

  private PendingQueue line(QuotaNodeId queue) {
    PendingQueue known = last;
    if (known == null || !known.queue().id().equals(queue)) {
      known =
          lines.computeIfAbsent(
              queue, q -> new PendingQueue(admission.tree().node(q).orElseThrow(), budgets));
      last = known;
    }
    return known;
  }

  /** Null for a job that cannot be tried now, or that offers nothing. */
  private @Nullable PendingJobEntry waiting(int i, EquivalenceClass equalJobs) {
    PendingJob row = rows.row(i);
    if (row.offers().isEmpty()) {
      return null;
    }
    equalJobs.waits(QueueDemand.elements(row.job()));
    List<Blocker> closed = gates.closed(row, shapeOf[i] >= 0, equalJobs.shape().queue());
    List<PendingJob.Offer> ready = closed.isEmpty() ? gates.ready(row) : List.of();
    Blocker backOff = gates.backOff(row);
    if (ready.isEmpty()) {
      List<Blocker> why = new ArrayList<>(closed);
      if (backOff != null) {
        why.add(backOff);
      }
      keptBack.add(new KeptBack(row.job(), equalJobs, why));
      return null;
    }
    equalJobs.offers(ready.size());
    return new PendingJobEntry(row.job(), equalJobs, ready, backOff);
  }

  /** Whether neither its shape nor a gate of its own changes with time. */
  private static boolean lasts(JobSpec spec) {
    return spec.placement().waits().isEmpty()
        && spec.notBefore() == null
        && spec.deadline() == null;
  }

  /** By queue id. */
  public Collection<PendingQueue> lines() {
    return lines.values();
  }

  /**
   * Thousandths of GPUs that jobs wait for now, by queue; empty where no group divides GPUs among
   * those who wait for them.
   */
  public SortedMap<QuotaNodeId, Long> waitingGpuMilli() {
    SortedMap<QuotaNodeId, Long> waits = new TreeMap<>();
    if (admission.tree().nodes().stream().anyMatch(n -> n.share() == SharePolicy.DESERVED_SHARE)) {
      lines.forEach((queue, line) -> waits.put(queue, line.waitingGpuMilli()));
    }
    return waits;
  }

  /** The line in which the job stands. */
  public PendingQueue lineOf(PendingJobEntry waiting) {
    PendingQueue line = lines.get(waiting.job().queue());
    if (line == null) {
      throw new IllegalArgumentException("not in these lines: " + waiting.job().id().text());
    }
    return line;
  }

  /**
   * Of each queue the job whose turn comes once this one has started, at most so many; none of a
   * lower priority.
   */
  public List<PendingJobEntry> after(PendingJobEntry tried, int most) {
    List<PendingJobEntry> after = new ArrayList<>();
    for (PendingQueue line : lines.values()) {
      PendingJobEntry next = after.size() < most ? line.after(tried) : null;
      if (next != null && next.job().priority() >= tried.job().priority()) {
        after.add(next);
      }
    }
    return after;
  }

  /** The job as it waits here, null when it does not. */
  public @Nullable PendingJobEntry job(JobId id) {
    int i = rows.position(id);
    return i < 0 ? null : waiting[i];
  }

  /**
   * The job when only its back-off keeps the element from being tried, if anything; null when it
   * has no such element, and behind a closed gate: when that opens is not known.
   */
  public @Nullable Job wants(JobId id, int element) {
    int i = rows.position(id);
    if (i < 0) {
      return null;
    }
    PendingJob row = rows.row(i);
    boolean wants =
        row.offers().stream().anyMatch(offer -> offer.index() == element)
            && gates.closed(row, false, row.job().queue()).isEmpty();
    return wants ? row.job() : null;
  }

  /** A place is kept for one more of a job that is not tried yet: it counts for its user. */
  public void keeps(Job job) {
    PendingQueue line = lines.get(job.queue());
    if (line != null) {
      line.keeps(job);
    }
  }

  /** What all jobs that wait ask for. */
  public QueueDemand demand() {
    return demand.and(shapes.equal());
  }

  /** For the next cycle. */
  public PendingJobCache known() {
    return new PendingJobCache(rows.jobs(), shapeOf, shapes.all(), order);
  }

  /** By job id. */
  public List<KeptBack> keptBack() {
    return List.copyOf(keptBack);
  }
}
