/** GPU metrics of pods from the Prometheus of a cluster. */
@NullMarked
package dev.fairlead.money.efficiency.prometheus;

import org.jspecify.annotations.NullMarked;
