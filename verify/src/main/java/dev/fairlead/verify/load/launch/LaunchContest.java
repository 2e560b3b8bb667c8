package dev.fairlead.verify.load.launch;

import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Medians;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.Spread;
import dev.fairlead.verify.host.Machine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code make bench-launch}: 4,000 pods of one GPU on 500 simulated nodes of a real control plane,
 * launched by Fairlead, placed by kube-scheduler, and created with their nodes by a bare client,
 * each on a fresh control plane, in turn, {@value #ROUNDS} times. {@code QUICK=1}: a quarter of
 * everything, once. Exits with 0 when all pods ran and no node was over-committed, even if a goal
 * was missed.
 */
public final class LaunchContest {
  private static final int ROUNDS = 3;
  private static final int GPUS = 8;
  private static final int NODES = 500;
  private static final int QUICK_NODES = 125;
  private static final int NODES_PER_RACK = 10;

  private final Report report;

  private LaunchContest(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of(
            "bench-launch",
            "launches of 4,000 pods, compared with kube-scheduler and a bare client")
        .option("quick", "1: a quarter of the nodes, once")
        .measure(
            args,
            (arguments, report) -> {
              boolean quick = arguments.has("quick");
              new LaunchContest(report).measure(quick ? QUICK_NODES : NODES, quick ? 1 : ROUNDS);
            });
  }

  /** Options of {@code cluster.sh up} for a cluster of that many nodes. */
  static List<String> nodes(int nodes) {
    int racks = Math.max(1, nodes / NODES_PER_RACK);
    return List.of("--nodes", Integer.toString(nodes), "--racks", Integer.toString(racks));
  }

  private void measure(int nodes, int rounds) throws IOException, InterruptedException {
    report.line(
        "limits: writes to the cluster 10,000/s (fairlead.kubernetes.calls.writes-per-second),"
            + " requests in a minute unlimited. The others have no limits.");
    List<Double> gangs = new ArrayList<>();
    List<LaunchContender> contenders =
        new ArrayList<>(
            List.of(
                new FairleadLaunch(gangs),
                PodloadLaunch.KUBE_SCHEDULER,
                PodloadLaunch.BARE_CLIENT));
    Map<String, List<LaunchRun>> runs = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (LaunchContender contender : contenders) {
        LaunchRun run = contender.launch(nodes, nodes * GPUS);
        runs.computeIfAbsent(run.contender(), name -> new ArrayList<>()).add(run);
        report.format("load average %.2f  %s", Machine.loadAverage(), run.line());
      }
      Collections.rotate(contenders, 1);
    }
    runs.forEach((name, each) -> report.line(row(name, each, nodes * GPUS)));
    runs.forEach((name, each) -> report.json("launch", Map.of("system", name, "runs", each)));
    goals(runs, gangs);
    report.require(
        runs.values().stream().flatMap(List::stream).allMatch(run -> run.overCommitments() == 0));
  }

  private void goals(Map<String, List<LaunchRun>> runs, List<Double> gangs) {
    double ours = seconds(runs, "Fairlead");
    double theirs = seconds(runs, PodloadLaunch.KUBE_SCHEDULER.label());
    report.line(Figure.atMost("Fairlead to kube-scheduler", ours / theirs, "x", 1.3).line());
    report.line(FairleadLaunch.gangs(Medians.of(gangs, gang -> gang)).line());
  }

  private static double seconds(Map<String, List<LaunchRun>> runs, String contender) {
    return Medians.of(runs.getOrDefault(contender, List.of()), LaunchRun::seconds);
  }

  private static String row(String name, List<LaunchRun> runs, int pods) {
    String split =
        runs.getFirst().cpuSeconds().keySet().stream()
            .map(part -> part + " " + Spread.of(runs, run -> run.cpuOf(part)).text(1))
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%-14s %s s for %,d pods, CPU %s s: %s",
        name,
        Spread.of(runs, LaunchRun::seconds).text(1),
        pods,
        Spread.of(runs, LaunchRun::allCpu).text(1),
        split);
  }
}
