/** Levels and domains of a cluster. */
@NullMarked
package dev.fairlead.work.placement.topology;

import org.jspecify.annotations.NullMarked;
