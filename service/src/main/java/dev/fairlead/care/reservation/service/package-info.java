/** Creates, cancels and reads advance reservations of nodes. */
@NullMarked
package dev.fairlead.care.reservation.service;

import org.jspecify.annotations.NullMarked;
