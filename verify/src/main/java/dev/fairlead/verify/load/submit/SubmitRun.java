package dev.fairlead.verify.load.submit;

import dev.fairlead.verify.Medians;
import java.util.List;
import java.util.Locale;

/**
 * Results for one fleet size.
 *
 * @param nodes nodes of the fleet
 * @param batchRate jobs a second in batches of 500, by two clients
 * @param batchCpuMillis CPU of the service for each of these jobs
 * @param singleRate single submits a second, by 16 clients
 * @param singleP50Millis from request to response
 * @param singleP99Millis from request to response
 * @param singleCpuMillis CPU of the service for each single submit
 * @param pipelineMillis one request that submits a pipeline of 10,000 steps in one transaction
 * @param namedMillis ten requests that submit 10,000 named steps, each after the step of its number
 *     in the request before
 */
record SubmitRun(
    int nodes,
    double batchRate,
    double batchCpuMillis,
    double singleRate,
    double singleP50Millis,
    double singleP99Millis,
    double singleCpuMillis,
    double pipelineMillis,
    double namedMillis) {
  static final String HEADER =
      "   nodes | batch jobs/s  CPU ms/job | single jobs/s   p50 ms   p99 ms  CPU ms/job"
          + " | pipeline ms     named ms";

  String row() {
    return String.format(
        Locale.ROOT,
        "%8d | %12.0f %11.2f | %13.0f %8.1f %8.1f %11.2f | %11.0f %12.0f",
        nodes,
        batchRate,
        batchCpuMillis,
        singleRate,
        singleP50Millis,
        singleP99Millis,
        singleCpuMillis,
        pipelineMillis,
        namedMillis);
  }

  /** Each figure's median over the runs of one size. */
  static SubmitRun median(List<SubmitRun> runs) {
    return new SubmitRun(
        runs.getFirst().nodes(),
        Medians.of(runs, SubmitRun::batchRate),
        Medians.of(runs, SubmitRun::batchCpuMillis),
        Medians.of(runs, SubmitRun::singleRate),
        Medians.of(runs, SubmitRun::singleP50Millis),
        Medians.of(runs, SubmitRun::singleP99Millis),
        Medians.of(runs, SubmitRun::singleCpuMillis),
        Medians.of(runs, SubmitRun::pipelineMillis),
        Medians.of(runs, SubmitRun::namedMillis));
  }
}
