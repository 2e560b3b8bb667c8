/** Levels and domains of a cluster, and how members are packed into them. */
@NullMarked
package dev.fairlead.work.placement.topology;

import org.jspecify.annotations.NullMarked;
