package dev.fairlead.log;

import java.io.IOException;

/** Where logs are kept is not known to be this installation's: nothing is written or removed. */
public final class ForeignLogStore extends IOException {
  private static final long serialVersionUID = 1L;
  private final String next;

  /**
   * @param found what is there, for people
   * @param next what to do about it, as sentences
   */
  public ForeignLogStore(String found, String next) {
    super(found);
    this.next = next;
  }

  public String next() {
    return next;
  }
}
