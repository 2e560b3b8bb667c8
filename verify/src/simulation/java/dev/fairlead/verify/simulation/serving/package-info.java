/** Model services and their rollouts. */
@NullMarked
package dev.fairlead.verify.simulation.serving;

import org.jspecify.annotations.NullMarked;
