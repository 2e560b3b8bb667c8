package dev.fairlead.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.cluster.ClusterKind;
import dev.fairlead.cluster.KubeconfigReader;
import dev.fairlead.workload.ClusterConnector;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class KubernetesAutoConfigurationTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(KubernetesAutoConfiguration.class));

  @Test
  void theServiceFindsBothPorts() {
    runner.run(context -> {
      assertThat(context.getBean(ClusterConnector.class).kind()).isEqualTo(ClusterKind.KUBERNETES);
      assertThat(context).hasSingleBean(KubeconfigReader.class);
    });
  }

  @Test
  void aWrongAddressRangeStopsTheStart() {
    runner
        .withPropertyValues("fairlead.egress.allow=127.0.0.0/8,office")
        .run(context -> assertThat(context).hasFailed());
  }
}
