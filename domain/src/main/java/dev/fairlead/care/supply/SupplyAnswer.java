package dev.fairlead.care.supply;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a supplier says to a {@link SupplyCall}. */
public sealed interface SupplyAnswer {
  /** What it says of the request. */
  enum Word {
    PENDING,
    GRANTED,
    REFUSED,
    /** What was not to be kept is handed back, and nothing more comes. */
    RELEASED
  }

  /**
   * It answered.
   *
   * @param nodes names of the nodes that it gives, as far as it knows them
   * @param message for people, empty for none
   * @param retryAfter how long it will have none, null when it does not say
   */
  record Answered(Word word, List<String> nodes, String message, @Nullable Duration retryAfter)
      implements SupplyAnswer {
    public Answered {
      nodes = List.copyOf(nodes);
    }
  }

  /** It did not, or not in a way that can be read. */
  record Unanswered(String why) implements SupplyAnswer {}
}
