/** Series of the DCGM exporter from the Prometheus of a cluster. */
@NullMarked
package dev.fairlead.care.health.dcgm.prometheus;

import org.jspecify.annotations.NullMarked;
