/** Bookings in memory. */
@NullMarked
package dev.fairlead.booking.memory;

import org.jspecify.annotations.NullMarked;
