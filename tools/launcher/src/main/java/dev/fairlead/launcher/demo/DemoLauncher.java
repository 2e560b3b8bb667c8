package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.DemoFleet;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.ServiceSettings;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * {@code make demo}: database, service, three simulated clusters and the jobs of {@code examples/}.
 * {@code make demo-k8s} ({@code --kubernetes}): the same on two real control planes with simulated
 * nodes. {@code make demo AUTH=1} ({@code --auth}): two tenants behind sign-in. Serves until
 * Ctrl-C. With {@code --once} exits with 0 when every job ended as its example expects, else with
 * 1.
 */
public final class DemoLauncher {
  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final Duration EXPLANATION_SHOWN = Duration.ofSeconds(4);
  private static final PrintStream OUT = System.out;
  private static final List<String> OPTIONS = List.of("--once", "--auth", "--kubernetes");
  private static final int REFUSED = 2;

  private DemoLauncher() {}

  public static void main(String[] args) throws InterruptedException {
    String refusal = refusal(List.of(args)).orElse(null);
    if (refusal != null) {
      System.err.println("demo: " + refusal);
      System.exit(REFUSED);
    }
    boolean once = List.of(args).contains("--once");
    try {
      System.exit(code(List.of(args), once));
    } catch (StartFailed | ApiRefusal | UncheckedIOException failed) {
      System.err.println("demo: " + failed.getMessage());
      System.exit(1);
    }
  }

  /**
   * Refuses unknown options, because a misspelt one would start a demo that serves until Ctrl-C.
   */
  static Optional<String> refusal(List<String> arguments) {
    return arguments.stream()
        .filter(argument -> !OPTIONS.contains(argument))
        .findFirst()
        .map(argument ->
            "unknown option " + argument + "; the options are " + String.join(", ", OPTIONS));
  }

  private static int code(List<String> arguments, boolean once) throws InterruptedException {
    if (arguments.contains("--auth")) {
      return new TenantsDemo(OUT).run(once);
    }
    return arguments.contains("--kubernetes") ? runOnKubernetes(once) : run(once);
  }

  private static int run(boolean once) throws InterruptedException {
    List<Example> examples = Example.in(WorkTree.root().resolve("examples"));
    LoopbackPorts ports = LoopbackPorts.choose(System.getenv());
    try (PlatformApply apply = PlatformApply.start(ports.address());
        LocalFairlead fairlead = service(ports)) {
      configure(fairlead.api(), apply);
      return showAndServe(fairlead, examples, (example, job) -> {}, true, once);
    }
  }

  private static int runOnKubernetes(boolean once) throws InterruptedException {
    List<Example> examples = Example.in(WorkTree.root().resolve("examples"));
    OUT.println("Starting two Kubernetes control planes: etcd, kube-apiserver, controller manager");
    try (KubernetesFleet fleet = KubernetesFleet.start();
        LocalFairlead fairlead = service(LoopbackPorts.choose(System.getenv()))) {
      fleet.register(fairlead.api());
      OUT.println(
          "Kubernetes clusters: eu-1 16 x 8 H100 and 8 x 8 H200, edge-3 4 x 4 L4. The kubeconfigs are");
      fleet.kubeconfigs().forEach(path -> OUT.println("  " + path));
      return showAndServe(
          fairlead, examples, new NodeRestarts(fairlead.api(), fleet::restart), false, once);
    }
  }

  /** Applies the platform file. Without a command line, registers only its clusters. */
  private static void configure(FairleadApi api, PlatformApply apply) throws InterruptedException {
    DemoFleet fleet = DemoFleet.read();
    OUT.println("Configuration of " + DemoFleet.file());
    if (apply.apply(DemoFleet.file())) {
      fleet.awaitNodes(api);
    } else {
      fleet.register(api);
      OUT.println("Clusters " + fleet.text() + ". Apply the rest of the file:");
      OUT.println("  fairlead apply -f " + DemoFleet.file());
    }
  }

  private static LocalFairlead service(LoopbackPorts ports) throws InterruptedException {
    OUT.println(
        "Starting PostgreSQL and the service with the log "
            + WorkTree.scratch("demo").resolve("service.log"));
    LocalFairlead fairlead =
        LocalFairlead.start("demo", ServiceSettings.QUICK, EmbeddedDatabase.start(), ports);
    OUT.println("Service at " + fairlead.api().address() + ", ready " + sinceStart(Instant.now()));
    return fairlead;
  }

  /**
   * @param gateway whether the clusters have a gateway for model services
   */
  private static int showAndServe(
      LocalFairlead fairlead,
      List<Example> examples,
      Demo.Meanwhile meanwhile,
      boolean gateway,
      boolean once)
      throws InterruptedException {
    OUT.println();
    boolean asExpected = play(fairlead.api(), examples, meanwhile);
    if (gateway) {
      asExpected &= rollBack(fairlead.api());
    }
    if (once) {
      return asExpected ? 0 : 1;
    }
    addresses(fairlead);
    OUT.println("\nServing until Ctrl-C.");
    fairlead.service().awaitEnd();
    return 0;
  }

  private static boolean rollBack(FairleadApi api) throws InterruptedException {
    OUT.println();
    return new ServiceDemo(api, WorkTree.root().resolve("examples/services"), OUT::println, LONGEST)
        .play();
  }

  private static boolean play(FairleadApi api, List<Example> examples, Demo.Meanwhile meanwhile)
      throws InterruptedException {
    Demo demo = new Demo(api, Screen.of(OUT), EXPLANATION_SHOWN, meanwhile);
    demo.submit(examples);
    demo.watch(LONGEST);
    OUT.println();
    demo.firstRunning().ifPresent(at -> OUT.println("First job RUNNING " + sinceStart(at)));
    List<String> differences = demo.differences();
    differences.forEach(OUT::println);
    OUT.println(
        differences.isEmpty()
            ? "All " + examples.size() + " jobs ended as their examples define."
            : "Not as the examples define: "
                + differences.size()
                + " of "
                + examples.size()
                + " jobs' figures.");
    return differences.isEmpty();
  }

  private static void addresses(LocalFairlead fairlead) {
    OUT.println("Console     " + fairlead.api().address() + "/console/");
    OUT.println("Swagger UI  " + fairlead.api().address() + "/swagger-ui.html");
    OUT.println("API         " + fairlead.api().address() + "/api/v1/jobs");
    OUT.println("Health      " + fairlead.service().managementAddress() + "/actuator/health");
  }

  /** Counted from the start of this JVM. */
  private static String sinceStart(Instant at) {
    long started = ManagementFactory.getRuntimeMXBean().getStartTime();
    return JobLines.time(Duration.between(Instant.ofEpochMilli(started), at)) + " after the start";
  }
}
