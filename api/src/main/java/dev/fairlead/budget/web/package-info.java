/** Budgets in the REST API. */
@NullMarked
package dev.fairlead.budget.web;

import org.jspecify.annotations.NullMarked;
