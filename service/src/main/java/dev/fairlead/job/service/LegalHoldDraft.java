package dev.fairlead.job.service;

import dev.fairlead.identity.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A legal hold as it is asked for; see {@link dev.fairlead.legalhold.LegalHold}.
 *
 * @param project name; null for all, and with a job
 */
public record LegalHoldDraft(
    String name,
    String reason,
    @Nullable String project,
    @Nullable JobId job,
    @Nullable Instant from,
    @Nullable Instant to) {}
