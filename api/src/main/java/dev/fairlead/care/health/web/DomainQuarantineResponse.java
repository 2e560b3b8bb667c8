package dev.fairlead.care.health.web;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.service.DomainQuarantines;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A quarantined topology domain. Its nodes accept no new jobs.
 *
 * @param cluster name of the cluster
 * @param level topology level of the cluster
 * @param domain name of the domain at that level
 * @param reason reason given by the operator
 * @param owner operator that holds the quarantine
 * @param until end of the quarantine, null if it lasts until a release
 * @param releasedAt time of the release, null while the quarantine is active
 * @param released cause or operator of the end, with the reason
 * @param nodes number of nodes that it puts out of service. After its end, the number at the end
 * @param nodeNames names of these nodes, at most 1,000, absent in lists, empty after the end
 * @param otherwiseQuarantined names of these nodes with another quarantine, also after the end,
 *     absent in lists
 * @param jobCount number of jobs that still run there, absent in lists
 * @param jobs these jobs, at most 100, absent in lists
 * @param version version of the quarantine, also in the ETag
 */
@RecordBuilder
record DomainQuarantineResponse(
    String id,
    String cluster,
    String level,
    String domain,
    String reason,
    String owner,
    Instant since,
    @Nullable Instant until,
    @Nullable Instant releasedAt,
    @Nullable String released,
    int nodes,
    @Nullable List<String> nodeNames,
    @Nullable List<String> otherwiseQuarantined,
    @Nullable Integer jobCount,
    @Nullable List<NodeJob> jobs,
    long version) {
  /**
   * A job with members on nodes of the domain.
   *
   * @param nodes number of these nodes
   */
  @Schema(name = "DomainQuarantineJob")
  record NodeJob(String id, String name, int nodes) {}

  static DomainQuarantineResponse of(DomainQuarantines.View view) {
    DomainQuarantine quarantine = view.quarantine();
    DomainQuarantines.Scope scope = view.scope();
    return DomainQuarantineResponseBuilder.builder()
        .id(quarantine.id().text())
        .cluster(view.cluster())
        .level(quarantine.level())
        .domain(quarantine.domain())
        .reason(quarantine.reason())
        .owner(quarantine.owner())
        .since(quarantine.since())
        .until(quarantine.until())
        .releasedAt(quarantine.releasedAt())
        .released(quarantine.released())
        .nodes(view.nodes())
        .nodeNames(scope == null ? null : scope.nodes())
        .otherwiseQuarantined(scope == null ? null : scope.otherwise())
        .jobCount(scope == null ? null : scope.jobs().count())
        .jobs(
            scope == null
                ? null
                : scope.jobs().first().stream()
                    .map(job -> new NodeJob(job.id().text(), job.name(), job.nodes()))
                    .toList())
        .version(quarantine.version())
        .build();
  }
}
