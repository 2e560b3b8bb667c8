package dev.fairlead.care.reservation;

/** Purpose of booked nodes. */
public enum AdvanceReservationPurpose {
  /** Only jobs of one project start there. */
  PROJECT,
  /** No job starts there. */
  MAINTENANCE
}
