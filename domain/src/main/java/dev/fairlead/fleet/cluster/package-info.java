/** The fleet: clusters, how they are reached, and what they offer with all their nodes. */
@NullMarked
package dev.fairlead.fleet.cluster;

import org.jspecify.annotations.NullMarked;
