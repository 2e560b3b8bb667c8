package dev.fairlead.kernel.lifecycle;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** State x event -> next state, as data. Immutable. A pair without a row is not a transition. */
public final class TransitionTable<S extends Enum<S>, E extends Enum<E>> {
  private final Class<S> states;
  private final Class<E> events;
  private final Map<S, Map<E, S>> rows;

  private TransitionTable(Class<S> states, Class<E> events, Map<S, Map<E, S>> rows) {
    this.states = states;
    this.events = events;
    this.rows = rows;
  }

  public static <S extends Enum<S>, E extends Enum<E>> Builder<S, E> of(
      Class<S> states, Class<E> events) {
    return new Builder<>(states, events);
  }

  public Optional<S> next(S state, E event) {
    Map<E, S> row = rows.get(state);
    return row == null ? Optional.empty() : Optional.ofNullable(row.get(event));
  }

  /** Returns whether no event leaves the state. */
  public boolean terminal(S state) {
    return !rows.containsKey(state);
  }

  public S[] states() {
    return states.getEnumConstants();
  }

  public E[] events() {
    return events.getEnumConstants();
  }

  /** Collects rows. A pair given twice is a programming error. */
  public static final class Builder<S extends Enum<S>, E extends Enum<E>> {
    private final Class<S> states;
    private final Class<E> events;
    private final Map<S, Map<E, S>> rows;

    private Builder(Class<S> states, Class<E> events) {
      this.states = states;
      this.events = events;
      this.rows = new EnumMap<>(states);
    }

    /** On the event, each of these states changes to {@code next}. */
    @SafeVarargs
    public final Builder<S, E> on(E event, S next, S... from) {
      for (S state : from) {
        S earlier = rows.computeIfAbsent(state, s -> new EnumMap<>(events)).put(event, next);
        if (earlier != null) {
          throw new IllegalStateException("two rows for " + state + " on " + event);
        }
      }
      return this;
    }

    public TransitionTable<S, E> build() {
      return new TransitionTable<>(states, events, rows);
    }
  }
}
