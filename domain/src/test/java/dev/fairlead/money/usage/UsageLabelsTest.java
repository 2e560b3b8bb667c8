package dev.fairlead.money.usage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class UsageLabelsTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final FleetPart PART =
      new FleetPart(new ClusterId(new UUID(0, 1)), "", null, "H100", CapacityType.RESERVED);
  private static final TenantId ACME = new TenantId(new UUID(0, 1));
  private static final TenantId OTHER = new TenantId(new UUID(0, 2));
  private final HourBook book = new HourBook(0, HOUR);
  private int gpus;

  private void used(TenantId tenant, long millis, Map<String, String> labels) {
    UsageOwner owner =
        new UsageOwner(
            tenant,
            new ProjectId(new UUID(0, 1)),
            new QuotaNodeId(new UUID(0, 1)),
            "ada",
            PART.cluster(),
            "",
            new Flavor(PART.model(), CapacityType.RESERVED),
            "chat",
            new TreeMap<>(labels));
    book.add(
        new GpuHistory(
            gpus++, PART, List.of(), List.of(new GpuHistory.Use(0, millis, owner, 1000, 0))));
  }

  private SortedMap<String, Long> labelled(TenantId tenant) {
    SortedMap<String, Long> found = new TreeMap<>();
    book.sums()
        .labelled()
        .forEach((owner, amount) -> {
          if (owner.tenant().equals(tenant)) {
            found.merge(owner.labels().toString(), amount / 1000, Long::sum);
          }
        });
    return found;
  }

  private static long sum(Iterable<Long> amounts) {
    long sum = 0;
    for (long amount : amounts) {
      sum += amount;
    }
    return sum;
  }

  /** Fails when labels change the total use, or use without labels is stored twice. */
  @Test
  void labelledUseIsPartOfTheTotal() {
    used(ACME, 5, Map.of("grant", "17"));
    used(ACME, 7, Map.of("grant", "17", "paper", "x"));
    used(ACME, 11, Map.of());

    assertThat(book.sums().used()).hasSize(1);
    assertThat(book.sums().used().firstKey().service()).isEqualTo("chat");
    assertThat(book.sums().labelled().keySet()).extracting(UsageOwner::service).containsOnlyNulls();
    assertThat(sum(book.sums().used().values())).isEqualTo(23_000);
    assertThat(labelled(ACME)).isEqualTo(Map.of("{grant=17}", 5L, "{grant=17, paper=x}", 7L));
  }

  /** Fails when a label with a million values stores as many rows, or gets another key's values. */
  @Test
  void largestLabelValuesAreRetainedAndTheRestIsOther() {
    List<String> values = new ArrayList<>();
    for (int n = 0; n < 500; n++) {
      values.add("run-%03d".formatted(n));
      used(ACME, 1 + n / 250, Map.of("run", values.getLast(), "grant", "g" + n % 3));
    }
    used(OTHER, 1, Map.of("run", "run-000"));

    SortedMap<String, Long> found = labelled(ACME);
    assertThat(found).hasSize(100 + 3);
    assertThat(sum(found.values())).isEqualTo(250 + 2 * 250);
    // the first by name if several are equal
    assertThat(found).containsKeys("{grant=g1, run=run-250}", "{grant=g1, run=run-349}");
    assertThat(found.keySet()).noneMatch(labels -> labels.contains("run-350"));
    assertThat(found.get("{grant=g0, run=other}") + found.get("{grant=g1, run=other}"))
        .isPositive();
    assertThat(labelled(OTHER)).isEqualTo(Map.of("{run=run-000}", 1L));
  }

  /** Fails when a wrong, missing or superfluous sum by label is not detected. */
  @Test
  void sumsByLabelAreCompared() {
    used(ACME, 5, Map.of("grant", "17"));
    HourSums right = book.sums();
    HourSums without = new HourSums(0, right.used(), right.fleet(), new TreeMap<>());

    List<HourDifference> found = without.facts().differences(right.facts());
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().key()).containsEntry("label:grant", "17");
    assertThat(found.getFirst().stored()).isZero();
    assertThat(right.facts().differences(right.facts())).isEmpty();
  }
}
