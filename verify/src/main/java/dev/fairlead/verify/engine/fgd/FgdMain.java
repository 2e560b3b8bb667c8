package dev.fairlead.verify.engine.fgd;

import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.SharedFolder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * {@code make fgd}: places the pods of public lists through the engine's ledger, filters and
 * scores, once per policy and seed. Exits with 0. Exits with 1 when all lists were requested and
 * one is below its published figures, or when one of our lists is more than {@value #BEHIND} points
 * behind the published method. With 2 for invalid arguments or files.
 */
public final class FgdMain {
  /** Percent of all GPUs, at 100 % requested. */
  private static final double BEHIND = 0.3;

  private final Report report;

  private FgdMain(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("fgd", "places the pods of public lists, for each policy and seed")
        .option("nodes", "nodes, by default the list of the public trace")
        .option(
            "pods", "list of pods, by default all public lists, compared with published figures")
        .option("seeds", "number of seeds, by default 10")
        .option("own", "1: derived lists without published figures")
        .run(
            args,
            (arguments, report) ->
                new FgdMain(report).run(FgdArguments.of(SharedFolder.traces(), arguments)));
  }

  private void run(FgdArguments arguments) {
    if (arguments.own()) {
      own(arguments);
    } else {
      listed(arguments);
    }
  }

  private void listed(FgdArguments arguments) {
    NodeList nodes = NodeList.read(arguments.nodes());
    List<Mean> means = new ArrayList<>();
    for (Path pods : arguments.pods()) {
      PodList list = PodList.read(pods);
      for (Policy policy : Policy.values()) {
        Mean mean = mean(nodes, list, policy, arguments.seeds());
        means.add(mean);
        report.line(FgdReport.line(mean));
      }
    }
    if (!arguments.compare()) {
      return;
    }
    FgdReport.comparison(means).forEach(report::line);
    report.require(means.stream().noneMatch(FgdReport::below));
  }

  private void own(FgdArguments arguments) {
    boolean behind = false;
    report.line(FgdReport.OWN_HEADING);
    for (DerivedLists.Own list : new DerivedLists(arguments.traces(), arguments.nodes()).all()) {
      List<Mean> means =
          Stream.of(Policy.DEFAULT, Policy.AS_PUBLISHED, Policy.BEST_FIT)
              .map(policy -> mean(list.nodes(), list.pods(), policy, arguments.seeds()))
              .toList();
      report.line(FgdReport.own(means));
      behind |= means.get(0).allocatedAt100() < means.get(1).allocatedAt100() - BEHIND;
    }
    report.require(!behind);
  }

  private static Mean mean(NodeList nodes, PodList list, Policy policy, int seeds) {
    Run run = new Run(nodes, list);
    return new Mean(
        list.name(),
        policy,
        IntStream.range(0, seeds).mapToObj(seed -> run.of(policy, seed)).toList());
  }
}
