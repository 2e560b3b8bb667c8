package dev.fairlead.budget;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.resources.Flavor;

/**
 * Where GPUs are used: all that their price depends on.
 *
 * @param pool name of the pool of the node when the use began, empty for none
 */
public record BudgetPlace(ClusterId cluster, String pool, Flavor flavor) {}
