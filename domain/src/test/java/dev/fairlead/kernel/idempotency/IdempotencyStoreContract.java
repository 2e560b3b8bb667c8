package dev.fairlead.kernel.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.idempotency.IdempotencyStore.Remembered;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims and stored responses of every {@link IdempotencyStore}. */
public abstract class IdempotencyStoreContract {
  private static final long BOUND_SECONDS = 60;
  private static final Remembered ANSWER = new Remembered("hash-1", "job_1");

  private Stores stores;
  private IdempotencyStore keys;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
    keys = stores.idempotency();
  }

  @Test
  void aNewKeyIsUnknown() {
    assertThat(find(keys, key("ana", "submit", "k"))).isEmpty();
  }

  @Test
  void responseIsStoredWithItsEffect() {
    IdempotencyKey key = key("ana", "submit", "k");

    stores.transactions().run(() -> remember(keys, key, ANSWER));

    assertThat(find(keys, key)).contains(ANSWER);
  }

  @Test
  void responseOfARolledBackEffectIsForgotten() {
    IdempotencyKey key = key("ana", "submit", "k");

    assertThatThrownBy(() ->
            stores
                .transactions()
                .run(() -> {
                  remember(keys, key, ANSWER);
                  throw new IllegalStateException("undo");
                }))
        .hasMessage("undo");

    assertThat(find(keys, key)).isEmpty();
  }

  @Test
  void keysAreScopedByCallerOperationAndTenant() {
    stores.transactions().run(() -> remember(keys, key("ana", "submit", "k"), ANSWER));
    IdempotencyKey foreign =
        new IdempotencyKey(TestWorld.in(stores).tenant().id(), "ana", "submit", "k");

    assertThat(find(keys, key("bob", "submit", "k"))).isEmpty();
    assertThat(find(keys, key("ana", "cancel", "k"))).isEmpty();
    assertThat(find(keys, key("ana", "submit", "k2"))).isEmpty();
    assertThat(find(keys, foreign)).isEmpty();
  }

  @Test
  void aClaimedKeyIsNotClaimedByAnotherTransaction() throws Exception {
    // Fails when the claim is a row: the other transaction would wait for this commit, or not see
    // the row.
    IdempotencyKey key = key("ana", "submit", "k");
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      boolean taken =
          stores
              .transactions()
              .call(() -> {
                assertThat(claim(keys, key)).isTrue();
                return claimedBy(other, key);
              });
      assertThat(taken).isFalse();
      assertThat(claimedBy(other, key)).isTrue();
    }
  }

  @Test
  void aClaimMayBeRepeatedInItsTransaction() {
    IdempotencyKey key = key("ana", "submit", "k");

    stores
        .transactions()
        .run(() -> {
          assertThat(claim(keys, key)).isTrue();
          assertThat(claim(keys, key)).isTrue();
        });
  }

  @Test
  void responseIsStoredForADay() {
    IdempotencyKey key = key("ana", "submit", "k");
    stores.transactions().run(() -> remember(keys, key, ANSWER));
    stores.advance(Duration.ofHours(23));

    assertThat(find(keys, key)).contains(ANSWER);
    stores.advance(Duration.ofHours(1));

    assertThat(find(keys, key)).isEmpty();
  }

  private boolean claimedBy(ExecutorService other, IdempotencyKey key) {
    try {
      Future<Boolean> claim =
          other.submit(() -> stores.transactions().call(() -> claim(keys, key)));
      return claim.get(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (Exception broken) {
      throw new IllegalStateException(broken);
    }
  }

  private IdempotencyKey key(String principal, String operation, String key) {
    return new IdempotencyKey(world.tenant().id(), principal, operation, key);
  }

  private static boolean claim(IdempotencyStore keys, IdempotencyKey key) {
    return !keys.claim(List.of(key)).isEmpty();
  }

  private static Optional<IdempotencyStore.Remembered> find(
      IdempotencyStore keys, IdempotencyKey key) {
    return Optional.ofNullable(keys.find(List.of(key)).get(key));
  }

  private static void remember(
      IdempotencyStore keys, IdempotencyKey key, IdempotencyStore.Remembered answer) {
    keys.remember(Map.of(key, answer));
  }
}
