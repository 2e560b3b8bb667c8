/** Faults of GPUs in the series of the DCGM exporter. */
@NullMarked
package dev.fairlead.care.health.dcgm;

import org.jspecify.annotations.NullMarked;
