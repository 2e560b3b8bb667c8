package dev.fairlead.workload.kubernetes;

import dev.fairlead.cluster.KubeconfigReader;
import dev.fairlead.workload.ClusterConnector;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Offers Kubernetes clusters to the service. Properties: {@code fairlead.egress.allow} (address
 * ranges), {@code fairlead.kubernetes.topology-labels} (widest first), {@code
 * fairlead.kubernetes.cluster-domain}, {@code fairlead.kubernetes.fence-required}.
 */
@AutoConfiguration
public class KubernetesAutoConfiguration {
  private static final long LOOKUP_SECONDS = 5;

  @Bean
  KubeconfigReader kubeconfigReader(Environment environment) {
    return new SafeKubeconfigReader(egress(environment));
  }

  @Bean
  ClusterConnector kubernetesConnector(
      Environment environment, ObjectProvider<MeterRegistry> meters) {
    List<String> labels = list(environment, "fairlead.kubernetes.topology-labels");
    KubernetesSettings settings =
        KubernetesSettings.DEFAULT.with(
            labels.isEmpty() ? TopologyLevels.DEFAULT : new TopologyLevels(labels),
            environment.getProperty(
                "fairlead.kubernetes.cluster-domain", KubernetesSettings.DEFAULT.clusterDomain()),
            environment.getProperty("fairlead.kubernetes.fence-required", Boolean.class, false));
    return new KubernetesConnector(egress(environment), settings, meters.getIfUnique());
  }

  private static EgressPolicy egress(Environment environment) {
    List<Cidr> allowed =
        list(environment, "fairlead.egress.allow").stream().map(Cidr::parse).toList();
    return new EgressPolicy(allowed, HostLookup.system(LOOKUP_SECONDS));
  }

  private static List<String> list(Environment environment, String property) {
    return Binder.get(environment).bind(property, Bindable.listOf(String.class)).orElse(List.of());
  }
}
