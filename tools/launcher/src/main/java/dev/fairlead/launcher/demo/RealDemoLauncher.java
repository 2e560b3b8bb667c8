package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code make demo-real}: a control plane and two nodes with real containers, and a PyTorch job of
 * four processes that loses one during the run and resumes. Serves until Ctrl-C. With {@code
 * --once} exits with 0 on success, else with 1. Needs root.
 */
public final class RealDemoLauncher {
  private static final PrintStream OUT = System.out;

  private RealDemoLauncher() {}

  public static void main(String[] args) throws InterruptedException {
    try {
      System.exit(run(List.of(args).contains("--once")));
    } catch (StartFailed | ApiRefusal | UncheckedIOException failed) {
      System.err.println("demo-real: " + failed.getMessage());
      System.exit(1);
    }
  }

  private static int run(boolean once) throws InterruptedException {
    RealFleet.prepare();
    OUT.println("Starting Kubernetes, two real nodes, PostgreSQL and the service");
    try (RealFleet fleet = RealFleet.start();
        LocalFairlead fairlead = LocalFairlead.demo("demo-real", ServiceSettings.QUICK)) {
      fleet.register(fairlead.api());
      OUT.println("Service at " + fairlead.api().address() + ", nodes " + RealFleet.NODES);
      Path volume = WorkTree.scratch("demo-real").resolve("volume");
      TrainingRun run = new TrainingRun(fairlead.api(), fleet, OUT);
      List<String> differences = run.play(WorkTree.root().resolve("examples/real"), volume);
      differences.forEach(OUT::println);
      OUT.println(differences.isEmpty() ? "All jobs ended as expected." : "Not as expected.");
      if (once) {
        return differences.isEmpty() ? 0 : 1;
      }
      OUT.println("\nServing until Ctrl-C.");
      fairlead.service().awaitEnd();
      return 0;
    }
  }
}
