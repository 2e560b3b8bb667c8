/** AdvanceReservations: nodes reserved for a project, or for maintenance, for a period. */
@NullMarked
package dev.fairlead.care.reservation;

import org.jspecify.annotations.NullMarked;
