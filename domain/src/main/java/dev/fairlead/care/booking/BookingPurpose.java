package dev.fairlead.care.booking;

/** What nodes are booked for. */
public enum BookingPurpose {
  /** Only jobs of one project start there. */
  PROJECT,
  /** No job starts there. */
  MAINTENANCE
}
