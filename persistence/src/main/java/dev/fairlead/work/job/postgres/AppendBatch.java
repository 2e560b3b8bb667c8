package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Transitions that are written with one statement for each table. A job may change several times in
 * a batch: the chain of versions is checked here, and its last row is written. An attempt changes
 * once.
 */
final class AppendBatch {
  private final List<Transition> transitions = new ArrayList<>();
  private final SortedMap<JobId, Chain> jobs = new TreeMap<>();
  private final SortedMap<JobId, SortedMap<Integer, ElementRow>> elements = new TreeMap<>();
  private final SortedSet<AttemptId> attempts = new TreeSet<>();

  /**
   * Changes of one job.
   *
   * @param before required version of the stored row, 0 for a new job
   * @param respecified whether its spec changed too
   */
  record Chain(long before, Job last, boolean respecified) {
    boolean created() {
      return before == 0;
    }

    /** Returns whether a stored row changes. Otherwise only attempts of the job do. */
    boolean changed() {
      return !created() && last.version() != before;
    }
  }

  /** The last row of an element, with its job. */
  record ElementRow(Job job, JobElement element) {}

  /**
   * The new row of an attempt, with its job.
   *
   * @param withMembers whether rows of its members may change too
   */
  record AttemptRow(Job job, Attempt attempt, boolean withMembers) {}

  /**
   * Batches in order. A new batch starts if an attempt changes again.
   *
   * @throws Conflict VERSION if the versions of a job have a gap
   */
  static List<AppendBatch> of(List<Transition> transitions) {
    List<AppendBatch> batches = new ArrayList<>();
    AppendBatch open = new AppendBatch();
    for (Transition transition : transitions) {
      Attempt attempt = transition.attempt();
      if (attempt != null && open.attempts.contains(attempt.id())) {
        batches.add(open);
        open = new AppendBatch();
      }
      open.add(transition);
    }
    batches.add(open);
    return batches;
  }

  private void add(Transition transition) {
    holdingMatches(transition);
    Job job = transition.job();
    Chain chain = jobs.get(job.id());
    if (chain != null && chain.last().version() != transition.before()) {
      throw new Conflict(Guard.VERSION, job.id().text());
    }
    boolean respecified = transition.respecified() || chain != null && chain.respecified();
    long before = chain == null ? transition.before() : chain.before();
    jobs.put(job.id(), new Chain(before, job, respecified));
    for (JobElement element : transition.elements()) {
      elements
          .computeIfAbsent(element.job(), j -> new TreeMap<>())
          .put(element.index(), new ElementRow(job, element));
    }
    Attempt attempt = transition.attempt();
    if (attempt != null) {
      attempts.add(attempt.id());
    }
    transitions.add(transition);
  }

  /** New attempts take and ended attempts release: any other combination is a programming error. */
  private static void holdingMatches(Transition transition) {
    Attempt attempt = transition.attempt();
    boolean right =
        switch (transition.holding()) {
          case TAKE, JOIN, LEAVE, MOVE, TRANSFER -> attempt != null && attempt.live();
          case RELEASE -> attempt != null && !attempt.live();
          case KEEP -> true;
        };
    if (!right) {
      throw new IllegalArgumentException(transition.holding() + " does not go with " + attempt);
    }
  }

  List<Transition> transitions() {
    return transitions;
  }

  /** By job id. */
  Collection<Chain> jobs() {
    return jobs.values();
  }

  /** Ordered by job and index. */
  List<ElementRow> elements() {
    return elements.values().stream().flatMap(rows -> rows.values().stream()).toList();
  }

  /** Attempts with this kind of holding, by id. */
  List<AttemptRow> attempts(AllocationChange holding) {
    SortedMap<AttemptId, AttemptRow> rows = new TreeMap<>();
    for (Transition transition : transitions) {
      Attempt attempt = transition.attempt();
      if (attempt != null && transition.holding() == holding) {
        rows.put(
            attempt.id(), new AttemptRow(transition.job(), attempt, !transition.attemptOnly()));
      }
    }
    return List.copyOf(rows.values());
  }
}
