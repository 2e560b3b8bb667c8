/** Measurements of Fairlead itself: the one list of its metrics. */
@NullMarked
package dev.fairlead.kernel.metric;

import org.jspecify.annotations.NullMarked;
