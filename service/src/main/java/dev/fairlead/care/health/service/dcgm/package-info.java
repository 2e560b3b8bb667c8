/** Reads faults of GPUs from the Prometheus of clusters. */
@NullMarked
package dev.fairlead.care.health.service.dcgm;

import org.jspecify.annotations.NullMarked;
