package dev.fairlead.people.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * All that a row of the audit says, in one form that two different rows never share: each value
 * with its name and its length in front. It is made here and not by the database that is judged.
 * What is sealed was hashed in this form: a later column is added behind the others, only where it
 * is set.
 */
public final class ChainContent {
  private final StringBuilder text = new StringBuilder();

  /** Of the row that stands there and began then. */
  public ChainContent(ChainPosition position, Instant at) {
    with("incarnation", position.incarnation());
    with("transaction", position.transaction());
    with("row", position.row());
    with("at", at);
  }

  /** Adds a value of the row, null when it has none. */
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

  /** What {@link ChainKey} makes the digest of. */
  public String text() {
    return text.toString();
  }
}
