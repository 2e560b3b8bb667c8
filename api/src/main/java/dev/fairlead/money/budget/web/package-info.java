/** REST endpoints of budgets. */
@NullMarked
package dev.fairlead.money.budget.web;

import org.jspecify.annotations.NullMarked;
