package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The jobs of one queue that may start, in order. */
public final class PendingQueue {
  private static final int LOOKED_AT = 64;

  private final QuotaNode node;
  private final boolean strict;
  private final List<PendingJobEntry> jobs = new ArrayList<>();
  private final @Nullable UserFairOrder byUser;
  private final List<RunLimitConstraint> limits;

  /** In the order of their explanations, the cheapest last. */
  private final List<Constraint> constraints = new ArrayList<>();

  /**
   * Keyed by the number of the class, because classes are far fewer than jobs and victim searches
   * need the sum.
   */
  private final SortedMap<Integer, Ready> ready = new TreeMap<>();

  private @Nullable SortedMap<QuotaCell, Long> waitingMilli;
  private int head;
  private boolean blocked;

  /**
   * @param budgets budgets of all queues
   * @param licences licences of all queues
   */
  PendingQueue(QuotaNode node, Constraint budgets, Constraint licences, Instant asOf) {
    this.node = node;
    limits = RunLimitConstraint.of(node, asOf);
    constraints.add(budgets);
    constraints.addAll(limits);
    constraints.add(licences);
    QueueSettings settings = node.queue();
    strict = settings != null && settings.order() == QueueSettings.Order.STRICT_FIFO;
    byUser = settings != null && settings.fairByUser() ? new UserFairOrder() : null;
  }

  /** Adds an attempt that runs in the queue. */
  void runs(World.LiveAttempt live) {
    limits.forEach(limit -> limit.takes(live.job(), live.attempt().startedAt()));
    if (byUser != null) {
      byUser.runs(live);
    }
  }

  /** Sets the average past use of its users. */
  void used(SortedMap<String, Long> milliByUser) {
    if (byUser != null) {
      milliByUser.forEach(byUser::used);
    }
  }

  /** Returns whether running attempts of the queue must be counted. */
  boolean countsUsers() {
    return byUser != null || !limits.isEmpty();
  }

  boolean fairByUser() {
    return byUser != null;
  }

  /** Adds a job, in the order of {@link PendingJobEntry#ORDER}. */
  void add(PendingJobEntry waiting) {
    jobs.add(waiting);
    EquivalenceClass equal = waiting.equivalenceClass();
    Ready ofClass = ready.computeIfAbsent(equal.number(), number -> new Ready(equal));
    ofClass.elements += waiting.ready();
    waitingMilli = null;
    int[] counted = {waiting.ready()};
    waiting.whenTaken(() -> {
      ofClass.elements -= counted[0] - waiting.ready();
      counted[0] = waiting.ready();
      waitingMilli = null;
      constraints.forEach(each -> each.takes(waiting.job(), equal, node));
    });
    if (byUser != null) {
      byUser.add(waiting);
    }
  }

  /** Charges one more element of a job that has a reservation but was not tried yet. */
  void reserve(Job job) {
    constraints.forEach(each -> each.takes(job, null, node));
  }

  /**
   * Returns whether a limit of the queue, a budget or a licence holds one more element of the job
   * back.
   */
  public boolean overLimits(PendingJobEntry waiting) {
    for (int i = constraints.size() - 1; i >= 0; i--) {
      Constraint each = constraints.get(i);
      if (!each.refusals(waiting.job(), waiting.equivalenceClass(), node).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the limits of the queue, budgets and licences that hold one more element of the job
   * back.
   */
  public List<Blocker> limits(PendingJobEntry waiting) {
    List<Blocker> all = new ArrayList<>(0);
    for (Constraint each : constraints) {
      each.refusals(waiting.job(), waiting.equivalenceClass(), node)
          .forEach(refusal -> all.add(refusal.get()));
    }
    return all;
  }

  /** Returns the next job that may start after this one, null if none of the next few may. */
  @Nullable PendingJobEntry after(PendingJobEntry tried) {
    for (int i = head; i < Math.min(jobs.size(), head + LOOKED_AT) && !blocked; i++) {
      PendingJobEntry next = jobs.get(i);
      if (!next.done() && next != tried) {
        return next;
      }
    }
    return null;
  }

  /**
   * Returns the thousandths of GPUs that its jobs wait for, by cell, with every element that may
   * start. A job that accepts several flavors counts for each.
   */
  public SortedMap<QuotaCell, Long> waitingGpus() {
    SortedMap<QuotaCell, Long> known = waitingMilli;
    if (known == null) {
      SortedMap<QuotaCell, Long> milli = new TreeMap<>();
      ready.values().forEach(of -> of.add(milli));
      known = Collections.unmodifiableSortedMap(milli);
      waitingMilli = known;
    }
    return known;
  }

  /** Elements of equal jobs that may start. */
  private static final class Ready {
    private final EquivalenceClass equal;
    private int elements;

    Ready(EquivalenceClass equal) {
      this.equal = equal;
    }

    void add(SortedMap<QuotaCell, Long> milli) {
      if (elements > 0) {
        equal
            .gpus()
            .forEach((cell, each) ->
                milli.merge(cell, Saturating.times(each, elements), Saturating::plus));
      }
    }
  }

  public QuotaNode node() {
    return node;
  }

  /** Returns whether a waiting head blocks all jobs behind it. */
  public boolean strict() {
    return strict;
  }

  /** Blocks the queue if it is strict, because its head waits. */
  public void block() {
    blocked |= strict;
  }

  public boolean blocked() {
    return blocked;
  }

  /**
   * Returns the first job that was not tried yet, null if none. In a strict queue a job with a
   * reservation blocks the jobs behind it.
   */
  public @Nullable PendingJobEntry head() {
    if (byUser != null) {
      return byUser.head(this::block);
    }
    while (head < jobs.size() && jobs.get(head).done()) {
      if (jobs.get(head).awaits()) {
        block();
      }
      head++;
    }
    return head < jobs.size() ? jobs.get(head) : null;
  }
}
