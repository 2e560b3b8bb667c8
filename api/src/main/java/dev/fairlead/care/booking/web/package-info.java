/** Bookings over HTTP. */
@NullMarked
package dev.fairlead.care.booking.web;

import org.jspecify.annotations.NullMarked;
