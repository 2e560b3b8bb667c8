/** Metrics of model servers from the Prometheus of a cluster. */
@NullMarked
package dev.fairlead.work.serving.prometheus;

import org.jspecify.annotations.NullMarked;
