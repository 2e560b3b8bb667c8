/** Budgets in the REST API. */
@NullMarked
package dev.fairlead.money.budget.web;

import org.jspecify.annotations.NullMarked;
