/** Keeps the overload of one from starving the others: budgets per project, a bound for all. */
@NullMarked
package dev.fairlead.overload;

import org.jspecify.annotations.NullMarked;
