package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;

/**
 * Prints the pods of a repairable gang of three, and the pod of the member that replaces {@code
 * worker-1}, as JSON. {@code tools/suites/torchrun} starts a real torchrun with their environment.
 */
final class TorchrunPods {
  private static final int LOST = 1;

  private TorchrunPods() {}

  public static void main(String[] none) {
    LaunchOrder order = Orders.order(Specs.job("train").workers(3).repaired(1).build());
    List<Pod> pods = new ArrayList<>();
    order.attempt().members().forEach(m -> pods.add(pod(order, m)));
    Attempt attempt = order.attempt();
    List<Member> members = new ArrayList<>(attempt.members());
    Member lost = members.remove(LOST);
    Member other =
        Member.planned(
            lost.role(),
            attempt.nextIndex(lost.role()),
            lost.node(),
            lost.nodeName(),
            lost.flavor(),
            lost.request(),
            lost.gpus());
    members.add(other.joining(attempt.createdAt()));
    pods.add(pod(LaunchOrders.of(order, members), members.getLast()));
    System.out.println(Serialization.asJson(pods));
  }

  private static Pod pod(LaunchOrder order, Member member) {
    return ManifestFactory.pod(
        order, member, ManifestFactory.anchor(order), ClusterSettings.DEFAULT, null);
  }
}
