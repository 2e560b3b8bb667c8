package dev.fairlead.care.supply;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The response of a provisioner to a {@link SupplyCall}. */
public sealed interface SupplyAnswer {
  /** The provisioner's response about the request. */
  enum Word {
    PENDING,
    GRANTED,
    REFUSED,
    /** The nodes to return were returned, and no more will be added. */
    RELEASED
  }

  /**
   * A valid response.
   *
   * @param nodes known names of the added nodes
   * @param message human-readable text, empty if none
   * @param retryAfter time without nodes, null if unknown
   */
  record Answered(Word word, List<String> nodes, String message, @Nullable Duration retryAfter)
      implements SupplyAnswer {
    public Answered {
      nodes = List.copyOf(nodes);
    }
  }

  /** No response, or an unreadable response. */
  record Unanswered(String why) implements SupplyAnswer {}
}
