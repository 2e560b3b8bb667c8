package dev.fairlead.fleet.quota;

import dev.fairlead.fleet.node.window.RecurringWindow;
import org.jspecify.annotations.Nullable;

/**
 * Other amounts of a limit while a window is open. At least one amount is given.
 *
 * @param nominal replaces the limit's nominal amount, null = unchanged
 * @param borrowingLimit replaces the limit's borrowing limit, null = unchanged
 */
public record LimitWindow(
    RecurringWindow window, @Nullable Long nominal, @Nullable Long borrowingLimit) {}
