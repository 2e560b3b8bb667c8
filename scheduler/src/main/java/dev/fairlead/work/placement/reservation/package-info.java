/** Capacity that is reserved for waiting jobs, and the attempts that still use it. */
@NullMarked
package dev.fairlead.work.placement.reservation;

import org.jspecify.annotations.NullMarked;
