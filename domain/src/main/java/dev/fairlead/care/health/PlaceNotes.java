package dev.fairlead.care.health;

import org.jspecify.annotations.Nullable;

/**
 * Reports whether cordons, operations, quarantines, incidents, repairs or announced notices of any
 * cluster changed. A change is visible here exactly when it is visible in its store, whichever
 * process made it.
 */
public interface PlaceNotes {
  /** The position of a view in the sequence of changes. Opaque to its holder. */
  interface Position {}

  /**
   * The changes since an earlier position.
   *
   * @param changed true also if the notes since then are no longer stored
   * @param position for the next call
   */
  record Delta(boolean changed, Position position) {}

  /**
   * Reads the changes since an earlier position. Must be the first read inside one consistent view:
   * data read in the same view is then valid until a later call reports a change.
   *
   * @param before position of an earlier call whose view was read successfully, null if none
   */
  Delta since(@Nullable Position before);
}
