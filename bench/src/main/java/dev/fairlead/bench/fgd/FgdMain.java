package dev.fairlead.bench.fgd;

import dev.fairlead.bench.replay.BadInput;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code make fgd}: places the pods of public lists through the engine's ledger, filters and
 * scores, once per policy and seed. Ends with 0; 1 when all lists were asked for and one is below
 * its published figures; 2 for arguments or files that cannot be used.
 */
public final class FgdMain {
  private static final PrintStream OUT = System.out;

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
    NodeList nodes = NodeList.read(arguments.nodes());
    List<Mean> means = new ArrayList<>();
    for (Path pods : arguments.pods()) {
      PodList list = PodList.read(pods);
      for (Policy policy : Policy.values()) {
        List<Run.Figures> seeds = new ArrayList<>();
        for (int seed = 0; seed < arguments.seeds(); seed++) {
          seeds.add(new Run(nodes, list).of(policy, seed));
        }
        Mean mean = new Mean(list.name(), policy, seeds);
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

  private static Path traces() {
    String given = System.getenv("FAIRLEAD_TRACES");
    return given != null && !given.isBlank()
        ? Path.of(given.strip())
        : WorkTree.root().resolveSibling("shared").resolve("traces");
  }
}
