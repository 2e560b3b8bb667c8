package dev.fairlead.idempotency;

import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lets a keyed request have its effect once. To be used inside the transaction of the effect. */
public final class Idempotency {
  private final IdempotencyStore store;

  public Idempotency(IdempotencyStore store) {
    this.store = store;
  }

  /**
   * The reference that an earlier request with this key left; empty when this one is the first, or
   * carries no key.
   *
   * @throws Refusal IDEMPOTENCY_IN_FLIGHT while another request with the key is under way,
   *     IDEMPOTENCY_KEY_REUSED when the key came with another body
   */
  public Optional<String> earlier(Actor actor, String operation, @Nullable RequestKey request) {
    if (request == null) {
      return Optional.empty();
    }
    IdempotencyKey key = key(actor, operation, request);
    if (!store.claim(key)) {
      throw new Refusal(
          ProblemCode.IDEMPOTENCY_IN_FLIGHT,
          "A request with this Idempotency-Key is being carried out. Repeat it in a moment.");
    }
    Optional<IdempotencyStore.Remembered> known = store.find(key);
    known
        .filter(answer -> !answer.requestHash().equals(request.requestHash()))
        .ifPresent(answer -> {
          throw new Refusal(
              ProblemCode.IDEMPOTENCY_KEY_REUSED,
              "This Idempotency-Key was used with another body. Use a new key for a new"
                  + " request.");
        });
    return known.map(IdempotencyStore.Remembered::reference);
  }

  public void remember(
      Actor actor, String operation, @Nullable RequestKey request, String reference) {
    if (request != null) {
      store.remember(
          key(actor, operation, request),
          new IdempotencyStore.Remembered(request.requestHash(), reference));
    }
  }

  /** For the replay of a request whose result is there no more: its effect is not repeated. */
  public static Refusal removed(String what) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "The "
            + what
            + " that the request with this Idempotency-Key created was removed. Use a new key to"
            + " create another.");
  }

  private static IdempotencyKey key(Actor actor, String operation, RequestKey request) {
    return new IdempotencyKey(actor.tenant(), actor.name(), operation, request.key());
  }
}
