package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.output.OutputReference;
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

  /**
   * Returns a value of an environment variable or a word of a command. Whether a reference to an
   * output is the whole value.
   */
  static Optional<String> whole(Value value, String text) {
    return !OutputReference.begins(text) || OutputReference.of(text).isPresent()
        ? Optional.of(text)
        : value.bad(
            "must be exactly one reference %s, with the name or id of a job in dependsOn"
                .formatted(OutputReference.FORM),
            null);
  }

  /** Returns a text for a shell, in which a reference would be read as shell code. */
  static Optional<String> shell(Value value, String text) {
    return !OutputReference.begins(text)
        ? Optional.of(text)
        : value.bad(
            ("is interpreted by a shell, so it cannot reference outputs. Put %s into env and read"
                        + " the")
                    .formatted(OutputReference.FORM)
                + " variable here",
            null);
  }

  static void agree(Fields job, JobSpec spec) {
    if (spec.dependsOn().isEmpty() && LifecycleReader.named(job).isEmpty()) {
      OutputReference.uses(spec).stream()
          .findFirst()
          .ifPresent(use ->
              job.refuse(
                  "dependsOn",
                  ProblemCode.INVALID_FIELD,
                  "dependsOn is missing: %s is an output of job %s, which must end first."
                      .formatted(use.reference().text(), use.reference().job()),
                  "[%s]".formatted(use.reference().job())));
    }
    if (spec.array() != null && !spec.outputs().isEmpty()) {
      job.refuse(
          OUTPUTS,
          ProblemCode.CONFLICTING_FIELDS,
          "An array has no outputs, because each of its elements would report a different value.",
          null);
    }
  }
}
