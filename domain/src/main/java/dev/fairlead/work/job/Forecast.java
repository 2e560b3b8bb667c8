package dev.fairlead.work.job;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a job would get if it were submitted now. Nothing is held for it.
 *
 * @param feasible whether it could start one day as fleet and quota stand
 * @param starting elements that would start at once; 1 for a job that is no array
 * @param candidates every route that it may take, in the order in which they are tried, also in
 *     tiers that are not open yet
 * @param quota what its queue and the nodes above it would have used with what starts, or with one
 *     element when nothing does
 * @param preempted what would be told to give way to it
 * @param explanation why it, or the rest of its elements, would wait; null when nothing would
 * @param risk which jobs may preempt it, with what it would use where it starts, or else where it
 *     is tried first
 * @param foreseen when it starts by learned run times; null when it starts now and where that is
 *     not known
 * @param expected what is learned from jobs like it
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
   * A cluster, or one pool of it, and the GPU model that its most demanding role would get there,
   * as things stand before other waiting jobs.
   *
   * @param pool null for nodes of no pool
   * @param chosen whether the job, or an element of it, would start there
   * @param free milli-GPUs of the model that nodes it may use have free
   * @param total milli-GPUs of the model on these nodes
   * @param largestGang most whole GPUs free inside one domain, by level, widest first
   * @param pricePerGpuHour in millionths, null when nobody set one
   * @param demand what one element, at its full size, would hold there
   * @param tier of the queue's routing policy, from 1; null without a policy
   * @param tooDear whether its price of now is above the caps of the tiers or of the job
   * @param blockers what it lacks there, empty when it has room and quota in an open tier and
   *     window
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
   * When the job may start there, where something is in the way: known only where no other
   * candidate at a price that it pays could take it before.
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
   * @param nominal what the node owns, null = unlimited
   * @param after used with the job
   * @param borrowedAfter beyond what it owns, with the job
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
   * What is learned from jobs like it.
   *
   * @param run how long it is likely to run; null while no run is known
   * @param start when it is likely to start; null when it starts now, and while that is not known
   */
  public record Expected(@Nullable ExpectedRun run, @Nullable ExpectedStart start) {
    /** Nothing is known. */
    public static final Expected NOTHING = new Expected(null, null);
  }

  /** The same with what is known of jobs like it, preemptions on the flavors that it may get. */
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
