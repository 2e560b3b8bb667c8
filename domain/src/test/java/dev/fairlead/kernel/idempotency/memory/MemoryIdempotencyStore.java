package dev.fairlead.kernel.idempotency.memory;

import dev.fairlead.kernel.idempotency.IdempotencyKey;
import dev.fairlead.kernel.idempotency.IdempotencyStore;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * In-memory implementation of {@link IdempotencyStore}. Claims are outside the tables, so a claim
 * never waits.
 */
public final class MemoryIdempotencyStore implements IdempotencyStore {
  private static final Duration KEPT = Duration.ofHours(24);

  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<String, Row> answers;
  private final Map<IdempotencyKey, Thread> claims = new ConcurrentHashMap<>();

  private record Row(Remembered answer, Instant at) {}

  public MemoryIdempotencyStore(MemoryDatabase database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.answers = database.table();
  }

  @Override
  public Set<IdempotencyKey> claim(Collection<IdempotencyKey> keys) {
    return database.call(() -> keys.stream().filter(this::claimed).collect(Collectors.toSet()));
  }

  private boolean claimed(IdempotencyKey key) {
    Thread me = Thread.currentThread();
    Thread holder = claims.putIfAbsent(key, me);
    if (holder == null) {
      database.atEnd(() -> claims.remove(key));
    }
    return holder == null || holder == me;
  }

  @Override
  public Map<IdempotencyKey, Remembered> find(Collection<IdempotencyKey> keys) {
    return database.call(() -> {
      Map<IdempotencyKey, Remembered> found = new HashMap<>();
      for (IdempotencyKey key : keys) {
        answers
            .find(text(key))
            .filter(row -> clock.instant().isBefore(row.at().plus(KEPT)))
            .ifPresent(row -> found.put(key, row.answer()));
      }
      return found;
    });
  }

  @Override
  public void remember(Map<IdempotencyKey, Remembered> given) {
    database.run(() ->
        given.forEach((key, answer) -> answers.put(text(key), new Row(answer, clock.instant()))));
  }

  private static String text(IdempotencyKey key) {
    return String.join("\n", key.tenant().text(), key.principal(), key.operation(), key.key());
  }
}
