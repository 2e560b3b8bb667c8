package dev.fairlead.work.workload.kubernetes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The clusters of this JVM, started by {@code tools/k8s/cluster.sh} on demand. */
final class TestClusters {
  private static final String CLUSTER_SH = "tools/k8s/cluster.sh";
  private static final long PATIENCE_SECONDS = 180;
  private final List<TestCluster> clusters = new ArrayList<>();

  /** Reason why no cluster can be started, null if one can. */
  @Nullable String missing() {
    if (!given().isEmpty()) {
      return null;
    }
    Path script = script(CLUSTER_SH);
    if (script == null) {
      return CLUSTER_SH + " is not found above " + Path.of("").toAbsolutePath();
    }
    return Files.isExecutable(programs().resolve("kube"))
        ? null
        : "its programs are not built; run " + script + " build (needs Go)";
  }

  synchronized TestCluster get(int index) {
    List<String> given = given();
    while (clusters.size() <= index) {
      TestCluster next =
          given.isEmpty() ? start() : new TestCluster(Path.of(given.get(clusters.size())), null);
      next.apply(file("deploy/cluster.yaml"));
      next.awaitFence();
      clusters.add(next);
    }
    return clusters.get(index);
  }

  synchronized void endClass() {
    clusters.forEach(TestCluster::removeNodes);
    clusters.forEach(TestCluster::stopScheduler);
  }

  /** Short leases, so that a lost node is noticed in seconds. */
  private static TestCluster start() {
    return start("--pod-groups", "--lease", "16", "--grace", "16", "--evict-after", "60");
  }

  /** A cluster that ends with this JVM in every case. */
  static TestCluster start(String... options) {
    String name = "test-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    String pid = Long.toString(ProcessHandle.current().pid());
    List<String> up = new ArrayList<>(List.of("up", name, "--owner-pid", pid));
    up.addAll(List.of(options));
    String kubeconfig = run(up.toArray(String[]::new)).strip();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> run("down", name)));
    return new TestCluster(Path.of(kubeconfig), name);
  }

  /** Runs {@code cluster.sh}; its standard output. */
  static String run(String... arguments) {
    return runScript(CLUSTER_SH, arguments);
  }

  /** Runs {@code kubectl} with a kubeconfig, and returns its standard output. */
  static String kubectl(Path kubeconfig, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                programs().resolve("kubectl").toString(), "--kubeconfig", kubeconfig.toString()));
    command.addAll(List.of(arguments));
    return output(command);
  }

  /** Runs a script of the work tree, given by its path, and returns its standard output. */
  static String runScript(String path, String... arguments) {
    List<String> command = new ArrayList<>(List.of(String.valueOf(script(path))));
    command.addAll(List.of(arguments));
    return output(command);
  }

  private static String output(List<String> command) {
    try {
      Path errors = Files.createTempFile("cluster", ".err");
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String output =
          new String(
              process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      String said = Files.readString(errors);
      Files.delete(errors);
      if (!ended || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IllegalStateException(String.join(" ", command) + " failed: " + said);
      }
      return output;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static List<String> given() {
    String list = System.getenv("FAIRLEAD_TEST_KUBECONFIGS");
    return list == null || list.isBlank() ? List.of() : List.of(list.split(","));
  }

  static Path programs() {
    String named = System.getenv("FAIRLEAD_K8S_BIN");
    if (named != null) {
      return Path.of(named);
    }
    String state = System.getenv("FAIRLEAD_K8S_STATE");
    String cache = System.getenv("XDG_CACHE_HOME");
    Path home = cache != null ? Path.of(cache) : Path.of(System.getProperty("user.home"), ".cache");
    return (state != null ? Path.of(state) : home.resolve("fairlead-k8s")).resolve("bin");
  }

  /** A script of the project, null when this JVM runs outside the project. */
  static @Nullable Path script(String name) {
    Path script = above(name);
    return script != null && Files.isExecutable(script) ? script : null;
  }

  /** A file of the project. */
  static Path file(String name) {
    Path file = above(name);
    if (file == null) {
      throw new IllegalStateException(name + " is not found above " + Path.of("").toAbsolutePath());
    }
    return file;
  }

  private static @Nullable Path above(String name) {
    String root = System.getProperty("fairlead.root");
    Path at = root != null ? Path.of(root) : Path.of("").toAbsolutePath();
    for (; at != null; at = at.getParent()) {
      Path file = at.resolve(name);
      if (Files.exists(file)) {
        return file;
      }
    }
    return null;
  }
}
