/** Advance reservations of nodes: made, cancelled and read. */
@NullMarked
package dev.fairlead.care.reservation.service;

import org.jspecify.annotations.NullMarked;
