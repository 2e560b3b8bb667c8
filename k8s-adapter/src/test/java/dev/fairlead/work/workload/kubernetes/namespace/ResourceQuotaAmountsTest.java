package dev.fairlead.work.workload.kubernetes.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResourceQuotaAmountsTest {
  private static Container container(String cpu, String memory) {
    return new ContainerBuilder()
        .withNewResources()
        .withRequests(Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory)))
        .endResources()
        .build();
  }

  /** Fails when a namespace has less quota than its cluster counts for the pods. */
  @Test
  void sidecarsAddToThePodAndInitContainersRunAlone() {
    Container sidecar =
        new ContainerBuilder(container("500m", "1G")).withRestartPolicy("Always").build();
    Pod pod =
        new PodBuilder()
            .withNewSpec()
            .withContainers(container("1", "2G"))
            .withInitContainers(List.of(container("4", "1G"), container("3", "2G"), sidecar))
            .endSpec()
            .build();

    Map<String, BigDecimal> amounts = ResourceQuotaAmounts.of(List.of(pod, pod));

    assertThat(amounts.get("requests.cpu")).isEqualByComparingTo("8");
    assertThat(amounts.get("requests.memory")).isEqualByComparingTo("6000000000");
  }
}
