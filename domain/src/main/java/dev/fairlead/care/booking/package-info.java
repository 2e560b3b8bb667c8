/** Bookings: nodes that are kept for a project, or for maintenance, from one time to another. */
@NullMarked
package dev.fairlead.care.booking;

import org.jspecify.annotations.NullMarked;
