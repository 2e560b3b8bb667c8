/** Simulates the loss of a cluster and its effect on jobs. */
@NullMarked
package dev.fairlead.work.placement.failover;

import org.jspecify.annotations.NullMarked;
