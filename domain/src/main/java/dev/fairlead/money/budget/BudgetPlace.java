package dev.fairlead.money.budget;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;

/**
 * The place where GPUs are used, with everything that determines their price.
 *
 * @param pool name of the pool of the node when the use began, empty if none
 */
public record BudgetPlace(ClusterId cluster, String pool, Flavor flavor) {}
