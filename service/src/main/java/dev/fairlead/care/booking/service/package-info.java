/** Bookings of nodes: made, cancelled and read. */
@NullMarked
package dev.fairlead.care.booking.service;

import org.jspecify.annotations.NullMarked;
