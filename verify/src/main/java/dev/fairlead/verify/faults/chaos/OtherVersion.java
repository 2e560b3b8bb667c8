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
  private final Installation installation;
  private final JobClients clients;
  private final ChaosArguments arguments;

  OtherVersion(Installation installation, JobClients clients, ChaosArguments arguments) {
    this.installation = installation;
    this.clients = clients;
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
      for (Replica replica : installation.replicas()) {
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
    clients.allow(arguments.submits() / STEPS);
    clients.submitNext();
    installation.replicas().forEach(Replica::mustRun);
  }
}
