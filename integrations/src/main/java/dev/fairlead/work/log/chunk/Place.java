package dev.fairlead.work.log.chunk;

import java.io.IOException;

/** Location of a chunk store, for the mark of its installation. */
interface Place {
  /** Location of the mark, for messages. */
  String markName();

  /** Next step if the mark is missing. */
  String question();

  /** Text of the mark, empty without one. */
  String mark() throws IOException;

  /** Writes the mark atomically. */
  void mark(String text) throws IOException;

  /** Whether the location is empty. */
  boolean empty() throws IOException;
}
