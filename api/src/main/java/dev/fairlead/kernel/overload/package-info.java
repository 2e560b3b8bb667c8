/**
 * Prevents one client's overload from starving the others: budgets and places of callers and
 * tenants, budgets of projects, and a global limit.
 */
@NullMarked
package dev.fairlead.kernel.overload;

import org.jspecify.annotations.NullMarked;
