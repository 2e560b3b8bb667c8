/** Bookings on PostgreSQL. */
@NullMarked
package dev.fairlead.care.booking.postgres;

import org.jspecify.annotations.NullMarked;
