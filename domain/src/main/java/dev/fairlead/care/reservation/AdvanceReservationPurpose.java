package dev.fairlead.care.reservation;

/** Purpose of reserved nodes. */
public enum AdvanceReservationPurpose {
  /** Only jobs of one project start on the nodes. */
  PROJECT,
  /** No job starts on the nodes. */
  MAINTENANCE
}
