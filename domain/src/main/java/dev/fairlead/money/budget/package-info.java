/** Budgets in GPU-hours and in money: limits, reservations and spending of a period. */
@NullMarked
package dev.fairlead.money.budget;

import org.jspecify.annotations.NullMarked;
