package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.Orders;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Pods of Ray pools and the way between them. */
class RayPoolPodsTest {
  private static final JobSpec GANG =
      Specs.job("gang").workers(2).launcher("ray").run("sleep infinity").build();

  private static List<NetworkPolicyIngressRule> ingress(JobSpec spec) {
    LaunchOrder order = Orders.order(spec);
    return ManifestFactory.dependents(order, ManifestFactory.anchor(order)).stream()
        .filter(NetworkPolicy.class::isInstance)
        .map(NetworkPolicy.class::cast)
        .findFirst()
        .orElseThrow()
        .getSpec()
        .getIngress();
  }

  private static Pod pod(JobSpec spec) {
    LaunchOrder order = Orders.order(spec);
    return ManifestFactory.pod(
        order, order.attempt().members().getFirst(), null, ClusterSettings.DEFAULT, null);
  }

  /** Fails when drivers reach no cluster, each other's clusters, or other ports of a cluster. */
  @Test
  void onlyDriversOfARayClusterCanConnectToItsPort() {
    assertThat(ingress(GANG)).as("a gang without a pool").hasSize(1);
    JobSpec cluster = RayPoolJob.clusterOf(GANG, "small-ray-1");
    NetworkPolicyIngressRule drivers = ingress(cluster).getLast();
    assertThat(drivers.getPorts())
        .extracting(port -> port.getPort().getIntVal())
        .containsExactly(10001);
    Map<String, String> selected = drivers.getFrom().getFirst().getPodSelector().getMatchLabels();

    JobSpec driver = RayPoolJob.driver(Specs.job("one").run("python x.py").build(), "small");
    assertThat(pod(RayPoolJob.assigned(driver, "small-ray-1", "ray://head:10001")))
        .extracting(pod -> pod.getMetadata().getLabels())
        .satisfies(labels -> assertThat(labels).containsAllEntriesOf(selected));
    assertThat(pod(RayPoolJob.assigned(driver, "small-ray-2", "ray://head:10001")))
        .extracting(pod -> pod.getMetadata().getLabels())
        .satisfies(
            labels -> assertThat(labels).doesNotContainEntry(RayPoolJob.DRIVER, "small-ray-1"));
    assertThat(pod(cluster).getMetadata().getLabels())
        .as("label for the restored policy")
        .containsEntry(RayPoolJob.CLUSTER, "small-ray-1");
  }
}
