/** Budgets in PostgreSQL. */
@NullMarked
package dev.fairlead.budget.postgres;

import org.jspecify.annotations.NullMarked;
