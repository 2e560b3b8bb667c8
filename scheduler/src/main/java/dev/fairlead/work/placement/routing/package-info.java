/** Clusters and flavors that a job may try, in order. */
@NullMarked
package dev.fairlead.work.placement.routing;

import org.jspecify.annotations.NullMarked;
