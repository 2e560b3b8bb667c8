package dev.fairlead.bench.replay;

import dev.fairlead.bench.Ending;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * {@code make replay}: submits jobs of a public trace to a running service. Exits with 0 when all
 * were accepted and have ended, 1 when not, 2 for invalid arguments or files.
 */
public final class ReplayMain {
  private static final PrintStream OUT = System.out;

  private ReplayMain() {}

  public static void main(String[] args) {
    Ending.after("replay", () -> run(ReplayArguments.parse(args)) == 0);
  }

  private static int run(ReplayArguments arguments) throws InterruptedException {
    PhillyTrace trace = PhillyTrace.read(traces());
    List<TraceJob> jobs =
        trace.jobs().stream().skip(arguments.from()).limit(arguments.jobs()).toList();
    if (jobs.isEmpty()) {
      throw new BadInput(
          "--from " + arguments.from() + ": the trace has only " + trace.jobs().size() + " jobs");
    }
    try (Target target = Target.find(OUT)) {
      ReplayFleet fleet = ReplayFleet.of(target.api());
      if (fleet.total() == 0) {
        throw new StartFailed(target.api().address() + " has no GPUs: register a cluster first");
      }
      ReplayQueues.create(target.api(), trace, fleet);
      announce(arguments, jobs, fleet);
      return replay(new Replay(target.api(), arguments, OUT), arguments, jobs, fleet);
    }
  }

  private static int replay(
      Replay replay, ReplayArguments arguments, List<TraceJob> jobs, ReplayFleet fleet)
      throws InterruptedException {
    Instant start = Instant.now();
    replay.submit(jobs);
    boolean ended = replay.awaitAll();
    ReplayReport report = ReplayReport.of(replay.submitted(), replay.jobs(), fleet.total());
    report.lines(arguments.speedup(), Duration.between(start, Instant.now())).forEach(OUT::println);
    replay.refused().stream().limit(10).forEach(text -> OUT.println("refused: " + text));
    if (!ended) {
      OUT.println(
          "no job ended for minutes. See GET /api/v1/jobs/{id}/explanation of the remaining jobs");
    }
    return report.allEnded() && replay.refused().isEmpty() ? 0 : 1;
  }

  private static void announce(ReplayArguments arguments, List<TraceJob> jobs, ReplayFleet fleet) {
    Duration span = Duration.between(jobs.getFirst().submitted(), jobs.getLast().submitted());
    OUT.println(
        "%d jobs of %s, submitted from %s on, on %d GPUs, %d h of the trace in %d s"
            .formatted(
                jobs.size(),
                arguments.trace(),
                jobs.getFirst().submitted(),
                fleet.total(),
                span.toHours(),
                span.dividedBy(arguments.speedup()).toSeconds()));
  }

  private static Path traces() {
    String given = System.getenv("FAIRLEAD_TRACES");
    return given != null && !given.isBlank()
        ? Path.of(given.strip())
        : WorkTree.root().resolveSibling("shared").resolve("traces");
  }
}
