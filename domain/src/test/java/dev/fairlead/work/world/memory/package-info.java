/** In-memory implementation of the world reader, and all in-memory stores wired together. */
@NullMarked
package dev.fairlead.work.world.memory;

import org.jspecify.annotations.NullMarked;
