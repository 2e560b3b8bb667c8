package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An API server accepts {@code deploy/node-agent.yaml} and its pods. */
@OnControlPlane
class NodeAgentManifestIT {
  private static final String FILE = "deploy/node-agent.yaml";
  private static final String NAME = "fairlead-node-agent";

  private final TestCluster cluster = KubernetesCluster.shared();
  private final RuntimeClass nvidia =
      new RuntimeClassBuilder()
          .withNewMetadata()
          .withName("nvidia")
          .endMetadata()
          .withHandler("nvidia")
          .build();

  @AfterEach
  void withdraw() {
    cluster.withdraws(FILE);
    cluster.admin().resource(nvidia).delete();
  }

  /** Fails when a field is misspelt or misplaced, or the namespace does not admit such a pod. */
  @Test
  void nodeAgentManifestAppliesUnchangedAndItsPodsAreAdmitted() {
    String _ =
        cluster.kubectl(
            "apply",
            "--validate=strict",
            "-f",
            TestClusters.file(FILE).toAbsolutePath().toString());
    cluster.admin().resource(nvidia).createOr(existing -> existing.update());
    PodTemplateSpec template =
        cluster
            .admin()
            .apps()
            .daemonSets()
            .inNamespace(NAME)
            .withName(NAME)
            .require()
            .getSpec()
            .getTemplate();

    Pod admitted =
        cluster
            .admin()
            .resource(
                new PodBuilder()
                    .withMetadata(template.getMetadata())
                    .editMetadata()
                    .withName("one")
                    .withNamespace(NAME)
                    .endMetadata()
                    .withSpec(template.getSpec())
                    .build())
            .dryRun()
            .create();

    assertThat(admitted.getSpec().getContainers().getFirst().getSecurityContext().getPrivileged())
        .isTrue();
  }
}
