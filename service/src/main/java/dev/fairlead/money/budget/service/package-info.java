/** Budgets as owners set them, and the loop that renews reservations and announces thresholds. */
@NullMarked
package dev.fairlead.money.budget.service;

import org.jspecify.annotations.NullMarked;
