package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.SpellingSuggestion;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.work.spec.LogAnnotations;
import dev.fairlead.work.workload.SimulationAnnotations;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Reads annotations of a closed list. */
final class AnnotationReader extends FieldReader<SortedMap<String, String>> {
  static final int MOST = 32;
  private static final int LONGEST_ANNOTATION = 1024;
  private static final List<String> OUTCOMES =
      List.of("success", "fail", "oom", "hang", "image-error", "reject", "node-reboot");

  /** Simulation annotations and the patterns of their values. */
  private static final Map<String, Pattern> SIMULATION =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("start-after", Pattern.compile("duration")),
              Map.entry("run-for", Pattern.compile("duration")),
              Map.entry("after", Pattern.compile("duration")),
              Map.entry("checkpoint-after", Pattern.compile("duration")),
              Map.entry("stop-after", Pattern.compile("duration")),
              Map.entry("outcome", Pattern.compile(String.join("|", OUTCOMES))),
              Map.entry("exit-code", Pattern.compile("[0-9]{1,3}")),
              Map.entry("stop-exit-code", Pattern.compile("[0-9]{1,3}")),
              Map.entry("members", Pattern.compile("[a-z0-9-]+( ?, ?[a-z0-9-]+)*")),
              Map.entry("attempts", Pattern.compile("[0-9]{1,4}( ?, ?[0-9]{1,4})*")),
              Map.entry("elements", Pattern.compile("[0-9]{1,4}( ?, ?[0-9]{1,4})*")),
              Map.entry(
                  "requests", Pattern.compile("[0-9]{1,6}(, ?[0-9]{1,6} after [0-9]{1,6}[smhd])*")),
              Map.entry("error-percent", Pattern.compile("100|[0-9]{1,2}")),
              Map.entry("latency", Pattern.compile("duration"))));

  @Override
  protected Optional<SortedMap<String, String>> read(Value value) {
    SortedMap<String, String> annotations = new TreeMap<>();
    value
        .entries(MOST)
        .forEach(
            (key, given) -> annotation(key, given).ifPresent(text -> annotations.put(key, text)));
    return Optional.of(annotations);
  }

  private static Optional<String> annotation(String key, Value value) {
    if (key.equals(TraceContext.PARENT)) {
      return value
          .text(LONGEST_ANNOTATION)
          .flatMap(text ->
              TraceContext.parse(text).isPresent()
                  ? Optional.of(text)
                  : value.bad("must be a W3C traceparent, not " + value.shown(), null));
    }
    Pattern log = LogAnnotations.KNOWN.get(key);
    if (log != null) {
      return value.text(LONGEST_ANNOTATION).flatMap(text -> matching(log, text, value));
    }
    if (!key.startsWith(SimulationAnnotations.PREFIX)) {
      value.refuse(
          ProblemCode.RESERVED_NAME,
          "Annotations begin with "
              + SimulationAnnotations.PREFIX
              + " only, or are one of "
              + TraceContext.PARENT
              + ", "
              + String.join(", ", LogAnnotations.KNOWN.keySet()),
          SpellingSuggestion.to(key, LogAnnotations.KNOWN.keySet()).orElse(null));
      return Optional.empty();
    }
    String name = key.substring(SimulationAnnotations.PREFIX.length());
    Pattern form = SIMULATION.get(name);
    if (form == null) {
      String near =
          SpellingSuggestion.to(name, SIMULATION.keySet())
              .map(n -> SimulationAnnotations.PREFIX + n)
              .orElse(null);
      value.refuse(
          ProblemCode.UNKNOWN_FIELD,
          "There is no such annotation. Known: " + String.join(", ", SIMULATION.keySet()),
          near);
      return Optional.empty();
    }
    return value.text(LONGEST_ANNOTATION).flatMap(text -> simulation(form, text, value));
  }

  private static Optional<String> simulation(Pattern form, String text, Value value) {
    if (form.pattern().equals("duration")) {
      return DurationText.parse(text).isPresent()
          ? Optional.of(text)
          : value.bad("must be a duration such as 20s, not " + value.shown(), null);
    }
    return matching(form, text, value);
  }

  private static Optional<String> matching(Pattern form, String text, Value value) {
    return form.matcher(text).matches()
        ? Optional.of(text)
        : value.bad("must match " + form.pattern() + ", not " + value.shown(), null);
  }
}
