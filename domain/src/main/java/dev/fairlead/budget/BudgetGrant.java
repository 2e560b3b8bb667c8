package dev.fairlead.budget;

/**
 * Extra amount for the period in which it was given.
 *
 * @param amount thousandths of a GPU times milliseconds, above 0
 * @param fromMillis when it was given, in milliseconds since 1970
 * @param untilMillis from when on no reservation may use it
 * @param reason for people
 */
public record BudgetGrant(long amount, long fromMillis, long untilMillis, String reason) {}
