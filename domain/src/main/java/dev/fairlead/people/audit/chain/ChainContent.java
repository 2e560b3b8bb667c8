package dev.fairlead.people.audit.chain;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The canonical text of an audit row, which two different rows never share: each value with its
 * name and its length in front. It is built by the service and not by the database, because the
 * chain verifies the database. Sealed rows were hashed in this form, so a later column is appended
 * after the others, and only if it is set.
 */
public final class ChainContent {
  private final StringBuilder text = new StringBuilder();

  /** Starts the text of the row at this position and time. */
  public ChainContent(ChainPosition position, Instant at) {
    with("incarnation", position.incarnation());
    with("transaction", position.transaction());
    with("row", position.row());
    with("at", at);
  }

  /** Adds a value of the row, null if it has none. */
  public ChainContent with(String name, @Nullable Object value) {
    text.append(name);
    if (value == null) {
      text.append('-');
    } else {
      String said = value.toString();
      text.append(said.length()).append(':').append(said);
    }
    text.append('\n');
    return this;
  }

  /** Returns the text that {@link ChainKey} hashes. */
  public String text() {
    return text.toString();
  }
}
