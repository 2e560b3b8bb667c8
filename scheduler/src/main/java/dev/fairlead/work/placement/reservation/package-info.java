/** Capacity that is kept for waiting jobs, and the attempts that still hold it. */
@NullMarked
package dev.fairlead.work.placement.reservation;

import org.jspecify.annotations.NullMarked;
