/** Metrics of model servers, as a Prometheus of their cluster has them. */
@NullMarked
package dev.fairlead.work.serving.signal;

import org.jspecify.annotations.NullMarked;
