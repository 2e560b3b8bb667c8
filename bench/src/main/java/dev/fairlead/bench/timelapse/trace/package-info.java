/** Traces of published clusters and the arrivals in them. */
@NullMarked
package dev.fairlead.bench.timelapse.trace;

import org.jspecify.annotations.NullMarked;
