/**
 * Prevents one client's overload from starving the others, by budgets and permits of callers and
 * tenants, budgets of projects, and a global limit.
 */
@NullMarked
package dev.fairlead.kernel.overload;

import org.jspecify.annotations.NullMarked;
