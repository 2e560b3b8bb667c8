package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.spec.JobSpec;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Reads the names of the outputs of a job. */
final class OutputReader {
  private static final String OUTPUTS = "outputs";
  private static final int LONGEST = 63;

  private OutputReader() {}

  /** Names without repeats, sorted. */
  static List<String> read(Fields job) {
    SortedSet<String> names = new TreeSet<>();
    for (Value item : job.get(OUTPUTS).map(v -> v.items(Outputs.MOST)).orElse(List.of())) {
      Optional<String> name =
          item.text(LONGEST)
              .flatMap(text ->
                  Outputs.isName(text)
                      ? Optional.of(text)
                      : item.bad("must be " + Outputs.NAMES + ", not " + item.shown(), null));
      if (name.isPresent() && !names.add(name.get())) {
        item.bad("is the name of two outputs", null);
      }
    }
    return List.copyOf(names);
  }

  static void agree(Fields job, JobSpec spec) {
    if (spec.array() != null && !spec.outputs().isEmpty()) {
      job.refuse(
          OUTPUTS,
          ProblemCode.CONFLICTING_FIELDS,
          "An array has no outputs, because each of its elements would report another value.",
          null);
    }
  }
}
