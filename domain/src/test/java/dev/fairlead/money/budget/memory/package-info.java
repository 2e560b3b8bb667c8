/** Budgets in memory. */
@NullMarked
package dev.fairlead.money.budget.memory;

import org.jspecify.annotations.NullMarked;
