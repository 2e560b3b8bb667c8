/** Advance reservations over HTTP. */
@NullMarked
package dev.fairlead.care.reservation.web;

import org.jspecify.annotations.NullMarked;
