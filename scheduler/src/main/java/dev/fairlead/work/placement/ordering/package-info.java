/** Heads of queues, and the order between queues. */
@NullMarked
package dev.fairlead.work.placement.ordering;

import org.jspecify.annotations.NullMarked;
