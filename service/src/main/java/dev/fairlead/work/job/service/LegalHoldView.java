package dev.fairlead.work.job.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.legalhold.LegalHold;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A legal hold of the tenant in use. Without project and job, it protects the jobs of the whole
 * tenant.
 *
 * @param project name of the only protected project
 * @param job id of the only protected job
 * @param from start of the protected time: decisions before it, and jobs that ended before it, are
 *     not protected
 * @param to end of the protected time: decisions and jobs from this time or later are not protected
 * @param changedBy caller of the last change
 */
@RecordBuilder
@Schema(name = "LegalHoldResponse")
public record LegalHoldView(
    String name,
    String reason,
    @Nullable String project,
    @Nullable String job,
    @Nullable Instant from,
    @Nullable Instant to,
    Instant changedAt,
    String changedBy) {
  static LegalHoldView of(LegalHold hold, @Nullable String project) {
    JobId job = hold.job();
    return LegalHoldViewBuilder.builder()
        .name(hold.name())
        .reason(hold.reason())
        .project(project)
        .job(job == null ? null : job.text())
        .from(hold.from())
        .to(hold.to())
        .changedAt(hold.changed().at())
        .changedBy(hold.changed().by())
        .build();
  }
}
