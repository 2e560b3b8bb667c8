package dev.fairlead.work.log;

import java.io.IOException;

/** The log store is not confirmed as this installation's: nothing is written or removed. */
public final class ForeignLogStore extends IOException {
  private static final long serialVersionUID = 1L;
  private final String next;

  /**
   * @param found content of the store, human-readable
   * @param next next steps, as sentences
   */
  public ForeignLogStore(String found, String next) {
    super(found);
    this.next = next;
  }

  /**
   * Another database with the same installation and incarnation writes the claim.
   *
   * @param where name of the claim, human-readable
   * @param holder {@link StoreClaim.Holder#OTHERS} or {@link StoreClaim.Holder#CONTESTED}
   */
  public static ForeignLogStore written(String where, StoreClaim.Holder holder, StoreClaim claim) {
    return new ForeignLogStore(
        where
            + (holder == StoreClaim.Holder.CONTESTED
                ? " is contested: two databases with the same installation and incarnation wrote"
                    + " to it"
                : " was last written by another database with the same installation and"
                    + " incarnation, a copy of this one or its original"),
        "No log is removed. Stop the copy, or configure a different log store for it. Then write \""
            + claim.with("").text()
            + "\" there, see docs/how-to/runbooks/FairleadLogStoreUnproved.md.");
  }

  public String next() {
    return next;
  }
}
