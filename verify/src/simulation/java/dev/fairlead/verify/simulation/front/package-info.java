/** Front clusters and objects that run in place. */
@NullMarked
package dev.fairlead.verify.simulation.front;

import org.jspecify.annotations.NullMarked;
