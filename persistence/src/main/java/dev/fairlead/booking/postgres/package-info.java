/** Bookings on PostgreSQL. */
@NullMarked
package dev.fairlead.booking.postgres;

import org.jspecify.annotations.NullMarked;
