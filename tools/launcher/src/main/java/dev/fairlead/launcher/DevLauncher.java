package dev.fairlead.launcher;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code make dev}: the service in the foreground on a persistent embedded database in {@code
 * build/dev}, with the three simulated clusters of the demo and no jobs.
 */
public final class DevLauncher {
  /**
   * Short leases, because a single service need not wait half a minute for the leases of its
   * predecessor.
   */
  private static final Map<String, String> SHORT_LEASES =
      Map.of(
          "FAIRLEAD_LEASE_DURATION", "10s",
          "FAIRLEAD_LEASE_RENEW", "3s",
          "FAIRLEAD_LEASE_SELF_STOP", "6s");

  private DevLauncher() {}

  public static void main(String[] args) throws InterruptedException {
    try {
      System.exit(run());
    } catch (StartFailed | ApiRefusal | UncheckedIOException failed) {
      System.err.println("dev: " + failed.getMessage());
      System.exit(1);
    }
  }

  private static int run() throws InterruptedException {
    Path directory = WorkTree.scratch("dev");
    EmbeddedDatabase database = EmbeddedDatabase.keptIn(directory.resolve("postgres"));
    ServiceSettings settings =
        new ServiceSettings(
            WorkTree.serviceClasspath(),
            ServiceSettings.QUICK,
            new TreeMap<>(SHORT_LEASES),
            LoopbackPorts.choose(System.getenv()),
            null);
    try (LocalFairlead fairlead = LocalFairlead.start(database, settings)) {
      DemoFleet.read().register(fairlead.api());
      System.out.println("API       " + fairlead.api().address() + "/swagger-ui.html");
      System.out.println(
          "Health    " + fairlead.service().managementAddress() + "/actuator/health");
      System.out.println("Database  " + database.url() + " user " + database.user());
      fairlead.service().awaitEnd();
      return 0;
    }
  }
}
