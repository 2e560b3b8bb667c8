package dev.fairlead.bench.replay;

import dev.fairlead.kernel.resources.DurationText;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Arguments of {@code make replay}.
 *
 * @param jobs number, at least 1
 * @param from number of jobs to skip, in order of submission
 * @param speedup seconds of the trace in one second, at least 1
 * @param maxRun longest run after compression
 */
record ReplayArguments(String trace, int jobs, int from, int speedup, Duration maxRun) {
  static final String USAGE =
      "replay --trace philly --jobs 500 --from 0 --speedup 3600 --max-run 20s";

  /**
   * @throws BadInput naming the argument, its value and the expected one
   */
  static ReplayArguments parse(String... args) {
    Map<String, String> given = new TreeMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!args[i].startsWith("--") || i + 1 == args.length) {
        throw new BadInput(
            "expected a name and a value, found \"" + args[i] + "\"; usage: " + USAGE);
      }
      given.put(args[i].substring(2), args[i + 1]);
    }
    String trace = take(given, "trace", "philly");
    if (!trace.equals("philly")) {
      throw new BadInput("--trace: expected philly, found \"" + trace + "\"");
    }
    ReplayArguments arguments =
        new ReplayArguments(
            trace,
            number("jobs", take(given, "jobs", "500"), 1),
            number("from", take(given, "from", "0"), 0),
            number("speedup", take(given, "speedup", "3600"), 1),
            duration("max-run", take(given, "max-run", "20s")));
    if (!given.isEmpty()) {
      throw new BadInput(
          "unknown argument --" + given.keySet().iterator().next() + "; usage: " + USAGE);
    }
    return arguments;
  }

  private static String take(Map<String, String> given, String name, String otherwise) {
    String value = given.remove(name);
    return value == null || value.isBlank() ? otherwise : value.strip();
  }

  private static int number(String name, String text, int least) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least) {
        return number;
      }
      throw new BadInput("--" + name + ": expected at least " + least + ", found " + text);
    } catch (NumberFormatException e) {
      throw new BadInput("--" + name + ": expected a whole number, found \"" + text + "\"", e);
    }
  }

  private static Duration duration(String name, String text) {
    return DurationText.parse(text)
        .filter(Duration::isPositive)
        .orElseThrow(() ->
            new BadInput(
                "--" + name + ": expected a duration such as 20s, found \"" + text + "\""));
  }
}
