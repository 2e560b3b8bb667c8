package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.cloudidentity.CloudIdentity;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CloudIdentityPodsTest {
  /** Fails when a webhook of the cluster gives the token to a sidecar or an init container. */
  @Test
  void webhooksChangeOnlyTheProgramContainer() {
    Pod plain =
        new PodBuilder()
            .withNewMetadata()
            .endMetadata()
            .withNewSpec()
            .addNewInitContainer()
            .withName("fetch")
            .endInitContainer()
            .addNewInitContainer()
            .withName("proxy")
            .endInitContainer()
            .addNewContainer()
            .withName("main")
            .endContainer()
            .endSpec()
            .build();

    Pod pod = CloudIdentityPods.in(plain, new CloudIdentity("a", List.of(), new TreeMap<>(), null));

    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("eks.amazonaws.com/skip-containers", "fetch,proxy")
        .containsEntry("azure.workload.identity/skip-containers", "fetch;proxy");
  }
}
