package dev.fairlead.money.usage.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.HourSums;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseFacts;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.memory.MemoryStores;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Effect of a rebuild of an hour, and the work that it blocks. */
class UsageCommandsTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final Instant NOW = Instant.parse("2030-06-01T00:00:00Z");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final Actor operator = new Actor(new TenantId(new UUID(0, 1)), "olga", Role.ADMIN);
  private final List<String> calls = new ArrayList<>();
  private final List<UseFacts> written = new ArrayList<>();
  private boolean wrong = true;
  private boolean waited;
  private final KeptWaits waits = new KeptWaits();
  private final UsageCommands commands =
      new UsageCommands(
          books(UsageStore.class),
          books(UseLedger.class),
          waits,
          stores.transactions(),
          stores.audit());

  /** Its hours have no GPUs. Each has a stored sum while it is wrong. */
  private <T> T books(Class<T> port) {
    return port.cast(
        Proxy.newProxyInstance(
            port.getClassLoader(),
            new Class<?>[] {port},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              return switch (method.getName()) {
                case "now", "open", "lock" -> NOW.toEpochMilli();
                case "stored" -> stored((long) arguments[0]);
                case "dayDifferences" -> List.of();
                case "gpus" -> {
                  yield null;
                }
                case "write" -> {
                  written.add((UseFacts) arguments[0]);
                  yield null;
                }
                default -> throw new AssertionError(method);
              };
            }));
  }

  private static FleetPart part() {
    return new FleetPart(new ClusterId(new UUID(0, 1)), "", null, "H100", CapacityType.RESERVED);
  }

  private UseFacts stored(long hour) {
    TreeMap<FleetPart, Map<UsageBucket, Long>> fleet = new TreeMap<>();
    if (wrong) {
      fleet.put(part(), Map.of(UsageBucket.FREE, 7000L));
    }
    return new HourSums(hour, new TreeMap<>(), fleet, new TreeMap<>())
        .facts()
        .and(KeptWaits.facts(hour, waited ? 1 : 2));
  }

  private List<HourDifference> rebuilt(Instant from, boolean verifyOnly) {
    calls.clear();
    return commands.rebuild(operator, from, from.plusMillis(HOUR), verifyOnly).named();
  }

  /** Fails when a comparison blocks the loop's write, or writes. */
  @Test
  void comparisonTakesNoLock() {
    assertThat(rebuilt(NOW.minusMillis(HOUR), true)).hasSize(2);
    assertThat(calls).containsExactly("now", "open", "gpus", "stored", "dayDifferences");
  }

  /** Fails when intervals are read while the loop waits, or an hour that differs is not written. */
  @Test
  void loopWaitsOnlyWhileAnHourIsWritten() {
    assertThat(rebuilt(NOW.minusMillis(HOUR), false)).hasSize(2);
    assertThat(calls)
        .containsExactly(
            "now", "open", "gpus", "stored", "lock", "stored", "write", "dayDifferences");
    wrong = false;
    assertThat(rebuilt(NOW.minusMillis(HOUR), false)).isEmpty();
    assertThat(calls).containsExactly("now", "open", "gpus", "stored", "dayDifferences");
  }

  /** Fails when an hour is accepted whose intervals are deleted during the computation. */
  @Test
  void hoursWhoseIntervalsExpireSoonAreRejected() {
    Instant last = NOW.minus(Duration.ofDays(399));
    assertThat(rebuilt(last, true)).hasSize(2);
    assertThatThrownBy(() -> rebuilt(last.minusMillis(HOUR), true))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining(last.toString());
  }

  /** Fails when wrong waits are not found, or remain if the use is correct. */
  @Test
  void waitsAreComparedAndWrittenAgain() {
    wrong = false;
    waited = true;
    Instant from = NOW.minusSeconds(3600);

    assertThat(commands.rebuild(operator, from, NOW, true).differences()).isEqualTo(1);
    assertThat(written).isEmpty();
    assertThat(commands.rebuild(operator, from, NOW, false).differences()).isEqualTo(1);
    assertThat(written).containsExactly(KeptWaits.facts(from.toEpochMilli(), 2));
    assertThat(waits.calls).containsOnly("sums 60");
  }
}
