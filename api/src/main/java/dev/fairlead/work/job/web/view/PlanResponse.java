package dev.fairlead.work.job.web.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.explanation.ReasonClass;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.service.JobForecaster;
import dev.fairlead.work.job.web.spec.GpuResponse;
import dev.fairlead.work.job.web.spec.JobSpecResponse;
import dev.fairlead.work.job.web.view.ExplanationResponse.BlockerResponse;
import dev.fairlead.work.job.web.view.ExplanationResponse.NearMissResponse;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Predicted placement of a spec. Nothing is reserved for it.
 *
 * @param feasible whether the job could ever start with the current fleet and quota
 * @param startsNow whether the job, or an element of it, would start immediately
 * @param startingElements number of elements that would start immediately, 1 or 0 for a job without
 *     an array
 * @param gpus GPUs of all members, for an array of as many elements as may run in parallel
 * @param candidates possible places in the order in which they are tried, including tiers that are
 *     not open yet
 * @param quota usage of the queue and the quota tree, including the job
 * @param preempts jobs that would be preempted for it
 * @param preemptionRisk jobs that may preempt it, with the quota use at its start, or on the
 *     cluster that is tried first
 * @param expected prediction learned from similar jobs, in addition to the estimate from maximum
 *     run times
 * @param warnings warnings for the submitter
 * @param explanation reason why the job, or the rest of it, would wait, null if nothing would wait
 * @param spec expanded spec with its defaults
 */
@RecordBuilder
public record PlanResponse(
    Instant computedAt,
    boolean feasible,
    boolean startsNow,
    int startingElements,
    int priority,
    BigDecimal gpus,
    List<Candidate> candidates,
    List<QuotaEffect> quota,
    Preempts preempts,
    PreemptionRisk preemptionRisk,
    Forecast.Expected expected,
    List<String> warnings,
    @Nullable Waits explanation,
    JobSpecResponse spec) {
  private static final int MICRO_DIGITS = 6;
  private static final String NOW = "capacity and quota are available now";

  /**
   * One cluster, pool and flavor.
   *
   * @param pool name of the pool, null for nodes without a pool
   * @param chosen whether the job would start there
   * @param freeGpus free GPUs on nodes that the job may use
   * @param largestGang largest number of free whole GPUs in one domain, by level, widest first
   * @param pricePerGpuHour list price of its cluster, null if none
   * @param cost cost of one element at full size at current prices, null if there are no GPUs
   * @param tier tier of the queue's routing policy, from 1, null if there is no policy
   * @param blockers missing capacity or quota, empty if there is enough in an open tier
   * @param estimate possible start there: now if nothing blocks the job, otherwise only set if no
   *     other cluster could start it earlier, null if unknown
   */
  @RecordBuilder
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
      return PlanResponseCandidateBuilder.builder()
          .cluster(from.cluster())
          .pool(from.pool())
          .chosen(from.chosen())
          .largestGang(from.largestGang())
          .tier(from.tier())
          .rank(rank)
          .flavor(from.flavor().text())
          .freeGpus(GpuResponse.gpus(from.free()))
          .totalGpus(GpuResponse.gpus(from.total()))
          .pricePerGpuHour(
              price == null ? null : BigDecimal.valueOf(price, MICRO_DIGITS).stripTrailingZeros())
          .cost(CostResponse.of(quote))
          .blockers(from.blockers().stream().map(b -> BlockerResponse.of(b, at, at)).toList())
          .estimate(from.blockers().isEmpty() ? new Explanation.Estimate(at, at, NOW) : later)
          .build();
    }
  }

  /**
   * Usage of one flavor and resource at one node of the quota tree, as text: GPUs and cores as
   * decimals, memory as a quantity.
   *
   * @param nominal quota that the node owns, null if unlimited
   * @param after usage including the job
   * @param borrowedAfter usage beyond the nominal quota, including the job
   * @param limit maximum use with borrowing, null if only the available quota limits it
   */
  @RecordBuilder
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
      return PlanResponseQuotaEffectBuilder.builder()
          .node(from.node())
          .flavor(from.flavor().text())
          .resource(resource)
          .nominal(nominal == null ? null : amount(nominal, resource))
          .used(amount(from.used(), resource))
          .after(amount(from.after(), resource))
          .borrowedAfter(amount(from.borrowedAfter(), resource))
          .limit(limit == null ? null : amount(limit, resource))
          .build();
    }

    private static String amount(long base, String resource) {
      return resource.equals(ResourceNames.MEMORY)
          ? Quantity.ofMebibytes(base)
          : Quantity.ofMilli(base);
    }
  }

  /**
   * Number of jobs that would be preempted, and their GPUs. The owners of these GPUs are not shown.
   */
  record Preempts(int jobs, BigDecimal gpus) {}

  /**
   * Reasons for the wait.
   *
   * @param reason first blocker
   * @param nearMisses changes that would let the job start now
   * @param estimate possible start, null if unknown
   */
  record Waits(
      Reason reason,
      @JsonProperty("class") ReasonClass reasonClass,
      String message,
      List<BlockerResponse> blockers,
      List<NearMissResponse> nearMisses,
      List<ClusterVerdict> clusters,
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
          why.clusters(),
          why.estimate());
    }
  }

  public static PlanResponse of(JobForecaster.Planned planned) {
    Forecast forecast = planned.forecast();
    List<Candidate> candidates = new ArrayList<>();
    for (Forecast.Candidate candidate : forecast.candidates()) {
      Quote quote = planned.quotes().get(candidates.size());
      candidates.add(
          Candidate.of(
              candidates.size() + 1, candidate, quote, forecast.asOf(), forecast.later(candidate)));
    }
    return PlanResponseBuilder.builder()
        .computedAt(forecast.asOf())
        .feasible(forecast.feasible())
        .startsNow(forecast.starting() > 0)
        .startingElements(forecast.starting())
        .priority(planned.job().priority())
        .gpus(JobResponses.requested(planned.job()))
        .candidates(candidates)
        .quota(forecast.quota().stream().map(QuotaEffect::of).toList())
        .preempts(
            new Preempts(
                forecast.preempted().jobs(), GpuResponse.gpus(forecast.preempted().gpuMilli())))
        .preemptionRisk(forecast.risk())
        .expected(forecast.expected())
        .warnings(planned.warnings())
        .explanation(Waits.of(forecast.explanation(), forecast.asOf()))
        .spec(JobSpecResponse.of(planned.job().spec()))
        .build();
  }
}
