package dev.fairlead.work.job.web.spec;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Placement settings that specs may use.
 *
 * @param nodeLabels keys that {@code placement.nodeLabels} may use
 */
@ConfigurationProperties("fairlead.placement")
record PlacementSettings(@DefaultValue List<String> nodeLabels) {}
