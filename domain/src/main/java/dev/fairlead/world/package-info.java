/** One consistent view of everything the scheduler decides on. */
@NullMarked
package dev.fairlead.world;

import org.jspecify.annotations.NullMarked;
