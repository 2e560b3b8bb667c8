/** Budgets in PostgreSQL. */
@NullMarked
package dev.fairlead.money.budget.postgres;

import org.jspecify.annotations.NullMarked;
