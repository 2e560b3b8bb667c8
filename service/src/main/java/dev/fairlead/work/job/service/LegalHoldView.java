package dev.fairlead.work.job.service;

import dev.fairlead.people.legalhold.LegalHold;
import org.jspecify.annotations.Nullable;

/**
 * A legal hold as it is shown.
 *
 * @param project name of the project that it names; null where it names none
 */
public record LegalHoldView(LegalHold hold, @Nullable String project) {}
