package dev.fairlead.money.price;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When a price applies: in [from, to).
 *
 * @param from first instant
 * @param to first instant after it, null = forever. The price no longer applies at {@code from}
 */
public record Validity(Instant from, @Nullable Instant to) {
  public boolean covers(Instant at) {
    return !at.isBefore(from) && (to == null || at.isBefore(to));
  }

  /** Returns whether the period never applies. */
  public boolean empty() {
    return to != null && !from.isBefore(to);
  }

  /** Returns whether both apply at one instant. */
  public boolean overlaps(Validity other) {
    return !empty() && !other.empty() && startsBeforeEndOf(other) && other.startsBeforeEndOf(this);
  }

  private boolean startsBeforeEndOf(Validity other) {
    return other.to == null || from.isBefore(other.to);
  }

  /** The part before the instant. */
  Validity until(Instant end) {
    return to != null && to.isBefore(end) ? this : new Validity(from, end);
  }
}
