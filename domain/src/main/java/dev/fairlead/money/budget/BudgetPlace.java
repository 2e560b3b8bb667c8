package dev.fairlead.money.budget;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;

/**
 * Where GPUs are used: all that their price depends on.
 *
 * @param pool name of the pool of the node when the use began, empty for none
 */
public record BudgetPlace(ClusterId cluster, String pool, Flavor flavor) {}
