package dev.fairlead.bench.submit;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What one fleet size showed.
 *
 * @param nodes of the fleet
 * @param batchRate jobs a second in batches of 500, by two clients
 * @param batchCpuMillis CPU of the service for each of these jobs
 * @param singleRate single submits a second, by 16 clients
 * @param singleP50Millis from request to answer
 * @param singleP99Millis from request to answer
 * @param singleCpuMillis CPU of the service for each of them
 */
record SubmitRun(
    int nodes,
    double batchRate,
    double batchCpuMillis,
    double singleRate,
    double singleP50Millis,
    double singleP99Millis,
    double singleCpuMillis) {
  static final String HEADER =
      "   nodes | batch jobs/s  CPU ms/job | single jobs/s   p50 ms   p99 ms  CPU ms/job";

  String row() {
    return String.format(
        Locale.ROOT,
        "%8d | %12.0f %11.2f | %13.0f %8.1f %8.1f %11.2f",
        nodes,
        batchRate,
        batchCpuMillis,
        singleRate,
        singleP50Millis,
        singleP99Millis,
        singleCpuMillis);
  }

  String json() {
    return String.format(
        Locale.ROOT,
        "{\"bench\":\"submit\",\"nodes\":%d,\"batchJobsPerSecond\":%.1f,\"batchCpuMillis\":%.3f,"
            + "\"singleJobsPerSecond\":%.1f,\"singleP50Millis\":%.2f,\"singleP99Millis\":%.2f,"
            + "\"singleCpuMillis\":%.3f}",
        nodes,
        batchRate,
        batchCpuMillis,
        singleRate,
        singleP50Millis,
        singleP99Millis,
        singleCpuMillis);
  }

  /** Each figure's median over the runs of one size. */
  static SubmitRun median(List<SubmitRun> runs) {
    return new SubmitRun(
        runs.getFirst().nodes(),
        median(runs, SubmitRun::batchRate),
        median(runs, SubmitRun::batchCpuMillis),
        median(runs, SubmitRun::singleRate),
        median(runs, SubmitRun::singleP50Millis),
        median(runs, SubmitRun::singleP99Millis),
        median(runs, SubmitRun::singleCpuMillis));
  }

  private static double median(List<SubmitRun> runs, ToDoubleFunction<SubmitRun> figure) {
    List<Double> sorted =
        runs.stream().map(figure::applyAsDouble).sorted(Comparator.naturalOrder()).toList();
    return sorted.get(sorted.size() / 2);
  }
}
