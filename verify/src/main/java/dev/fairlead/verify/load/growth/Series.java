package dev.fairlead.verify.load.growth;

import dev.fairlead.verify.load.growth.Trend.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One quantity that is sampled while jobs start and end. */
public final class Series {
  private final String name;
  private final Kind kind;
  private final double least;
  private final List<Sample> byTime = new ArrayList<>();
  private final List<Sample> byJobs = new ArrayList<>();

  /** The permitted growth. */
  public enum Kind {
    /** Constant under constant load. */
    STEADY,
    /**
     * Stored for each job until its retention ends: it may grow with the ended jobs, but not faster
     * than they do.
     */
    OF_EACH_JOB
  }

  /**
   * @param name with its unit
   * @param least a smaller climb is ignored, in the unit of the values
   */
  public Series(String name, Kind kind, double least) {
    this.name = name;
    this.kind = kind;
    this.least = least;
  }

  /**
   * @param seconds since the first sample
   * @param jobs that have ended since
   */
  public void add(double seconds, double jobs, double value) {
    byTime.add(new Sample(seconds, value));
    byJobs.add(new Sample(jobs, value));
  }

  /**
   * The quantity, its change, and whether that is within the bound.
   *
   * @param rate change in an hour, or for each job
   * @param change the climb as a part of the mean. For {@link Kind#OF_EACH_JOB} the growth per job
   *     in the second half compared with the first
   */
  public record Verdict(
      String name, Kind kind, double mean, double rate, double change, boolean grows) {
    /** A row for a table below {@link #HEADER}. */
    public String row() {
      return String.format(
          Locale.ROOT,
          "%-34s %14.1f %14.2f %-9s %8.1f %% %s",
          name,
          mean,
          rate,
          kind == Kind.STEADY ? "an hour" : "a job",
          change * 100,
          grows ? "GROWS" : "");
    }
  }

  public static final String HEADER =
      String.format("%-34s %14s %24s %10s", "sampled", "mean", "slope", "change");

  /**
   * @param bound the largest change that is not growth, such as 0.1
   * @throws IllegalArgumentException for too few samples
   */
  public Verdict judge(double bound) {
    return switch (kind) {
      case STEADY -> steady(bound);
      case OF_EACH_JOB -> ofEachJob(bound);
    };
  }

  private Verdict steady(double bound) {
    Trend trend = Trend.of(byTime);
    boolean grows = trend.relative() > bound && trend.climbs() && trend.climb() > least;
    return new Verdict(name, kind, trend.mean(), trend.slope() * 3600, trend.relative(), grows);
  }

  private Verdict ofEachJob(double bound) {
    int half = byJobs.size() / 2;
    Trend first = Trend.of(byJobs.subList(0, half));
    Trend second = Trend.of(byJobs.subList(half, byJobs.size()));
    double more = second.slope() - first.slope();
    double change = first.slope() > 0 ? more / first.slope() : 0;
    double error = Math.hypot(first.standardError(), second.standardError());
    boolean grows = change > bound && more > 3 * error && more * second.span() > least;
    Trend all = Trend.of(byJobs);
    return new Verdict(name, kind, all.mean(), all.slope(), change, grows);
  }
}
