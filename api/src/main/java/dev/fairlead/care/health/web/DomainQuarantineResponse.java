package dev.fairlead.care.health.web;

import dev.fairlead.care.health.DomainQuarantine;
import dev.fairlead.care.health.service.DomainQuarantines;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A topology domain of which no node takes anything new.
 *
 * @param cluster name of it
 * @param level of the cluster's topology
 * @param domain name of the domain at that level
 * @param reason in the operator's words
 * @param owner the operator that holds it
 * @param until when it ends by itself, null until it is released
 * @param releasedAt null while it stands
 * @param released by what or by which operator it ended, and why
 * @param nodes how many it keeps out of use; of one that is over, how many it did to its end
 * @param nodeNames of them, at most 1,000; absent in lists, empty of one that is over
 * @param otherwiseQuarantined those of them that another quarantine keeps out too, also after its
 *     end; absent in lists
 * @param jobCount how many jobs have members there, which go on; absent in lists
 * @param jobs of them, at most 100; absent in lists
 * @param version also in the ETag
 */
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
   * @param nodes how many of them
   */
  @Schema(name = "DomainQuarantineJob")
  record NodeJob(String id, String name, int nodes) {}

  static DomainQuarantineResponse of(DomainQuarantines.View view) {
    DomainQuarantine quarantine = view.quarantine();
    DomainQuarantines.Scope scope = view.scope();
    return new DomainQuarantineResponse(
        quarantine.id().text(),
        view.cluster(),
        quarantine.level(),
        quarantine.domain(),
        quarantine.reason(),
        quarantine.owner(),
        quarantine.since(),
        quarantine.until(),
        quarantine.releasedAt(),
        quarantine.released(),
        view.nodes(),
        scope == null ? null : scope.nodes(),
        scope == null ? null : scope.otherwise(),
        scope == null ? null : scope.jobs().count(),
        scope == null
            ? null
            : scope.jobs().first().stream()
                .map(job -> new NodeJob(job.id().text(), job.name(), job.nodes()))
                .toList(),
        quarantine.version());
  }
}
