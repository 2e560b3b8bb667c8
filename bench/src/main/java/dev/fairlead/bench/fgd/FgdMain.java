package dev.fairlead.bench.fgd;

import dev.fairlead.bench.replay.BadInput;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * {@code make fgd}: places the pods of public lists through the engine's ledger, filters and
 * scores, once per policy and seed. Exits with 0. With 1 when all lists were requested and one is
 * below its published figures, or when one of our lists is more than {@value #BEHIND} points behind
 * the published method. With 2 for invalid arguments or files.
 */
public final class FgdMain {
  private static final PrintStream OUT = System.out;

  /** Percent of all GPUs, at 100 % requested. */
  private static final double BEHIND = 0.3;

  private FgdMain() {}

  public static void main(String[] args) {
    try {
      System.exit(run(FgdArguments.parse(traces(), args)));
    } catch (BadInput | UncheckedIOException bad) {
      System.err.println("fgd: " + bad.getMessage());
      System.exit(2);
    }
  }

  private static int run(FgdArguments arguments) {
    return arguments.own() ? own(arguments) : listed(arguments);
  }

  private static int listed(FgdArguments arguments) {
    NodeList nodes = NodeList.read(arguments.nodes());
    List<Mean> means = new ArrayList<>();
    for (Path pods : arguments.pods()) {
      PodList list = PodList.read(pods);
      for (Policy policy : Policy.values()) {
        Mean mean = mean(nodes, list, policy, arguments.seeds());
        means.add(mean);
        OUT.println(FgdReport.line(mean));
      }
    }
    if (!arguments.compare()) {
      return 0;
    }
    FgdReport.comparison(means).forEach(OUT::println);
    return means.stream().anyMatch(FgdReport::below) ? 1 : 0;
  }

  private static int own(FgdArguments arguments) {
    boolean behind = false;
    OUT.println(FgdReport.OWN_HEADING);
    for (OwnLists.Own list : new OwnLists(arguments.traces(), arguments.nodes()).all()) {
      List<Mean> means =
          Stream.of(Policy.DEFAULT, Policy.AS_PUBLISHED, Policy.BEST_FIT)
              .map(policy -> mean(list.nodes(), list.pods(), policy, arguments.seeds()))
              .toList();
      OUT.println(FgdReport.own(means));
      behind |= means.get(0).allocatedAt100() < means.get(1).allocatedAt100() - BEHIND;
    }
    return behind ? 1 : 0;
  }

  private static Mean mean(NodeList nodes, PodList list, Policy policy, int seeds) {
    Run run = new Run(nodes, list);
    return new Mean(
        list.name(),
        policy,
        IntStream.range(0, seeds).mapToObj(seed -> run.of(policy, seed)).toList());
  }

  private static Path traces() {
    String given = System.getenv("FAIRLEAD_TRACES");
    return given != null && !given.isBlank()
        ? Path.of(given.strip())
        : WorkTree.root().resolveSibling("shared").resolve("traces");
  }
}
