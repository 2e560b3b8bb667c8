package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Rolling upgrade of the replicas from an older version, and the downgrade, while clients submit:
 * each version serves alone and together with the other, on one schema.
 */
final class OtherVersion {
  private static final int STEPS = 5;
  private final Arena arena;
  private final Customers customers;
  private final ChaosArguments arguments;

  OtherVersion(Arena arena, Customers customers, ChaosArguments arguments) {
    this.arena = arena;
    this.customers = customers;
    this.arguments = arguments;
  }

  /**
   * Class path of another built tree.
   *
   * @throws StartFailed when it was not built
   */
  static String classpath(String tree) {
    Path target = Path.of(tree, "api", "target");
    try {
      return target.resolve("classes")
          + ":"
          + Files.readString(target.resolve("classpath.txt")).strip();
    } catch (IOException missing) {
      throw new StartFailed("no version was built in " + tree + ": " + missing, missing);
    }
  }

  void thereAndBack(Consumer<String> say) throws InterruptedException {
    load();
    for (String version : List.of(WorkTree.serviceClasspath(), classpath(arguments.older()))) {
      for (Replica replica : arena.replicas()) {
        replica.become(version);
        load();
        say.accept(
            "replica %s runs the %s version"
                .formatted(
                    replica.name(),
                    version.equals(WorkTree.serviceClasspath()) ? "newer" : "older"));
      }
    }
  }

  /** Sends requests while the next process ends. */
  private void load() throws InterruptedException {
    customers.allow(arguments.submits() / STEPS);
    customers.submitNext();
    arena.replicas().forEach(Replica::mustRun);
  }
}
