/** Instant queries to the Prometheus of a cluster. */
@NullMarked
package dev.fairlead.fleet.prometheus;

import org.jspecify.annotations.NullMarked;
