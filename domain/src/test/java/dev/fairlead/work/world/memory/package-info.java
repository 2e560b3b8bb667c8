/** In-memory twin of the world reader, and all twins wired together. */
@NullMarked
package dev.fairlead.work.world.memory;

import org.jspecify.annotations.NullMarked;
