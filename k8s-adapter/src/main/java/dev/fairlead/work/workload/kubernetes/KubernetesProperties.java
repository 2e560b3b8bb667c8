package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The settings of {@link KubernetesSettings} that operators can change.
 *
 * @param topologyLabels widest first, empty for the defaults
 * @param callTimeout timeout of one call
 * @param helperImage image of the container that unpacks the code of a job, with Python 3.12 or
 *     later
 */
@Validated
@ConfigurationProperties("fairlead.kubernetes")
record KubernetesProperties(
    @DefaultValue List<String> topologyLabels,
    @DefaultValue("cluster.local")
        @NotBlank(message = "must be a DNS domain (default cluster.local)")
        String clusterDomain,
    @DefaultValue("false") boolean fenceRequired,
    @DefaultValue("10s")
        @DurationMin(seconds = 1, message = TIMEOUT)
        @DurationMax(minutes = 1, message = TIMEOUT)
        Duration callTimeout,
    @DefaultValue @Valid CallLimits calls,
    @DefaultValue(KubernetesSettings.HELPER_IMAGE)
        @Pattern(regexp = "\\S+", message = "must be an image reference")
        String helperImage) {
  private static final String TIMEOUT = "must be from 1s to 1m (default 10s)";

  KubernetesSettings settings() {
    KubernetesSettings usual = KubernetesSettings.DEFAULT;
    return KubernetesSettingsBuilder.builder(usual)
        .levels(topologyLabels.isEmpty() ? usual.levels() : new TopologyLevels(topologyLabels))
        .clusterDomain(clusterDomain)
        .callTimeout(callTimeout)
        .fenceRequired(fenceRequired)
        .calls(calls)
        .helperImage(helperImage)
        .build();
  }
}
