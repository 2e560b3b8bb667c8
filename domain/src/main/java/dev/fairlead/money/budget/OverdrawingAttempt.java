package dev.fairlead.money.budget;

import dev.fairlead.kernel.identity.JobId;
import java.util.UUID;

/**
 * An attempt whose last renewed hour exceeded its budget.
 *
 * @param exhaustedMillis start of that hour, in milliseconds since 1970
 */
public record OverdrawingAttempt(BudgetId budget, UUID attempt, JobId job, long exhaustedMillis) {}
