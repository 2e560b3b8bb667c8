package dev.fairlead.care.reservation;

/** Purpose of reserved nodes. */
public enum AdvanceReservationPurpose {
  /** Only jobs of one project start there. */
  PROJECT,
  /** No job starts there. */
  MAINTENANCE
}
