package dev.fairlead.retention;

/** Clears away old rows and makes room for new ones. Several replicas may do it at once. */
public interface OldRows {
  /** Makes sure that the coming days have their place. At start and at least daily. */
  void prepare();

  /**
   * Moves and removes what is over its age, at most about {@code limit} rows of a kind. Returns how
   * many rows that were; call again while it is not 0.
   */
  int clear(Ages ages, int limit);

  /** Adds up what was noted one by one, so that reading it stays fast. Every minute or so. */
  void fold();
}
