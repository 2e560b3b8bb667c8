package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore.Held;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.blockers.LicenceBlockers;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The remaining number of each licence, minus the elements that this cycle starts or reserves
 * capacity for. Attempts are evaluated when the first job requests a licence, so jobs without
 * licences cost nothing.
 */
final class LicenceCounts {
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

    boolean lacks(int count, Job job) {
      return held + count > licence.count() || !licence.allows(job.spec());
    }

    /** Caches the text, because many jobs request the same number. */
    Blocker why(int count, Job job) {
      if (!licence.allows(job.spec())) {
        return LicenceBlockers.elsewhere(licence);
      }
      Blocker known = told;
      if (known == null || asked != count) {
        known = LicenceBlockers.few(licence, new Held(held, jobs), firstEnd, count);
        asked = count;
        told = known;
      }
      return known;
    }
  }

  LicenceCounts(World world, QuotaTree tree) {
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

  /** Charges an element of the job that starts or gets a reservation. */
  void takes(Job job) {
    if (!job.spec().licences().isEmpty()) {
      takes(counts(), job, Runtimes.end(job, tree, world.asOf()));
    }
  }

  /** Returns whether too few of a licence are left for one more element of the job. */
  boolean refuse(Job job) {
    SortedMap<String, Integer> asked = job.spec().licences();
    if (asked.isEmpty()) {
      return false;
    }
    SortedMap<String, Count> all = counts();
    return asked.entrySet().stream().anyMatch(e -> of(all, e.getKey()).lacks(e.getValue(), job));
  }

  /** Returns the licences that are too few for one more element of the job. */
  List<Blocker> why(Job job) {
    SortedMap<String, Integer> asked = job.spec().licences();
    if (asked.isEmpty()) {
      return List.of();
    }
    List<Blocker> blockers = new ArrayList<>();
    asked.forEach((name, count) -> {
      Count of = of(counts(), name);
      if (of.lacks(count, job)) {
        blockers.add(of.why(count, job));
      }
    });
    return blockers;
  }
}
