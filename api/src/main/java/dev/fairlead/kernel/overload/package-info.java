/**
 * Prevents an overloading client from starving others, with budgets and permits of callers and
 * tenants, budgets of projects, and a global limit.
 */
@NullMarked
package dev.fairlead.kernel.overload;

import org.jspecify.annotations.NullMarked;
