package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ClusterGates;
import dev.fairlead.work.workload.kubernetes.namespace.NamespaceIsolation;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.pod.ManifestFactoryTest;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An API server accepts the manifests of every kind of job, in a namespace created like Fairlead's.
 */
@OnControlPlane
class ManifestIT {
  private static final String CLAIMS = "deploy/cluster-dra.yaml";
  private static TestCluster cluster;
  private static KubernetesClient fairlead;

  @BeforeAll
  static void connect() {
    cluster = KubernetesCluster.shared();
    cluster.applies(CLAIMS);
    fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build();
    ClusterCalls calls =
        new ClusterGates(CallLimits.DEFAULT, Duration.ofSeconds(10), null).open("manifests");
    new Namespaces(
            Orders.INSTALLATION,
            calls,
            new NamespaceIsolation(Orders.INSTALLATION, calls, System::nanoTime),
            System::nanoTime)
        .ensure(fairlead, "fairlead-nlp", Orders.PROJECT);
    try (ClusterGateway gateway = RealCluster.synced(Orders.INSTALLATION, cluster)) {
      RealCluster.eventually(
          "the epoch is the cluster's",
          () -> gateway.claim(Orders.EPOCH, 0).equals(EpochClaim.OURS));
    }
    RealCluster.eventually(
        "the right to claim GPUs is granted",
        () -> fairlead.resource(claims()).create().getStatus().getAllowed());
  }

  private static SelfSubjectAccessReview claims() {
    return new SelfSubjectAccessReviewBuilder()
        .withNewSpec()
        .withNewResourceAttributes()
        .withGroup("resource.k8s.io")
        .withResource("resourceclaims")
        .withVerb("create")
        .withNamespace("fairlead-nlp")
        .endResourceAttributes()
        .endSpec()
        .build();
  }

  @AfterAll
  static void close() {
    if (fairlead != null) {
      fairlead.close();
      cluster.withdraws(CLAIMS);
    }
  }

  @ParameterizedTest
  @EnumSource(ManifestFactoryTest.Kind.class)
  void manifestAppliesUnchanged(ManifestFactoryTest.Kind kind) {
    for (HasMetadata object : kind.objects()) {
      object.getMetadata().setUid(null);
      HasMetadata taken = fairlead.resource(object).dryRun().create();
      if (object instanceof Pod ours && taken instanceof Pod pod) {
        assertThat(pod.getSpec().getPreemptionPolicy()).isEqualTo("Never");
        assertThat(pod.getSpec().getPriority()).isEqualTo(500);
        assertThat(pod.getSpec().getContainers().getFirst().getResources())
            .isEqualTo(ours.getSpec().getContainers().getFirst().getResources());
      }
    }
  }
}
