package dev.fairlead.placement.explain;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Blocker.Scope;
import dev.fairlead.explanation.Reason;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a licence keeps a job back with. */
public final class LicenceBlockers {
  private LicenceBlockers() {}

  /**
   * What is there of a licence and what is held.
   *
   * @param jobs how many attempts hold it
   * @param firstEnd when the first of them ends at the latest; null = not known
   */
  public record Use(long there, long held, long jobs, @Nullable Instant firstEnd) {}

  /**
   * @param asked how many the job asks for, more than are free
   */
  public static Blocker few(String name, Use use, int asked) {
    long free = Math.max(0, use.there() - use.held());
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("asked", (long) asked);
    numbers.put("free", free);
    numbers.put("held", use.held());
    numbers.put("there", use.there());
    numbers.put("jobs", use.jobs());
    String ends = "";
    Instant end = use.firstEnd();
    if (end != null) {
      numbers.put("firstEndsAtEpochSeconds", end.getEpochSecond());
      ends = ", the first of which ends by " + end;
    }
    String text =
        "licence %s: the job asks for %d, and %d of %d are free; %d are held by %d %s%s"
            .formatted(
                name,
                asked,
                free,
                use.there(),
                use.held(),
                use.jobs(),
                use.jobs() == 1 ? "job" : "jobs",
                ends);
    return new Blocker(
        Reason.LICENCE,
        new Scope(Scope.Kind.JOB, ""),
        text,
        numbers,
        asked > use.there()
            ? "there are never that many: ask an operator of the platform for more, or submit a job"
                + " that asks for fewer"
            : "starts when jobs that hold the licence end, or an operator of the platform raises"
                + " it");
  }
}
