/** One consistent read of all inputs of the scheduler. */
@NullMarked
package dev.fairlead.work.world.postgres;

import org.jspecify.annotations.NullMarked;
