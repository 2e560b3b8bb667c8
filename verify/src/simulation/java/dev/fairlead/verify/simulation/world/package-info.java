/** Virtual time, faults, guards and invariants, which all parts of the simulation share. */
@NullMarked
package dev.fairlead.verify.simulation.world;

import org.jspecify.annotations.NullMarked;
