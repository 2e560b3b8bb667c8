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
 * Transitions that are written by one statement for each table. A job may change several times in
 * it: the chain of versions is checked here, its last row is written. An attempt changes once.
 */
final class AppendBatch {
  private final List<Transition> transitions = new ArrayList<>();
  private final SortedMap<JobId, Chain> jobs = new TreeMap<>();
  private final SortedMap<JobId, SortedMap<Integer, ElementRow>> elements = new TreeMap<>();
  private final SortedSet<AttemptId> attempts = new TreeSet<>();

  /**
   * Changes of one job.
   *
   * @param before version the stored row has to have, 0 when it is new
   * @param respecified whether its spec changed too
   */
  record Chain(long before, Job last, boolean respecified) {
    boolean created() {
      return before == 0;
    }
  }

  /** The last row of an element, with its job. */
  record ElementRow(Job job, JobElement element) {}

  /** An attempt as it is to be stored, with its job. */
  record AttemptRow(Job job, Attempt attempt) {}

  /**
   * In order; a new batch begins where an attempt changes again.
   *
   * @throws Conflict VERSION when the versions of a job leave a gap
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
    if (chain != null && chain.last().version() != job.version() - 1) {
      throw new Conflict(Guard.VERSION, job.id().text());
    }
    boolean respecified = transition.respecified() || chain != null && chain.respecified();
    long before = chain == null ? job.version() - 1 : chain.before();
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

  /** Taking is for the new, giving back is for the ended: anything else is a programming error. */
  private static void holdingMatches(Transition transition) {
    Attempt attempt = transition.attempt();
    boolean right =
        switch (transition.holding()) {
          case TAKE, JOIN, LEAVE -> attempt != null && attempt.live();
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

  /** By job and index. */
  List<ElementRow> elements() {
    return elements.values().stream().flatMap(rows -> rows.values().stream()).toList();
  }

  /** Attempts of this holding, by id. */
  List<AttemptRow> attempts(AllocationChange holding) {
    SortedMap<AttemptId, AttemptRow> rows = new TreeMap<>();
    for (Transition transition : transitions) {
      Attempt attempt = transition.attempt();
      if (attempt != null && transition.holding() == holding) {
        rows.put(attempt.id(), new AttemptRow(transition.job(), attempt));
      }
    }
    return List.copyOf(rows.values());
  }
}
