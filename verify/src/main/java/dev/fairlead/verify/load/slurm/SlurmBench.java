package dev.fairlead.verify.load.slurm;

import dev.fairlead.verify.Clients;
import dev.fairlead.verify.Packages;
import dev.fairlead.verify.Percentiles;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code make bench-slurm}: jobs that do nothing in Debian's Slurm with accounting, and in
 * Fairlead, one after the other, each on {@value Peer#NODES} nodes with {@value Peer#PLACES}
 * places. Each system runs {@code JOBS=} jobs as single submits by eight clients and the same
 * number as one array, after a tenth of them for warm-up, and then answers questions while {@value
 * #WAITING} jobs wait. {@code QUICK=1}: a tenth of the jobs. Exits with 3 if Slurm's packages are
 * unavailable, and with 1 when a job is lost or fails.
 */
public final class SlurmBench {
  private static final int JOBS = 5_000;
  private static final int MOST_JOBS = 10_000;
  private static final int WAITING = 50_000;
  private static final int TIMES = 20;
  private static final int TENTH = 10;

  /** Limits of the comparison. */
  private static final String DIFFERENCES =
      """
      Slurm starts a process on its node for each job, with its step daemon. That is the CPU of "nodes and jobs".
      Fairlead's simulated cluster starts none, and no cheap form of Fairlead with a process was measured.
      Fairlead decides by quota and places GPUs, and stores events and an audit record of each job.
      Clients are not included: sbatch is a process for each submit, Fairlead's clients hold their connections.\
      """;

  /** Starts a system. */
  private interface Start {
    Peer start() throws InterruptedException;
  }

  private final Report report;

  private SlurmBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-slurm", "jobs that do nothing in Slurm and in Fairlead")
        .option("jobs", "jobs, a multiple of 1000, by default 5000")
        .option("quick", "1: a tenth of the jobs")
        .measure(
            args,
            (arguments, report) -> {
              int part = arguments.has("quick") ? TENTH : 1;
              int jobs = arguments.multiple("jobs", JOBS, 1_000, MOST_JOBS) / part;
              Path packages = Packages.of(SlurmPeer.SCRIPT, "packages");
              SlurmBench bench = new SlurmBench(report);
              List<String> answers = new ArrayList<>();
              report.line(PeerRun.HEADER);
              answers.addAll(bench.measure("Slurm", () -> new SlurmPeer(packages), jobs, part));
              answers.addAll(bench.measure("Fairlead", FairleadPeer::new, jobs, part));
              report.format("%nanswers while %d jobs wait | p50 ms  max ms", WAITING / part);
              report.lines(answers);
              report.line(DIFFERENCES);
            });
  }

  /** Returns a line for each question. */
  private List<String> measure(String system, Start start, int jobs, int part)
      throws InterruptedException {
    try (Peer peer = start.start()) {
      if (!peer.missing().isEmpty()) {
        report.line("not run: " + system + "'s " + peer.missing());
      }
      PeerRun _ = singles(system, peer, jobs / TENTH);
      report.line(singles(system, peer, jobs).row());
      report.line(array(system, peer, jobs).row());
      peer.fill(WAITING / part);
      List<String> answers = new ArrayList<>();
      for (Map.Entry<String, Runnable> question : peer.questions().entrySet()) {
        answers.add(answer(system, question.getKey(), question.getValue()));
      }
      return answers;
    }
  }

  private static PeerRun singles(String system, Peer peer, int jobs) throws InterruptedException {
    return PeerRun.measure(
        system,
        peer,
        jobs + " single submits",
        jobs,
        () -> Clients.each(SlurmPeer.CLIENTS, jobs, peer::submit));
  }

  private static PeerRun array(String system, Peer peer, int jobs) throws InterruptedException {
    return PeerRun.measure(system, peer, "array of " + jobs, jobs, () -> peer.array(jobs));
  }

  private static String answer(String system, String question, Runnable asks)
      throws InterruptedException {
    asks.run();
    Percentiles took = new Percentiles(Clients.each(1, TIMES, asks));
    return String.format(
        Locale.ROOT,
        "%-10s %-30s | %6.1f %7.1f",
        system,
        question,
        millis(took.at(50)),
        millis(took.at(100)));
  }

  private static double millis(Duration time) {
    return time.toNanos() / 1e6;
  }
}
