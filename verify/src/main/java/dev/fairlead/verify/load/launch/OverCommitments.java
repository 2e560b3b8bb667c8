package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code podload -mode watch} on a cluster: counts nodes with more GPUs in use than they have. */
final class OverCommitments implements AutoCloseable {
  private static final Pattern VERDICT = Pattern.compile("violations ([0-9]+),");
  private final Process process;

  private OverCommitments(Process process) {
    this.process = process;
  }

  static OverCommitments watch(LocalCluster cluster) throws IOException {
    return new OverCommitments(
        new ProcessBuilder(
                List.of(
                    LocalCluster.podload().toString(),
                    "-kubeconfig",
                    cluster.kubeconfig().toString(),
                    "-mode",
                    "watch",
                    "-timeout",
                    "1h"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** Ends the watch. */
  int violations() throws IOException, InterruptedException {
    process.toHandle().destroy(); // Process.destroy would close its output too
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Matcher verdict = VERDICT.matcher(said);
    if (!verdict.find()) {
      throw new IllegalStateException("podload did not judge: " + said);
    }
    return Integer.parseInt(verdict.group(1));
  }

  @Override
  public void close() {
    process.destroy();
  }
}
