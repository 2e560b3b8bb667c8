package dev.fairlead.work.serving.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.key.GateBatch;
import dev.fairlead.work.serving.key.KeyChanges;
import dev.fairlead.work.serving.key.KeyMinute;
import dev.fairlead.work.serving.key.KeyUse;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.service.GateBooks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Counts and limits of one gate and of several gates together. */
class KeyMeterTest {
  private static final KeyChanges NO_KEYS = new KeyChanges(1, true, List.of());
  private static final Instant MINUTE = Instant.parse("2030-01-01T00:00:00Z");
  private static final int LIMIT = 120;
  private static final ServiceKey KEY =
      new ServiceKey(
          new ServiceKey.Name(new ModelServiceId(new UUID(1, 1)), "app"),
          new TenantId(new UUID(1, 2)),
          "hash",
          "ana",
          MINUTE,
          MINUTE.plusSeconds(3600),
          null,
          LIMIT,
          null,
          null);

  /** Gates with the requests of the minute that each stored. */
  private static final class Gates {
    private final List<KeyMeter> meters = new ArrayList<>();
    private long stored;
    private long admitted;

    Gates(int count) {
      for (int i = 0; i < count; i++) {
        meters.add(new KeyMeter(new UUID(2, i)));
      }
      for (int i = 0; i < count; i++) {
        exchange(i);
      }
    }

    void exchange(int gate) {
      stored += requests(meters.get(gate).next());
      confirmed(gate);
    }

    void confirmed(int gate) {
      meters
          .get(gate)
          .confirmed(
              new GateBooks.Shared(
                  MINUTE,
                  NO_KEYS,
                  List.of(new KeyMinute(KEY.key(), MINUTE, stored, 0)),
                  meters.size()));
    }

    boolean asks(int gate, int second) {
      boolean granted = meters.get(gate).admit(KEY, MINUTE.plusSeconds(second)).isEmpty();
      admitted += granted ? 1 : 0;
      return granted;
    }
  }

  private static long requests(GateBatch batch) {
    return batch.minutes().stream().mapToLong(KeyMinute::requests).sum();
  }

  @Test
  void oneGateHoldsALimitExactly() {
    Gates gates = new Gates(1);
    for (int i = 0; i < 10 * LIMIT; i++) {
      boolean _ = gates.asks(0, i / 30);
      if (i % 7 == 0) {
        gates.exchange(0);
      }
    }
    assertThat(gates.admitted).isEqualTo(LIMIT);
  }

  /** Fails when several gates each grant the whole limit. */
  @Test
  void severalGatesExceedALimitByLessThanTheLimit() {
    for (long seed = 0; seed < 2_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int count = random.nextInt(2, 6);
      Gates gates = new Gates(count);
      for (int i = 0; i < 20 * LIMIT; i++) {
        int gate = random.nextInt(count);
        if (random.nextInt(30) == 0) {
          gates.exchange(gate);
        } else {
          boolean _ = gates.asks(gate, i / 50);
        }
      }
      assertThat(gates.admitted)
          .as("seed %d", seed)
          .isBetween((long) LIMIT, LIMIT + (long) LIMIT * (count - 1) / count + count);
    }
  }

  /** Fails when a key gets only a share of its limit because the other gates have no requests. */
  @Test
  void aKeyThatUsesOneOfSeveralGatesReachesItsLimit() {
    Gates gates = new Gates(3);
    for (int second = 0; second < 60; second += 2) {
      while (gates.asks(1, second)) {
        assertThat(gates.admitted).isLessThanOrEqualTo(LIMIT);
      }
      gates.exchange(1);
    }
    assertThat(gates.admitted).isEqualTo(LIMIT);
  }

  @Test
  void withoutADatabaseEachGateGrantsItsShare() {
    Gates gates = new Gates(3);
    int next = 0;
    for (int i = 0; i < 3 * LIMIT; i++) {
      boolean _ = gates.asks(next, 59);
      next = (next + 1) % 3;
    }
    assertThat(gates.admitted).isEqualTo(LIMIT);
    assertThat(gates.meters.getFirst().admit(KEY, MINUTE.plusSeconds(60))).isEmpty();
  }

  @Test
  void retryAfterEndsWithTheMinuteUnlessAnotherGateHasAShare() {
    Gates one = new Gates(1);
    Gates two = new Gates(2);
    for (int i = 0; i < LIMIT; i++) {
      boolean _ = one.asks(0, 10);
      boolean _ = two.asks(0, 10);
    }
    assertThat(retry(one, 10)).isEqualTo(Duration.ofSeconds(51));
    assertThat(retry(two, 10)).isEqualTo(Duration.ofSeconds(2));
  }

  private static Duration retry(Gates gates, int second) {
    return gates
        .meters
        .getFirst()
        .admit(KEY, MINUTE.plusSeconds(second))
        .orElseThrow()
        .retryAfter();
  }

  /** Fails when a lost answer of the database counts requests twice, or loses later ones. */
  @Test
  void aBatchIsRepeatedUntilItIsConfirmed() {
    KeyMeter meter = new KeyMeter(new UUID(2, 1));
    ended(meter);
    GateBatch first = meter.next();
    ended(meter);
    assertThat(meter.next()).isSameAs(first);
    assertThat(meter.owes()).isTrue();
    meter.confirmed(new GateBooks.Shared(MINUTE, NO_KEYS, List.of(), 1));
    GateBatch second = meter.next();
    assertThat(second.number()).isEqualTo(first.number() + 1);
    assertThat(second.hours()).isEqualTo(first.hours()).hasSize(1);
    meter.confirmed(new GateBooks.Shared(MINUTE, NO_KEYS, List.of(), 1));
    assertThat(meter.owes()).isFalse();
    assertThat(meter.next().hours()).isEmpty();
  }

  private static void ended(KeyMeter meter) {
    meter.ended(KEY.key(), 1, new KeyUse(1, 7, 5, 0), 12, new TrafficCount(1, 0, 10), MINUTE);
  }
}
