package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.output.Progress;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the body of a progress report. */
final class ProgressReader {
  private ProgressReader() {}

  /** Adds the problems of its fields to their list. */
  static Progress read(Fields fields) {
    Long step = fields.get("step").flatMap(v -> v.whole(0, Progress.MOST_STEPS)).orElse(null);
    Long total = fields.get("total").flatMap(v -> v.whole(0, Progress.MOST_STEPS)).orElse(null);
    SortedMap<String, Double> metrics = new TreeMap<>();
    fields
        .get("metrics")
        .ifPresent(given ->
            given
                .entries(Progress.MOST_METRICS)
                .forEach((name, value) -> read(name, value, metrics)));
    fields.done();
    if (step != null && total != null && total < step) {
      fields.refuse(
          "total",
          ProblemCode.INVALID_FIELD,
          "total must be at least step: %d of %d steps.".formatted(step, total),
          null);
    }
    return new Progress(step, total, metrics);
  }

  private static void read(String name, Value value, SortedMap<String, Double> into) {
    if (!Progress.METRIC.matcher(name).matches()) {
      value.bad(
          "is not a valid metric name: use 1 to 63 letters, digits, _, ., / and -, beginning"
              + " with a letter",
          null);
      return;
    }
    value.number().ifPresent(number -> into.put(name, number));
  }
}
