/** Bookings in memory. */
@NullMarked
package dev.fairlead.care.booking.memory;

import org.jspecify.annotations.NullMarked;
