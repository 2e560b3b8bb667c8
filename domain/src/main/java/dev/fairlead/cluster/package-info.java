/** The fleet: clusters, nodes, GPUs by serial number, and where they stand to each other. */
@NullMarked
package dev.fairlead.cluster;

import org.jspecify.annotations.NullMarked;
