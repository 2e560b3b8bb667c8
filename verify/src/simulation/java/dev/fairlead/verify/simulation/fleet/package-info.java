/** Replays of large fleets and of three clusters with different prices. */
@NullMarked
package dev.fairlead.verify.simulation.fleet;

import org.jspecify.annotations.NullMarked;
