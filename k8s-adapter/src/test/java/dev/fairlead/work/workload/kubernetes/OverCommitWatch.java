package dev.fairlead.work.workload.kubernetes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * {@code podload -mode watch} beside a cluster: a second check, by another program, of pods on
 * nodes without capacity for their GPUs. It ends with its API server.
 */
public final class OverCommitWatch implements AutoCloseable {
  private static final Pattern BEYOND = Pattern.compile("OVERCOMMIT .* after (\\S+)");
  private final Process process;
  private final Path kubeconfig;

  private OverCommitWatch(Process process, Path kubeconfig) {
    this.process = process;
    this.kubeconfig = kubeconfig;
  }

  /**
   * A node that lost a GPU under a running pod before the first check would be one more finding.
   */
  private static void awaitBegin(Process process) throws IOException {
    BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
    String line = said.readLine();
    if (!"watching".equals(line)) {
      throw new IllegalStateException("podload does not watch: " + line);
    }
  }

  public static OverCommitWatch beside(TestCluster cluster) {
    try {
      Path kubeconfig = Files.createTempFile("over-commit-watch", ".kubeconfig");
      Files.writeString(kubeconfig, cluster.administratorsKubeconfig());
      String podload = TestClusters.programs().resolve("podload").toString();
      Process process =
          new ProcessBuilder(
                  List.of(podload, "-kubeconfig", kubeconfig.toString(), "-mode", "watch"))
              .redirectErrorStream(true)
              .start();
      awaitBegin(process);
      return new OverCommitWatch(process, kubeconfig);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the watch, and returns the pods as {@code namespace/name} in order. */
  public List<String> ended() {
    process.toHandle().destroy(); // Process.destroy would close its output too
    try {
      String said = process.inputReader(StandardCharsets.UTF_8).readAllAsString();
      if (!said.contains("highest use of a node")) {
        throw new IllegalStateException("podload did not watch to the end: " + said);
      }
      return BEYOND.matcher(said).results().map(pod -> pod.group(1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      Files.deleteIfExists(kubeconfig);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
