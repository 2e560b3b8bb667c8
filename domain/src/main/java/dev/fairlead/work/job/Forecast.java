package dev.fairlead.work.job;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Placement that a job would get if it were submitted now. Nothing is held for it.
 *
 * @param feasible whether it could start on the present fleet and quota at all
 * @param starting elements that would start immediately; 1 for a job that is not an array
 * @param candidates every possible route, in order of trial, including tiers that are not open yet
 * @param quota usage of its queue and the ancestors with the starting elements, or with one element
 *     if none starts
 * @param preempted attempts that would be evicted for it
 * @param explanation why it, or the rest of its elements, would wait; null when nothing would
 * @param risk jobs that may preempt it, by its usage at the start, or else at the first candidate
 * @param foreseen when it starts by learned run times; null when it starts now and where that is
 *     not known
 * @param expected estimates from similar jobs
 */
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
    Expected expected) {
  /**
   * A cluster, or one pool of it, and the GPU model for its most demanding role there, before other
   * waiting jobs.
   *
   * @param pool null for nodes of no pool
   * @param chosen whether the job, or an element of it, would start there
   * @param free milli-GPUs of the model that nodes it may use have free
   * @param total milli-GPUs of the model on these nodes
   * @param largestGang most whole GPUs free inside one domain, by level, widest first
   * @param pricePerGpuHour in millionths, null without a price
   * @param demand what one element, at its full size, would hold there
   * @param tier of the queue's routing policy, from 1; null without a policy
   * @param tooDear whether its price of now is above the caps of the tiers or of the job
   * @param blockers shortages there, empty with capacity and quota in an open tier and window
   */
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
   * The possible start time there, if it is blocked: known only if no other affordable candidate
   * could take the job before.
   */
  public Explanation.@Nullable Estimate later(Candidate there) {
    boolean alone =
        !there.tooDear() && candidates.stream().filter(each -> !each.tooDear()).count() == 1;
    return explanation == null || !alone ? null : explanation.estimate();
  }

  /** How many jobs would give way, and the milli-GPUs that they hold. */
  public record Preempted(int jobs, long gpuMilli) {}

  /** The domain of a level with most free whole GPUs. */
  public record LargestGang(String level, long gpus, String domain) {}

  /**
   * Use of one cell at one node of the quota tree, in base units.
   *
   * @param nominal nominal quota of the node, null = unlimited
   * @param after used with the job
   * @param borrowedAfter amount beyond its nominal quota, with the job
   * @param limit most it may use with borrowing, null = whatever is there
   */
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
   * Estimates from similar jobs.
   *
   * @param run how long it is likely to run; null while no run is known
   * @param start when it is likely to start; null when it starts now, and while that is not known
   */
  public record Expected(@Nullable ExpectedRun run, @Nullable ExpectedStart start) {
    /** Nothing is known. */
    public static final Expected NOTHING = new Expected(null, null);
  }

  /** The same with statistics of similar jobs, preemptions on the flavors that it may get. */
  public Forecast with(List<PreemptionCount> counts, Expected learned) {
    List<Flavor> flavors = candidates.stream().map(Candidate::flavor).distinct().toList();
    return new Forecast(
        asOf,
        feasible,
        starting,
        candidates,
        quota,
        preempted,
        explanation,
        risk.with(counts, flavors),
        foreseen,
        learned);
  }

  public Forecast {
    candidates = List.copyOf(candidates);
    quota = List.copyOf(quota);
  }
}
