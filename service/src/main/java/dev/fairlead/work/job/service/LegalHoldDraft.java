package dev.fairlead.work.job.service;

import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A requested legal hold. See {@link dev.fairlead.people.legalhold.LegalHold}.
 *
 * @param project name, null for all, and with a job
 */
public record LegalHoldDraft(
    String name,
    String reason,
    @Nullable String project,
    @Nullable JobId job,
    @Nullable Instant from,
    @Nullable Instant to) {}
