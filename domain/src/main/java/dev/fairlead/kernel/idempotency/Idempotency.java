package dev.fairlead.kernel.idempotency;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a request with a key take effect only once. Must be used inside the transaction of the
 * effect.
 */
public final class Idempotency {
  private final IdempotencyStore store;

  public Idempotency(IdempotencyStore store) {
    this.store = store;
  }

  /**
   * The reference stored by an earlier request with this key, empty if this request is the first or
   * has no key.
   *
   * @throws Refusal IDEMPOTENCY_IN_FLIGHT while another request with the key is in progress,
   *     IDEMPOTENCY_KEY_REUSED when the key was used with another body
   */
  public Optional<String> earlier(Actor actor, String operation, @Nullable RequestKey request) {
    if (request == null) {
      return Optional.empty();
    }
    return switch (earlierOfEach(actor, operation, List.of(request)).getFirst()) {
      case KeyState.New first -> Optional.empty();
      case KeyState.Answered answered -> Optional.of(answered.reference());
      case KeyState.Refused refused -> throw refused.refusal();
    };
  }

  /** Earlier result of a request with a key. */
  public sealed interface KeyState {
    /** The first request with the key. */
    record New() implements KeyState {}

    /** An earlier one left this. */
    record Answered(String reference) implements KeyState {}

    /** IDEMPOTENCY_IN_FLIGHT or IDEMPOTENCY_KEY_REUSED. */
    record Refused(Refusal refusal) implements KeyState {}
  }

  /**
   * Earlier results of these requests of one operation, in their order. Two transactions cannot
   * claim one key. A repeated claim by the same transaction succeeds.
   */
  public List<KeyState> earlierOfEach(Actor actor, String operation, List<RequestKey> requests) {
    List<IdempotencyKey> keys =
        requests.stream().map(request -> key(actor, operation, request)).toList();
    Set<IdempotencyKey> claimed = store.claim(keys);
    Map<IdempotencyKey, IdempotencyStore.Remembered> known =
        claimed.isEmpty() ? Map.of() : store.find(claimed);
    return requests.stream()
        .map(request -> {
          IdempotencyKey key = key(actor, operation, request);
          return claimed.contains(key) ? earlier(request, known.get(key)) : inFlight();
        })
        .toList();
  }

  private static KeyState earlier(RequestKey request, IdempotencyStore.@Nullable Remembered known) {
    if (known == null) {
      return new KeyState.New();
    }
    return known.requestHash().equals(request.requestHash())
        ? new KeyState.Answered(known.reference())
        : new KeyState.Refused(
            new Refusal(
                ProblemCode.IDEMPOTENCY_KEY_REUSED,
                "This Idempotency-Key was used with a different body. Use a new key for a new"
                    + " request."));
  }

  private static KeyState inFlight() {
    return new KeyState.Refused(
        new Refusal(
            ProblemCode.IDEMPOTENCY_IN_FLIGHT,
            "A request with this Idempotency-Key is in progress. Repeat it in a moment."));
  }

  public void remember(
      Actor actor, String operation, @Nullable RequestKey request, String reference) {
    if (request != null) {
      remember(actor, operation, Map.of(request, reference));
    }
  }

  /** Objects that these requests of one operation created, by request. */
  public void remember(Actor actor, String operation, Map<RequestKey, String> references) {
    Map<IdempotencyKey, IdempotencyStore.Remembered> answers = new LinkedHashMap<>();
    references.forEach((request, reference) ->
        answers.put(
            key(actor, operation, request),
            new IdempotencyStore.Remembered(request.requestHash(), reference)));
    store.remember(answers);
  }

  /** For the replay of a request whose result was deleted: its effect is not repeated. */
  public static Refusal removed(String what) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "The "
            + what
            + " created by the request with this Idempotency-Key was removed. Use a new key to"
            + " create another.");
  }

  private static IdempotencyKey key(Actor actor, String operation, RequestKey request) {
    return new IdempotencyKey(actor.tenant(), actor.name(), operation, request.key());
  }
}
