package dev.fairlead.work.log;

import java.io.IOException;

/** The log store is not confirmed as this installation's: nothing is written or removed. */
public final class ForeignLogStore extends IOException {
  private static final long serialVersionUID = 1L;
  private final String next;

  /**
   * @param found content of the place, human-readable
   * @param next what to do about it, as sentences
   */
  public ForeignLogStore(String found, String next) {
    super(found);
    this.next = next;
  }

  /**
   * Another database with the same installation and incarnation writes the mark.
   *
   * @param where name of the mark, human-readable
   * @param claim {@link StoreMark.Claim#OTHERS} or {@link StoreMark.Claim#CONTESTED}
   */
  public static ForeignLogStore written(String where, StoreMark.Claim claim, StoreMark mark) {
    return new ForeignLogStore(
        where
            + (claim == StoreMark.Claim.CONTESTED
                ? " is contested: two databases with the same installation and incarnation wrote it"
                : " was last written by another database with the same installation and"
                    + " incarnation, a copy of this one or its original"),
        "No log is removed. Stop the copy, or give it another place. Then write \""
            + mark.with("").text()
            + "\" there, see docs/how-to/runbooks/FairleadLogStoreUnproved.md.");
  }

  public String next() {
    return next;
  }
}
