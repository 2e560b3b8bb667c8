package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code podload} creates the pods, and only kube-scheduler or nothing places them. */
enum PodloadLaunch implements LaunchContender {
  /** Pods without a node. */
  KUBE_SCHEDULER("kube-scheduler", "scheduler"),
  /** Pods that name their node, without a decision: the limit of the API server. */
  BARE_CLIENT("bare client", "direct");

  private static final Pattern RUNNING = Pattern.compile("all running after (\\S+) ");
  private static final Pattern VERDICT = Pattern.compile("over-commitments ([0-9]+),");
  private static final Pattern TIME = Pattern.compile("(?:([0-9]+)m)?([0-9.]+)s");

  private final String label;
  private final String mode;

  PodloadLaunch(String label, String mode) {
    this.label = label;
    this.mode = mode;
  }

  String label() {
    return label;
  }

  @Override
  public LaunchRun launch(int nodes, int pods) throws IOException, InterruptedException {
    List<String> up = new ArrayList<>(LaunchContest.nodes(nodes));
    if (this == KUBE_SCHEDULER) {
      up.add("--scheduler");
    }
    try (LocalCluster cluster = LocalCluster.start("bench-launch", up.toArray(String[]::new))) {
      ControlPlaneCpu cpu = ControlPlaneCpu.of(cluster);
      String said = podload(cluster, pods);
      return new LaunchRun(
          label,
          seconds(found(RUNNING, said)),
          Integer.parseInt(found(VERDICT, said)),
          cpu.seconds());
    }
  }

  private String podload(LocalCluster cluster, int pods) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                LocalCluster.podload().toString(),
                "-kubeconfig",
                cluster.kubeconfig().toString(),
                "-mode",
                mode,
                "-pods",
                Integer.toString(pods),
                "-keep")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0 || said.contains("TIMEOUT")) {
      throw new IllegalStateException("podload could not start its pods: " + said);
    }
    return said;
  }

  private static String found(Pattern pattern, String said) {
    Matcher matcher = pattern.matcher(said);
    if (!matcher.find()) {
      throw new IllegalStateException("podload did not say " + pattern + ": " + said);
    }
    return matcher.group(1);
  }

  /** Parses a Go duration: {@code 13.512s}, {@code 1m2.5s}. */
  static double seconds(String duration) {
    Matcher parts = TIME.matcher(duration);
    if (!parts.matches()) {
      throw new IllegalStateException("no duration: " + duration);
    }
    int minutes = parts.group(1) == null ? 0 : Integer.parseInt(parts.group(1));
    return minutes * 60 + Double.parseDouble(parts.group(2));
  }
}
