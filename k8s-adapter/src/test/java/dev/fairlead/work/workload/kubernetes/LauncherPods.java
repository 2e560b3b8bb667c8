package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.MemberEnvironment;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;

/**
 * Prints the pods of a gang, its host file and the files of its launcher as JSON. {@code
 * tools/suites/launchers} runs real programs with them. Arguments: the launcher, the number of
 * members, the minimum number of members, and the command of the job.
 */
final class LauncherPods {
  private LauncherPods() {}

  public static void main(String[] arguments) {
    String launcher = arguments[0];
    LaunchOrder order =
        Orders.order(
            Specs.job("train")
                .workers(Integer.parseInt(arguments[1]))
                .minWorkers(Integer.parseInt(arguments[2]))
                .launcher(launcher)
                .run(arguments[3])
                .build());
    List<Pod> pods =
        order.attempt().members().stream()
            .map(member ->
                ManifestFactory.pod(
                    order, member, ManifestFactory.anchor(order), ClusterSettings.DEFAULT, null))
            .toList();
    System.out.println(
        Serialization.asJson(
            Map.of(
                "pods", pods,
                "hosts", MemberEnvironment.hosts(order.job(), order.attempt()),
                "files", Launchers.of(launcher).files())));
  }
}
