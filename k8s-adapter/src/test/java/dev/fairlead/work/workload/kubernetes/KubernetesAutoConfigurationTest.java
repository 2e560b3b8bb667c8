package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import java.time.Duration;
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

  /** Fails when a gate uses its defaults regardless of the settings. */
  @Test
  void clusterLimitsMatchTheSettings() {
    runner
        .withPropertyValues(
            "fairlead.kubernetes.calls.concurrent=3", "fairlead.kubernetes.calls.open=1m")
        .run(context ->
            assertThat(context.getBean(KubernetesProperties.class).settings().calls())
                .isEqualTo(
                    new CallLimits(
                        3,
                        CallLimits.DEFAULT.writesPerSecond(),
                        CallLimits.DEFAULT.patience(),
                        CallLimits.DEFAULT.window(),
                        CallLimits.DEFAULT.failedPercent(),
                        Duration.ofMinutes(1))));
  }

  /** Fails when the defaults of the settings and of the gates differ. */
  @Test
  void defaultsApplyWithoutSettings() {
    runner.run(context ->
        assertThat(context.getBean(KubernetesProperties.class).settings())
            .isEqualTo(KubernetesSettings.DEFAULT));
  }

  @Test
  void aWrongAddressRangeStopsTheStart() {
    runner
        .withPropertyValues("fairlead.egress.allow=127.0.0.0/8,office")
        .run(context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .satisfies(
                    problem(
                        "kubernetes-auto-configuration.fairlead-egress-allow-holds",
                        "fairlead.egress.allow",
                        "office",
                        "10.0.0.0/8")));
  }
}
