/**
 * Keeps the overload of one from starving the others: budgets and places of callers and tenants,
 * budgets of projects, a bound for all.
 */
@NullMarked
package dev.fairlead.kernel.overload;

import org.jspecify.annotations.NullMarked;
