package dev.fairlead.work.job.service;

import dev.fairlead.people.legalhold.LegalHold;
import org.jspecify.annotations.Nullable;

/**
 * A legal hold as the API returns it.
 *
 * @param project name of its project, null if none
 */
public record LegalHoldView(LegalHold hold, @Nullable String project) {}
