/** The fleet: clusters, their connections, and their features and nodes. */
@NullMarked
package dev.fairlead.fleet.cluster;

import org.jspecify.annotations.NullMarked;
