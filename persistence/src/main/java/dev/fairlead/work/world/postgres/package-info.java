/** One consistent read of everything the scheduler may know. */
@NullMarked
package dev.fairlead.work.world.postgres;

import org.jspecify.annotations.NullMarked;
