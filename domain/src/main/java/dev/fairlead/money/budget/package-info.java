/**
 * Budgets of GPU-hours and of money: what may be spent in a period, what is reserved, and what was
 * spent.
 */
@NullMarked
package dev.fairlead.money.budget;

import org.jspecify.annotations.NullMarked;
