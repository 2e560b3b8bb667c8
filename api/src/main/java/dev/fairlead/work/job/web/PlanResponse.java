package dev.fairlead.work.job.web;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.ExpectedRun;
import dev.fairlead.work.job.ExpectedStart;
import dev.fairlead.work.job.Forecast;
import dev.fairlead.work.job.RunGroup;
import dev.fairlead.work.job.service.JobForecaster;
import dev.fairlead.work.job.web.ExplanationResponse.BlockerResponse;
import dev.fairlead.work.job.web.ExplanationResponse.ClusterFinding;
import dev.fairlead.work.job.web.ExplanationResponse.NearMissResponse;
import dev.fairlead.work.job.web.spec.JobSpecResponse;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a spec would get now; nothing is held for it.
 *
 * @param feasible whether it could start one day as fleet and quota stand
 * @param startsNow whether it, or an element of it, would start at once
 * @param startingElements elements that would start at once; 1 or 0 for a job that is not an array
 * @param gpus what all its members ask for, of an array as many elements as may run at once
 * @param candidates where it may run, in the order in which that is tried, also in tiers that are
 *     not open yet
 * @param quota what queue and tree would have used with it
 * @param preempts what would be told to give way to it
 * @param preemptionRisk what may preempt it, with what it would use where it starts, or else where
 *     that is tried first
 * @param expected what is learned from jobs like it, beside what follows from the longest runtimes
 * @param warnings things its submitter should know
 * @param explanation why it, or the rest of it, would wait; null when nothing would
 * @param spec expanded, defaults filled in
 */
record PlanResponse(
    Instant computedAt,
    boolean feasible,
    boolean startsNow,
    int startingElements,
    int priority,
    BigDecimal gpus,
    List<Candidate> candidates,
    List<QuotaEffect> quota,
    Preempts preempts,
    PreemptionRiskResponse preemptionRisk,
    Expected expected,
    List<String> warnings,
    @Nullable Waits explanation,
    JobSpecResponse spec) {
  private static final int MICRO_DIGITS = 6;
  private static final String NOW = "room and quota are there now";

  /**
   * One cluster, pool and flavor.
   *
   * @param pool null for nodes of no pool
   * @param chosen whether it would start there
   * @param freeGpus free on nodes that it may use
   * @param largestGang most whole GPUs free inside one domain, by level, widest first
   * @param pricePerGpuHour list price of its cluster, null when none is set
   * @param cost of one element at its full size, by the prices of now; null without GPUs
   * @param tier of the queue's routing policy, from 1; null without a policy
   * @param blockers what it lacks there, empty when it has room and quota in an open tier
   * @param estimate when it may start there: now where nothing is in the way, else only where no
   *     other cluster could take it before; null when nobody can tell
   */
  record Candidate(
      int rank,
      String cluster,
      @Nullable String pool,
      String flavor,
      boolean chosen,
      BigDecimal freeGpus,
      BigDecimal totalGpus,
      List<Forecast.LargestGang> largestGang,
      @Nullable BigDecimal pricePerGpuHour,
      @Nullable CostResponse cost,
      @Nullable Integer tier,
      List<BlockerResponse> blockers,
      Explanation.@Nullable Estimate estimate) {
    static Candidate of(
        int rank,
        Forecast.Candidate from,
        Quote quote,
        Instant at,
        Explanation.@Nullable Estimate later) {
      Long price = from.pricePerGpuHour();
      return new Candidate(
          rank,
          from.cluster(),
          from.pool(),
          from.flavor().text(),
          from.chosen(),
          GpuResponse.gpus(from.free()),
          GpuResponse.gpus(from.total()),
          from.largestGang(),
          price == null ? null : BigDecimal.valueOf(price, MICRO_DIGITS).stripTrailingZeros(),
          CostResponse.of(quote),
          from.tier(),
          from.blockers().stream().map(b -> BlockerResponse.of(b, at, at)).toList(),
          from.blockers().isEmpty() ? new Explanation.Estimate(at, at, NOW) : later);
    }
  }

  /**
   * Use of one flavor and resource at one node of the quota tree: GPUs and cores as decimals,
   * memory as a quantity, all as text.
   *
   * @param nominal what the node owns, null = unlimited
   * @param after used with the job
   * @param borrowedAfter beyond what it owns, with the job
   * @param limit most that it may use with borrowing, null = whatever is there
   */
  record QuotaEffect(
      String node,
      String flavor,
      String resource,
      @Nullable String nominal,
      String used,
      String after,
      String borrowedAfter,
      @Nullable String limit) {
    static QuotaEffect of(Forecast.QuotaEffect from) {
      String resource = from.resource();
      Long nominal = from.nominal();
      Long limit = from.limit();
      return new QuotaEffect(
          from.node(),
          from.flavor().text(),
          resource,
          nominal == null ? null : amount(nominal, resource),
          amount(from.used(), resource),
          amount(from.after(), resource),
          amount(from.borrowedAfter(), resource),
          limit == null ? null : amount(limit, resource));
    }

    private static String amount(long base, String resource) {
      return resource.equals(ResourceNames.MEMORY)
          ? Quantity.ofMebibytes(base)
          : Quantity.ofMilli(base);
    }
  }

  /**
   * What is learned from jobs like it.
   *
   * @param run how long it is likely to run, or an element of it; null while no run is known
   * @param start when it is likely to start; null when it starts now, while too little is known,
   *     and where another process schedules
   */
  record Expected(@Nullable Run run, @Nullable ExpectedStart start) {
    /**
     * How long a run is likely to take, no longer than its {@code maxRuntime}.
     *
     * @param p50 half of such runs are over after so long
     * @param p90 nine tenths of them are
     * @param runs from which that is learned
     * @param level the narrowest group of which enough runs are known
     */
    record Run(String p50, String p90, int runs, RunGroup.Level level) {}

    static Expected of(Forecast.Expected from) {
      ExpectedRun run = from.run();
      return new Expected(
          run == null
              ? null
              : new Run(
                  DurationText.of(whole(run.p50())),
                  DurationText.of(whole(run.p90())),
                  run.runs(),
                  run.level()),
          from.start());
    }

    /** What is learned is no more exact than seconds. */
    private static Duration whole(Duration run) {
      return run.truncatedTo(ChronoUnit.SECONDS);
    }
  }

  /** How many jobs would give way, and the GPUs that they hold; whose they are is not told. */
  record Preempts(int jobs, BigDecimal gpus) {}

  /**
   * Why it would wait.
   *
   * @param reason first of the blockers
   * @param nearMisses changes that would let it start now
   * @param estimate when it may start, null when nobody can tell
   */
  record Waits(
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      String message,
      List<BlockerResponse> blockers,
      List<NearMissResponse> nearMisses,
      List<ClusterFinding> clusters,
      Explanation.@Nullable Estimate estimate) {
    static @Nullable Waits of(@Nullable Explanation why, Instant at) {
      if (why == null) {
        return null;
      }
      Blocker first = why.first();
      return new Waits(
          first.reason(),
          first.reason().reasonClass(),
          first.message(),
          why.blockers().stream().map(b -> BlockerResponse.of(b, at, at)).toList(),
          why.nearMisses().stream().map(NearMissResponse::of).toList(),
          why.clusters().stream().map(ClusterFinding::of).toList(),
          why.estimate());
    }
  }

  static PlanResponse of(JobForecaster.Planned planned) {
    Forecast forecast = planned.forecast();
    List<Candidate> candidates = new ArrayList<>();
    for (Forecast.Candidate candidate : forecast.candidates()) {
      Quote quote = planned.quotes().get(candidates.size());
      candidates.add(
          Candidate.of(
              candidates.size() + 1, candidate, quote, forecast.asOf(), forecast.later(candidate)));
    }
    return new PlanResponse(
        forecast.asOf(),
        forecast.feasible(),
        forecast.starting() > 0,
        forecast.starting(),
        planned.job().priority(),
        JobResponses.requested(planned.job()),
        candidates,
        forecast.quota().stream().map(QuotaEffect::of).toList(),
        new Preempts(
            forecast.preempted().jobs(), GpuResponse.gpus(forecast.preempted().gpuMilli())),
        PreemptionRiskResponse.of(forecast.risk()),
        Expected.of(forecast.expected()),
        planned.warnings(),
        Waits.of(forecast.explanation(), forecast.asOf()),
        JobSpecResponse.of(planned.job().spec()));
  }
}
