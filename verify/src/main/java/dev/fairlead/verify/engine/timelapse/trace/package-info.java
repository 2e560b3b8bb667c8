/** Traces of published clusters and the arrivals in them. */
@NullMarked
package dev.fairlead.verify.engine.timelapse.trace;

import org.jspecify.annotations.NullMarked;
