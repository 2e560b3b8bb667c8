package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.ExpectedRun;
import dev.fairlead.work.job.estimate.ExpectedStart;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.job.estimate.JobForecasts;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.PreemptionCount;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.job.store.ExplanationStore;
import dev.fairlead.work.placement.Forecaster;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.placement.preemption.PreemptionRisks;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Runs the engine without writes on the whole snapshot with one more job. Each forecast costs as
 * much as a scheduling cycle, so their concurrency is limited.
 */
@Component
public class EngineForecasts implements JobForecasts {
  private static final int AT_ONCE = 4;

  /** A quarter of a scheduler's cycle. */
  private static final long WORK_BUDGET = 5_000_000;

  private final WorldReader worlds;
  private final QuotaStore quotas;
  private final ExplanationStore history;
  private final LearnedRuns runs;
  private final StartEstimates estimates;
  private final MeterRegistry metrics;
  private final OpenHandles room = new OpenHandles(AT_ONCE, "plans computed in this process");

  public EngineForecasts(
      WorldReader worlds,
      QuotaStore quotas,
      ExplanationStore history,
      LearnedRuns runs,
      StartEstimates estimates,
      MeterRegistry metrics) {
    this.worlds = worlds;
    this.quotas = quotas;
    this.history = history;
    this.runs = runs;
    this.estimates = estimates;
    this.metrics = metrics;
  }

  @Override
  public Forecast of(Job job) {
    try (OpenHandles.Handle _ = entered(job)) {
      World world = worlds.readWith(List.of(job));
      return learned(world, job);
    }
  }

  private OpenHandles.Handle entered(Job job) {
    try {
      return room.enter(job.tenant().text(), job.user());
    } catch (Refusal full) {
      metrics.counter(Metric.FORECAST_REFUSED.meter()).increment();
      throw full;
    }
  }

  private Forecast learned(World world, Job job) {
    LearnedRuntimes learned = runs.learned(world.asOf());
    Forecast forecast =
        Forecaster.of(
            new Snapshot(
                world, List.of(), List.of(), WORK_BUDGET, learned, estimates.reportedEnds(world)),
            job);
    Instant foreseen = forecast.foreseen();
    ExpectedStart start =
        foreseen == null ? null : estimates.expected(job, world.asOf(), foreseen, learned.runs());
    ExpectedRun run = learned.expected(RunGroup.of(job), job.spec().maxRuntime(), world.asOf());
    return forecast.with(counted(job), new Forecast.Expected(run, start));
  }

  @Override
  public PreemptionRisk risk(Job job, @Nullable Attempt attempt) {
    QuotaTree tree =
        QuotaTree.at(quotas.nodes(job.tenant()), quotas.uses(job.tenant()), quotas.now());
    SortedMap<QuotaCell, Long> use =
        attempt == null || !attempt.live() ? Collections.emptySortedMap() : attempt.charges();
    List<Flavor> flavors = use.keySet().stream().map(QuotaCell::flavor).distinct().toList();
    return PreemptionRisks.of(tree, job, use).with(counted(job), flavors);
  }

  private List<PreemptionCount> counted(Job job) {
    return history.counted(job.tenant(), job.queue(), job.priority(), PreemptionRisk.DAYS);
  }
}
