package dev.fairlead.work.job.estimate;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Result of a job if it were submitted now. Nothing is reserved for it.
 *
 * @param feasible whether the job could ever start with the current fleet and quota
 * @param starting number of elements that would start immediately, 1 for a job without an array
 * @param candidates possible routes in the order in which they are tried, including tiers that are
 *     not open yet
 * @param quota use of its queue and the nodes above it, including the starting elements, or one
 *     element if none starts
 * @param preempted jobs that would be preempted
 * @param explanation reason why the job, or the rest of its elements, would wait, null if nothing
 *     would wait
 * @param risk jobs that may preempt it, with the quota use at its start, or on the cluster that is
 *     tried first
 * @param foreseen start by learned run times, null if the job starts now and if unknown
 * @param expected prediction learned from similar jobs
 */
@RecordBuilder
public record Forecast(
    Instant asOf,
    boolean feasible,
    int starting,
    List<Candidate> candidates,
    List<QuotaEffect> quota,
    Preempted preempted,
    @Nullable Explanation explanation,
    PreemptionRisk risk,
    @Nullable Instant foreseen,
    Expected expected)
    implements ForecastBuilder.With {
  /**
   * A cluster or pool, and the GPU model that the most demanding role would get, in the current
   * state and ahead of other waiting jobs.
   *
   * @param pool name of the pool, null for nodes without a pool
   * @param chosen whether the job, or one of its elements, would start there
   * @param free free GPUs of the model on nodes that the job may use, in thousandths
   * @param total all GPUs of the model on these nodes, in thousandths
   * @param largestGang largest number of free whole GPUs in one domain, by level, widest first
   * @param pricePerGpuHour price of a GPU-hour in millionths, null if none
   * @param demand resources of one element at full size
   * @param tier tier of the queue's routing policy, from 1, null if there is no policy
   * @param tooDear whether its current price exceeds the caps of the tiers or of the job
   * @param blockers missing capacity or quota, empty if there is enough in an open tier and window
   */
  @RecordBuilder
  public record Candidate(
      String cluster,
      @Nullable String pool,
      Flavor flavor,
      boolean chosen,
      long free,
      long total,
      List<LargestGang> largestGang,
      @Nullable Long pricePerGpuHour,
      Quote.Demand demand,
      @Nullable Integer tier,
      boolean tooDear,
      List<Blocker> blockers) {
    public Candidate {
      largestGang = List.copyOf(largestGang);
      blockers = List.copyOf(blockers);
    }
  }

  /**
   * Possible start there after blockers end, known only if no other affordable candidate could
   * start the job earlier.
   */
  public Explanation.@Nullable Estimate later(Candidate there) {
    boolean alone =
        !there.tooDear() && candidates.stream().filter(each -> !each.tooDear()).count() == 1;
    return explanation == null || !alone ? null : explanation.estimate();
  }

  /** Number of jobs that would be preempted, and their GPUs in thousandths. */
  public record Preempted(int jobs, long gpuMilli) {}

  /** The domain of a level with the most free whole GPUs. */
  public record LargestGang(String level, long gpus, String domain) {}

  /**
   * Use of one cell at one node of the quota tree, in base units.
   *
   * @param nominal quota that the node owns, null if unlimited
   * @param after usage including the job
   * @param borrowedAfter usage beyond the nominal quota, including the job
   * @param limit maximum use with borrowing, null if only the available quota limits it
   */
  @RecordBuilder
  public record QuotaEffect(
      String node,
      Flavor flavor,
      String resource,
      @Nullable Long nominal,
      long used,
      long after,
      long borrowedAfter,
      @Nullable Long limit) {}

  /**
   * A prediction learned from similar jobs.
   *
   * @param run likely run time of the job or of an element, null without earlier runs
   * @param start likely start, null if the job starts now, if too little data exists, or if another
   *     process is the scheduler
   */
  public record Expected(@Nullable ExpectedRun run, @Nullable ExpectedStart start) {
    /** A prediction without data. */
    public static final Expected NOTHING = new Expected(null, null);
  }

  /**
   * Returns the forecast with the prediction from similar jobs, and preemptions on its possible
   * flavors.
   */
  public Forecast with(List<PreemptionCount> counts, Expected learned) {
    List<Flavor> flavors = candidates.stream().map(Candidate::flavor).distinct().toList();
    return with().risk(risk.with(counts, flavors)).expected(learned).build();
  }

  public Forecast {
    candidates = List.copyOf(candidates);
    quota = List.copyOf(quota);
  }
}
