/** What attempts make of the GPUs that they hold, as the Prometheus of a cluster tells it. */
@NullMarked
package dev.fairlead.money.efficiency;

import org.jspecify.annotations.NullMarked;
