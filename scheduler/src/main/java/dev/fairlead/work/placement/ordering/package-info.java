/** Heads of queues, and the order of queues. */
@NullMarked
package dev.fairlead.work.placement.ordering;

import org.jspecify.annotations.NullMarked;
