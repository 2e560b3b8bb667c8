package dev.fairlead.verify.load.submit;

import dev.fairlead.verify.Arguments;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code make bench-submit NODES=28,1000,10000}: single and batch submits and pipelines through
 * REST, with fleets of these sizes in turn, {@value #ROUNDS} times. Each size has a separate
 * service and database. Prints every run, the median of each size and the cost of a job with the
 * largest fleet compared with the smallest. Each size also as a line of JSON. Exits with 0 when the
 * floors hold, 1 when not.
 */
public final class SubmitBench {
  private static final int ROUNDS = 3;
  private static final int MOST_NODES = 10_000;

  /** Generous: the goal is 1.1, and machines are noisy. */
  private static final double MOST_RATIO = 1.5;

  private static final double MOST_PIPELINE_SECONDS = 2;

  private final Report report;

  private SubmitBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-submit", "single and batch submits")
        .option("nodes", "fleet sizes, by default 28,1000,10000")
        .measure(args, (arguments, report) -> new SubmitBench(report).measure(sizes(arguments)));
  }

  /**
   * @throws IllegalArgumentException unless the sizes are 1 to 10,000 nodes, ascending
   */
  static List<Integer> sizes(Arguments arguments) {
    String nodes = arguments.text("nodes");
    try {
      List<Integer> sizes =
          Stream.of((nodes.isEmpty() ? "28,1000,10000" : nodes).split(","))
              .map(String::strip)
              .map(Integer::valueOf)
              .toList();
      boolean ascending = sizes.equals(sizes.stream().sorted().distinct().toList());
      if (ascending && sizes.getFirst() >= 1 && sizes.getLast() <= MOST_NODES) {
        return sizes;
      }
    } catch (NumberFormatException notNumbers) { // reported below
    }
    throw arguments.wrong("nodes", "ascending fleet sizes of 1 to 10000, such as 28,1000");
  }

  private void measure(List<Integer> sizes) throws IOException, InterruptedException {
    report.line(SubmitRun.HEADER);
    List<List<SubmitRun>> runs = new ArrayList<>();
    sizes.forEach(size -> runs.add(new ArrayList<>()));
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < sizes.size(); i++) {
        SubmitRun run = SubmitLoad.on(sizes.get(i));
        runs.get(i).add(run);
        report.line(run.row());
      }
    }
    List<SubmitRun> medians = runs.stream().map(SubmitRun::median).toList();
    report.line("medians of " + ROUNDS);
    medians.forEach(median -> report.line(median.row()));
    medians.forEach(median -> report.json("submit", median));
    report.figure(
        Figure.atMost(
            "a pipeline of " + SubmitLoad.STEPS + " steps in one request",
            medians.getLast().pipelineMillis() / 1000,
            "s",
            MOST_PIPELINE_SECONDS));
    if (medians.size() < 2) {
      return;
    }
    SubmitRun small = medians.getFirst();
    SubmitRun large = medians.getLast();
    Figure batch =
        Figure.atMost(
            "CPU of a job in a batch, largest fleet to smallest",
            large.batchCpuMillis() / small.batchCpuMillis(),
            "x",
            MOST_RATIO);
    Figure single =
        Figure.atMost(
            "CPU of a single submit, largest fleet to smallest",
            large.singleCpuMillis() / small.singleCpuMillis(),
            "x",
            MOST_RATIO);
    report.figure(batch);
    report.figure(single);
  }
}
