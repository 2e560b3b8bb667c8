/** Reservations for the first waiting jobs, at the earliest time when their nodes can be free. */
@NullMarked
package dev.fairlead.work.placement.backfill;

import org.jspecify.annotations.NullMarked;
