/** Advance reservations on PostgreSQL. */
@NullMarked
package dev.fairlead.care.reservation.postgres;

import org.jspecify.annotations.NullMarked;
