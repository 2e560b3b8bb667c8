/** Processes, their clients, and jobs with their invariants. */
@NullMarked
package dev.fairlead.verify.simulation.work;

import org.jspecify.annotations.NullMarked;
