package dev.fairlead.work.log.chunk;

import java.io.IOException;

/** Where a store keeps its chunks, as far as it concerns the mark of its installation. */
interface Place {
  /** Where the mark is, for people. */
  String markName();

  /** What to ask when it is missing. */
  String question();

  /** Text of the mark; empty when there is none. */
  String mark() throws IOException;

  /** Writes the mark, whole or not at all. */
  void mark(String text) throws IOException;

  /** Whether nothing is there. */
  boolean empty() throws IOException;
}
