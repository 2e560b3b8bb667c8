package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore.Held;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The remaining number of each licence, minus the elements that this cycle starts or reserves
 * capacity for. Attempts are evaluated when the first job requests a licence, so jobs without
 * licences cost nothing.
 */
final class LicenceConstraint implements Constraint {
  private final World world;
  private final QuotaTree tree;
  private @Nullable SortedMap<String, Count> counts;

  /** The count of one licence: its total, the number in use, and the last blocker. */
  private static final class Count {
    private final Licence licence;
    private long held;
    private long jobs;
    private @Nullable Instant firstEnd;
    private int asked;
    private @Nullable Blocker told;

    Count(Licence licence) {
      this.licence = licence;
    }

    void takes(int count, @Nullable Instant end) {
      held += count;
      jobs++;
      if (end != null && (firstEnd == null || end.isBefore(firstEnd))) {
        firstEnd = end;
      }
      told = null;
    }

    /** Returns why the job cannot have this number, null if it can. */
    @Nullable Supplier<Blocker> refusal(int count, Job job) {
      if (!licence.allows(job.spec())) {
        return () -> elsewhere(licence);
      }
      return held + count > licence.count() ? () -> few(count) : null;
    }

    /** Caches the text, because many jobs request the same number. */
    private Blocker few(int count) {
      Blocker known = told;
      if (known == null || asked != count) {
        known = LicenceConstraint.few(licence, new Held(held, jobs), firstEnd, count);
        asked = count;
        told = known;
      }
      return known;
    }
  }

  LicenceConstraint(World world, QuotaTree tree) {
    this.world = world;
    this.tree = tree;
  }

  private SortedMap<String, Count> counts() {
    SortedMap<String, Count> known = counts;
    if (known == null) {
      known = new TreeMap<>();
      for (Licence licence : world.licences()) {
        known.put(licence.name(), new Count(licence));
      }
      counts = known;
      for (World.LiveAttempt live : world.live()) {
        if (!live.job().spec().licences().isEmpty()) {
          takes(known, live.job(), end(live));
        }
      }
    }
    return known;
  }

  private @Nullable Instant end(World.LiveAttempt live) {
    Attempt attempt = live.attempt();
    Instant since = attempt.startedAt() == null ? attempt.createdAt() : attempt.startedAt();
    return Runtimes.end(live.job(), tree, since);
  }

  private static void takes(SortedMap<String, Count> of, Job job, @Nullable Instant end) {
    job.spec().licences().forEach((name, count) -> of(of, name).takes(count, end));
  }

  /** A removed licence that jobs still wait for has a count of 0. */
  private static Count of(SortedMap<String, Count> counts, String name) {
    return counts.computeIfAbsent(name, _ -> new Count(new Licence(name, 0)));
  }

  @Override
  public void takes(Job job, @Nullable EquivalenceClass as, QuotaNode queue) {
    if (!job.spec().licences().isEmpty()) {
      takes(counts(), job, Runtimes.end(job, tree, world.asOf()));
    }
  }

  @Override
  public List<Supplier<Blocker>> refusals(Job job, @Nullable EquivalenceClass as, QuotaNode queue) {
    if (job.spec().licences().isEmpty()) {
      return List.of();
    }
    List<Supplier<Blocker>> refusals = new ArrayList<>(0);
    job.spec()
        .licences()
        .forEach((name, count) -> {
          Supplier<Blocker> refusal = of(counts(), name).refusal(count, job);
          if (refusal != null) {
            refusals.add(refusal);
          }
        });
    return refusals;
  }

  /** Explains that the licence belongs to one cluster but the job may run on others. */
  private static Blocker elsewhere(Licence licence) {
    return new Blocker(
        Reason.LICENCE,
        new Scope(Scope.Kind.JOB, ""),
        "licence %s belongs to cluster %s, but the job may run elsewhere"
            .formatted(licence.name(), licence.cluster()),
        Collections.emptySortedMap(),
        "submit it with placement.clusters: [" + licence.cluster() + "]");
  }

  /**
   * @param firstEnd latest end of the first attempt that holds the licence, null = unknown
   * @param asked number that the job requests, more than are free
   */
  private static Blocker few(Licence licence, Held held, @Nullable Instant firstEnd, int asked) {
    long there = licence.count();
    long free = Math.max(0, there - held.count());
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("asked", (long) asked);
    numbers.put("free", free);
    numbers.put("held", held.count());
    numbers.put("there", there);
    numbers.put("jobs", held.attempts());
    String ends = "";
    if (firstEnd != null) {
      numbers.put("firstEndsAtEpochSeconds", firstEnd.getEpochSecond());
      ends = ", the first of which ends by " + firstEnd;
    }
    String text =
        "licence %s: the job requests %d, and %d of %d are free. %d are held by %d %s%s"
            .formatted(
                licence.name(),
                asked,
                free,
                there,
                held.count(),
                held.attempts(),
                held.attempts() == 1 ? "job" : "jobs",
                ends);
    return new Blocker(
        Reason.LICENCE,
        new Scope(Scope.Kind.JOB, ""),
        text,
        numbers,
        asked > there
            ? "the licence has fewer: ask a platform operator for more, or submit a job that"
                + " requests fewer"
            : "starts when jobs that hold the licence end, or when a platform operator raises it");
  }
}
