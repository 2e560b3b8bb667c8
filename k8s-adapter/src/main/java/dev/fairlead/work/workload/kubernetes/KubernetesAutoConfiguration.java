package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.kernel.egress.EgressSettings;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.kubernetes.client.SafeKubeconfigReader;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides Kubernetes clusters to the service. */
@AutoConfiguration
@EnableConfigurationProperties({KubernetesProperties.class, EgressSettings.class})
public class KubernetesAutoConfiguration {
  @Bean
  KubeconfigReader kubeconfigReader(EgressSettings egress) {
    return new SafeKubeconfigReader(egress.operators());
  }

  @Bean
  ClusterConnector kubernetesConnector(
      KubernetesProperties properties,
      EgressSettings egress,
      ObjectProvider<MeterRegistry> meters) {
    return new KubernetesConnector(egress.operators(), properties.settings(), meters.getIfUnique());
  }
}
