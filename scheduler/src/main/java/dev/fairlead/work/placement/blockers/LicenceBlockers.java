package dev.fairlead.work.placement.blockers;

import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore.Held;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Explains how a licence holds a job back. */
public final class LicenceBlockers {
  private LicenceBlockers() {}

  /** Explains that the licence belongs to one cluster but the job may run on others. */
  public static Blocker elsewhere(Licence licence) {
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
  public static Blocker few(Licence licence, Held held, @Nullable Instant firstEnd, int asked) {
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
