package dev.fairlead.verify.load.replay;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.SharedFolder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * {@code make replay}: submits jobs of a public trace to a running service. Exits with 0 when all
 * were accepted and have ended, 1 when not, 2 for invalid arguments or files.
 */
public final class ReplayMain {
  private final Report report;

  private ReplayMain(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("replay", "submits jobs of a public trace to a running service")
        .option("trace", "philly")
        .option("jobs", "submitted jobs, by default 500")
        .option("from", "skipped jobs")
        .option("speedup", "seconds of the trace in one second, by default 3600")
        .option("max-run", "longest run after compression, by default 20s")
        .run(
            args, (arguments, report) -> new ReplayMain(report).run(ReplayArguments.of(arguments)));
  }

  private void run(ReplayArguments arguments) throws InterruptedException {
    PhillyTrace trace = PhillyTrace.read(SharedFolder.traces());
    List<TraceJob> jobs =
        trace.jobs().stream().skip(arguments.from()).limit(arguments.jobs()).toList();
    if (jobs.isEmpty()) {
      throw new BadInput(
          "--from " + arguments.from() + ": the trace has only " + trace.jobs().size() + " jobs");
    }
    try (Target target = Target.find(report)) {
      ReplayFleet fleet = ReplayFleet.of(target.api());
      if (fleet.total() == 0) {
        throw new StartFailed(target.api().address() + " has no GPUs: register a cluster first");
      }
      ReplayQueues.create(target.api(), trace, fleet);
      announce(arguments, jobs, fleet);
      replay(new Replay(target.api(), arguments, report), arguments, jobs, fleet);
    }
  }

  private void replay(
      Replay replay, ReplayArguments arguments, List<TraceJob> jobs, ReplayFleet fleet)
      throws InterruptedException {
    Instant start = Instant.now();
    replay.submit(jobs);
    boolean ended = replay.awaitAll();
    ReplayReport result = ReplayReport.of(replay.submitted(), replay.jobs(), fleet.total());
    report.lines(result.lines(arguments.speedup(), Duration.between(start, Instant.now())));
    replay.refused().stream().limit(10).forEach(text -> report.line("refused: " + text));
    if (!ended) {
      report.line(
          "no job ended for minutes. See GET /api/v1/jobs/{id}/explanation of the remaining jobs");
    }
    report.require(result.allEnded() && replay.refused().isEmpty());
  }

  private void announce(ReplayArguments arguments, List<TraceJob> jobs, ReplayFleet fleet) {
    Duration span = Duration.between(jobs.getFirst().submitted(), jobs.getLast().submitted());
    report.line(
        "%d jobs of %s, submitted from %s on, on %d GPUs, %d h of the trace in %d s"
            .formatted(
                jobs.size(),
                arguments.trace(),
                jobs.getFirst().submitted(),
                fleet.total(),
                span.toHours(),
                span.dividedBy(arguments.speedup()).toSeconds()));
  }
}
