package dev.fairlead.money.budget;

import java.math.BigInteger;

/**
 * Extra amount for the period in which it was granted.
 *
 * @param amount in the unit of the budget, above 0
 * @param fromMillis start, in milliseconds since 1970
 * @param untilMillis end of its use for reservations
 * @param reason human-readable text
 */
public record BudgetGrant(BigInteger amount, long fromMillis, long untilMillis, String reason) {}
