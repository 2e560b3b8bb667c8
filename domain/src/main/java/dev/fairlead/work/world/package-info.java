/** One consistent view of everything the scheduler decides on. */
@NullMarked
package dev.fairlead.work.world;

import org.jspecify.annotations.NullMarked;
