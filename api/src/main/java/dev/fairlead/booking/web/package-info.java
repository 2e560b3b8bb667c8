/** Bookings over HTTP. */
@NullMarked
package dev.fairlead.booking.web;

import org.jspecify.annotations.NullMarked;
