package dev.fairlead.fleet.quota;

import dev.fairlead.fleet.node.RecurringWindow;
import org.jspecify.annotations.Nullable;

/**
 * Other amounts of a limit for as long as a window is open; at least one of them is given.
 *
 * @param nominal in place of that of the limit; null = as the limit has it
 * @param borrowingLimit in place of that of the limit; null = as the limit has it
 */
public record LimitWindow(
    RecurringWindow window, @Nullable Long nominal, @Nullable Long borrowingLimit) {}
