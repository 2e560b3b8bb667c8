package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.Transition;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Guards of writes. Each method is one guard and throws when it refuses. */
final class AppendGuards {
  private final JobTables tables;
  private final Set<AppendGuard> missing;

  AppendGuards(JobTables tables, Set<AppendGuard> missing) {
    this.tables = tables;
    this.missing = missing;
  }

  /** The stored row must match the transition, and a new job must not be stored yet. */
  void version(Transition transition) {
    Job next = transition.job();
    long stored = tables.job(next.id()).map(Job::version).orElse(0L);
    if (stored != transition.before() && !missing.contains(AppendGuard.VERSION)) {
      throw refused(Guard.VERSION, next);
    }
  }

  void name(Transition transition) {
    Job job = transition.job();
    boolean named = job.version() == 1 || transition.taken();
    boolean taken = named && tables.activeNamed(job.project(), job.name()).isPresent();
    if (taken && !missing.contains(AppendGuard.NAME)) {
      throw refused(Guard.NAME_TAKEN, job);
    }
  }

  /** A terminal state does not change. */
  void terminal(Transition transition) {
    Job job = transition.job();
    boolean jobRises =
        tables
            .job(job.id())
            .filter(was -> was.run().ended() && was.state() != job.state())
            .isPresent();
    boolean elementRises = transition.elements().stream().anyMatch(this::rises);
    Attempt attempt = transition.attempt();
    boolean attemptRises =
        attempt != null
            && tables
                .attempt(attempt.id())
                .filter(was -> !was.live() && was.state() != attempt.state() || again(was, attempt))
                .isPresent();
    boolean rises = jobRises || elementRises || attemptRises;
    if (rises && !missing.contains(AppendGuard.TERMINAL)) {
      throw refused(Guard.VERSION, job);
    }
  }

  /** Returns whether the attempt is retired a second time. */
  private static boolean again(Attempt was, Attempt attempt) {
    return was.retiredAt() != null
        && attempt.retiredAt() != null
        && !was.retiredAt().equals(attempt.retiredAt());
  }

  /** A new attempt requires that no other attempt of its job and element is live. */
  void oneLiveAttempt(Transition transition, Attempt attempt) {
    boolean live =
        tables.attempts(attempt.job()).stream()
            .anyMatch(a -> a.element() == attempt.element() && a.live());
    if (live && !missing.contains(AppendGuard.LIVE_ATTEMPT)) {
      throw refused(Guard.LIVE_ATTEMPT, transition.job());
    }
  }

  /** A new attempt fits into its budgets. */
  void budgets(Runnable charge) {
    try {
      charge.run();
    } catch (Conflict refused) {
      if (!missing.contains(AppendGuard.BUDGET)) {
        throw refused;
      }
    }
  }

  /** A new attempt finds its licences free. */
  void licences(Transition transition, LicenceStore licences) {
    SortedMap<String, Integer> asked = transition.job().spec().licences();
    if (transition.holding() != Transition.AllocationChange.TAKE
        || asked.isEmpty()
        || missing.contains(AppendGuard.LICENCE)) {
      return;
    }
    SortedMap<String, Long> free = new TreeMap<>();
    licences.licences().forEach(each -> free.put(each.name(), (long) each.count()));
    licences.held().forEach((name, held) -> free.merge(name, -held.count(), Long::sum));
    asked.forEach((name, count) -> {
      if (free.getOrDefault(name, 0L) < count) {
        throw refused(Guard.LICENCE, transition.job());
      }
    });
  }

  /** Returns whether the use of an attempt begins again with its next user. */
  boolean transfers() {
    return !missing.contains(AppendGuard.TRANSFER);
  }

  /** An attempt that changes is stored, and an attempt that releases resources still holds them. */
  Attempt held(Transition transition, Attempt attempt) {
    return tables
        .attempt(attempt.id())
        .filter(was -> transition.holding() == Transition.AllocationChange.KEEP || was.live())
        .orElseThrow(() -> refused(Guard.VERSION, transition.job()));
  }

  /** New attempts allocate and ended ones release: anything else is a programming error. */
  static void holdingMatches(Transition transition) {
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

  private boolean rises(JobElement element) {
    return tables
        .element(element.job(), element.index())
        .filter(was -> was.run().ended() && was.run().state() != element.run().state())
        .isPresent();
  }

  private static Conflict refused(Guard guard, Job job) {
    return new Conflict(guard, job.id().text());
  }
}
