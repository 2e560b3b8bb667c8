package dev.fairlead.care.reservation;

/** What nodes are booked for. */
public enum AdvanceReservationPurpose {
  /** Only jobs of one project start there. */
  PROJECT,
  /** No job starts there. */
  MAINTENANCE
}
