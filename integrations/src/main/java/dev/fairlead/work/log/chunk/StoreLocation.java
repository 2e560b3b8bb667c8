package dev.fairlead.work.log.chunk;

import java.io.IOException;

/** Location of a chunk store, for the claim of its installation. */
interface StoreLocation {
  /** Location of the claim, for messages. */
  String claimName();

  /** Next step if the claim is missing. */
  String question();

  /** Text of the claim, empty without one. */
  String claim() throws IOException;

  /** Writes the claim atomically. */
  void claim(String text) throws IOException;

  /** Returns whether the location is empty. */
  boolean empty() throws IOException;
}
