/**
 * The whole system in one thread and virtual time: the real commands, loops, engine and appliers on
 * in-memory stores and simulated clusters, with faults drawn from a seed and invariants after every
 * event.
 */
@NullMarked
package dev.fairlead.verify.simulation;

import org.jspecify.annotations.NullMarked;
