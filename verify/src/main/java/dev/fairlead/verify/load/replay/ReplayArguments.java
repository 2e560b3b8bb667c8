package dev.fairlead.verify.load.replay;

import dev.fairlead.verify.Arguments;
import java.time.Duration;
import java.util.List;

/**
 * Arguments of {@code make replay}.
 *
 * @param jobs number, at least 1
 * @param from number of jobs to skip, in order of submission
 * @param speedup seconds of the trace in one second, at least 1
 * @param maxRun longest run after compression
 */
record ReplayArguments(String trace, int jobs, int from, int speedup, Duration maxRun) {
  /** Reads the arguments. */
  static ReplayArguments of(Arguments arguments) {
    return new ReplayArguments(
        arguments.some("trace", List.of("philly")).getFirst(),
        arguments.number("jobs", 500, 1, Integer.MAX_VALUE),
        arguments.number("from", 0, 0, Integer.MAX_VALUE),
        arguments.number("speedup", 3600, 1, Integer.MAX_VALUE),
        arguments.duration("max-run", Duration.ofSeconds(20)));
  }
}
