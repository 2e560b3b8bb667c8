/** Advance reservations in memory. */
@NullMarked
package dev.fairlead.care.reservation.memory;

import org.jspecify.annotations.NullMarked;
