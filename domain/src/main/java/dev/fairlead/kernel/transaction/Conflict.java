package dev.fairlead.kernel.transaction;

/**
 * A guarded write found the world changed. The transaction is rolled back. The caller reads again
 * and repeats its decision.
 */
public final class Conflict extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The guard that refused. */
  public enum Guard {
    /** The row's version is not the expected one. */
    VERSION,
    /** A live attempt of the same job and element exists. */
    LIVE_ATTEMPT,
    /** Quota of a node on the path is not enough. */
    QUOTA,
    /** An admission check of the queue does not permit the attempt. */
    CHECK,
    /** The remainder of a budget is too small. */
    BUDGET,
    /** Too few of a licence are free. */
    LICENCE,
    /** A node has too little capacity, does not exist, or its pool does not accept the job now. */
    NODE_ROOM,
    /** A GPU is allocated or missing. */
    GPU_SLOT,
    /** An active object of that name exists. */
    NAME_TAKEN,
    /** A node is reserved at that time. */
    BOOKED,
    /** Another row refers to the row to remove. */
    REFERENCED
  }

  private final Guard guard;
  private final String subject;

  /** {@code subject} names the row, for logs and answers. */
  public Conflict(Guard guard, String subject) {
    super(guard + ": " + subject);
    this.guard = guard;
    this.subject = subject;
  }

  /**
   * Checks the number of rows that a guarded statement has written.
   *
   * @throws Conflict unless it is 1
   */
  public static void unlessOne(int rows, Guard guard, String subject) {
    if (rows != 1) {
      throw new Conflict(guard, subject);
    }
  }

  public Guard guard() {
    return guard;
  }

  public String subject() {
    return subject;
  }
}
