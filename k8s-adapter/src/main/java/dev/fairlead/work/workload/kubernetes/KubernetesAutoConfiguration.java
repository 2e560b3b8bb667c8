package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.care.health.repair.RepairerCalls;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.work.webhook.WebhookCalls;
import dev.fairlead.work.workload.ClusterConnector;
import dev.fairlead.work.workload.kubernetes.client.EgressPolicy;
import dev.fairlead.work.workload.kubernetes.client.HostLookup;
import dev.fairlead.work.workload.kubernetes.client.SafeKubeconfigReader;
import dev.fairlead.work.workload.kubernetes.client.SignedHttps;
import dev.fairlead.work.workload.kubernetes.metrics.PrometheusFaults;
import dev.fairlead.work.workload.kubernetes.metrics.PrometheusReader;
import dev.fairlead.work.workload.kubernetes.provisioner.WebhookProvisioner;
import dev.fairlead.work.workload.kubernetes.repairer.WebhookRepairer;
import dev.fairlead.work.workload.kubernetes.webhook.HttpsWebhooks;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Provides Kubernetes clusters to the service. */
@AutoConfiguration
@EnableConfigurationProperties({KubernetesProperties.class, KubernetesProperties.Egress.class})
public class KubernetesAutoConfiguration {
  private static final long LOOKUP_SECONDS = 5;
  private static final Duration SUPPLIER_ANSWERS = Duration.ofSeconds(10);
  private static final Duration WEBHOOK_ANSWERS = Duration.ofSeconds(10);
  private static final Duration METRICS_ANSWER = Duration.ofSeconds(10);

  @Bean
  KubeconfigReader kubeconfigReader(KubernetesProperties.Egress egress) {
    return new SafeKubeconfigReader(policy(egress));
  }

  @Bean
  ClusterConnector kubernetesConnector(
      KubernetesProperties properties,
      KubernetesProperties.Egress egress,
      ObjectProvider<MeterRegistry> meters) {
    return new KubernetesConnector(policy(egress), properties.settings(), meters.getIfUnique());
  }

  @Bean
  NodeProvisioner nodeProvisioner(
      KubernetesProperties.Egress egress,
      ObjectProvider<SharedKey> key,
      ObjectProvider<InstantSource> clock) {
    return new WebhookProvisioner(
        policy(egress),
        key.getIfAvailable(() -> purpose -> Optional.empty()),
        clock.getIfAvailable(InstantSource::system),
        SUPPLIER_ANSWERS);
  }

  @Bean
  RepairerCalls repairerCalls(
      KubernetesProperties.Egress egress,
      ObjectProvider<SharedKey> key,
      ObjectProvider<InstantSource> clock) {
    return new WebhookRepairer(
        new SignedHttps(
            policy(egress),
            key.getIfAvailable(() -> purpose -> Optional.empty()),
            clock.getIfAvailable(InstantSource::system),
            SUPPLIER_ANSWERS,
            "the repairer"));
  }

  @Bean
  WebhookCalls webhookCalls(KubernetesProperties.Egress egress) {
    EgressPolicy receivers =
        EgressPolicy.of(
            "fairlead.egress.webhooks", egress.webhooks(), HostLookup.system(LOOKUP_SECONDS));
    return new HttpsWebhooks(receivers, WEBHOOK_ANSWERS);
  }

  @Bean
  PrometheusReader prometheusReader(
      KubernetesProperties.Egress egress, ObjectProvider<InstantSource> clock) {
    return new PrometheusReader(
        policy(egress), clock.getIfAvailable(InstantSource::system), METRICS_ANSWER);
  }

  @Bean
  PrometheusFaults prometheusFaults(
      KubernetesProperties.Egress egress, ObjectProvider<InstantSource> clock) {
    return new PrometheusFaults(
        policy(egress), clock.getIfAvailable(InstantSource::system), METRICS_ANSWER);
  }

  private static EgressPolicy policy(KubernetesProperties.Egress egress) {
    return EgressPolicy.of(
        "fairlead.egress.allow", egress.allow(), HostLookup.system(LOOKUP_SECONDS));
  }
}
