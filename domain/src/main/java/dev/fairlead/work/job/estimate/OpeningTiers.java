package dev.fairlead.work.job.estimate;

import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Times at which the tiers of a routing policy and windows open to a job. Jobs of one class share
 * their explanation, but each has waited for its own time, so the time is added when the
 * explanation is read.
 */
public final class OpeningTiers {
  /** Number of a blocker: the wait after which its tier opens. */
  public static final String AFTER = "afterSeconds";

  /** Number of a blocker: when its window opens, or gives its queue more quota. */
  public static final String OPENS_AT = "opensAtEpochSeconds";

  private static final Duration SHORT = Duration.ofMinutes(2);

  private OpeningTiers() {}

  /** The explanation rendered for this job. */
  public static Explanation told(Explanation why, Job job, Instant now) {
    return new Explanation(
        why.computedAt(),
        why.blockers().stream().map(blocker -> told(blocker, job, now)).toList(),
        why.nearMisses(),
        why.clusters(),
        why.estimate());
  }

  private static Blocker told(Blocker blocker, Job job, Instant now) {
    Long opening = blocker.numbers().get(OPENS_AT);
    boolean opens = blocker.reason() == Reason.WINDOW_CLOSED || blocker.reason() == Reason.QUOTA;
    if (opens && opening != null) {
      String text = blocker.message() + " (in " + left(opening - now.getEpochSecond()) + ")";
      return new Blocker(
          blocker.reason(), blocker.scope(), text, blocker.numbers(), blocker.action());
    }
    Long after = blocker.numbers().get(AFTER);
    if (blocker.reason() != Reason.ROUTING || after == null) {
      return blocker;
    }
    Instant due = Waited.reaches(job, now, Duration.ofSeconds(after));
    SortedMap<String, Long> numbers = new TreeMap<>(blocker.numbers());
    numbers.put(OPENS_AT, due.getEpochSecond());
    String text = blocker.message() + ": " + when(due, now);
    return new Blocker(blocker.reason(), blocker.scope(), text, numbers, blocker.action());
  }

  /** Rounded up: {@code 90 s}, {@code 12 min}, {@code 3 h 12 min}, {@code 4 d 3 h}. */
  private static String left(long seconds) {
    long whole = Math.max(0, seconds);
    long minutes = Math.ceilDiv(whole, 60);
    if (whole < SHORT.toSeconds()) {
      return whole + " s";
    }
    if (minutes < 60) {
      return minutes + " min";
    }
    return minutes < 48 * 60
        ? minutes / 60 + " h " + minutes % 60 + " min"
        : minutes / 1440 + " d " + minutes % 1440 / 60 + " h";
  }

  private static String when(Instant opens, Instant now) {
    Duration rest = Duration.ofSeconds(opens.getEpochSecond() - now.getEpochSecond());
    if (rest.isZero()) {
      return "now";
    }
    String left =
        rest.compareTo(SHORT) < 0
            ? rest.toSeconds() + " s"
            : rest.plusMinutes(1).minusSeconds(1).toMinutes() + " min";
    return "at " + opens.truncatedTo(ChronoUnit.SECONDS) + ", in " + left;
  }
}
